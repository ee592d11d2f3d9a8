package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

func keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys VERB",
		Short: "List and settle the records that wait for people",
		Long: `List and settle the records that wait for people: those whose outcome is unknown, and those whose attempt ended without one.

Until one is settled, requests with its key are answered 409. Find out what was done: the record's phases, and the other system's own
record under the downstream key, which show --downstream prints. Then, the safest first: retry hands a leased record back, so that its
recovery or the next request goes on where it stopped, under the same downstream keys; resolve stores the answer that the client should
have got; release forgets the record, and a request that comes then is a new one with new downstream keys.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown verb %q: list, show, retry, resolve or release", args[0])
			}
			return usagef("say what to do: list, show, retry, resolve or release")
		},
	}
	cmd.AddCommand(keysListCommand(), keysShowCommand(), keysRetryCommand(), keysResolveCommand(), keysReleaseCommand())
	return cmd
}

// keysFlags are the flags that all of them have.
type keysFlags struct {
	database string
	format   string
	yes      bool
}

func (f *keysFlags) declare(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&f.database, "database", "", databaseFlag)
}

func (f *keysFlags) declareFormat(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "text", "`format` of the output: text or json")
}

func (f *keysFlags) checkFormat() error {
	if f.format != "text" && f.format != "json" {
		return usagef("--format %q: text or json", f.format)
	}
	return nil
}

func keysListCommand() *cobra.Command {
	f := &keysFlags{}
	var limit int
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List records whose outcome is unknown or whose lease is over, the longest waiting ones first",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.checkFormat(); err != nil {
				return err
			}
			if limit < 1 {
				return usagef("--limit %d: 1 or more", limit)
			}
			return withStore(cmd.Context(), f.database, func(ctx context.Context, store *pgstore.Store) error {
				found, err := store.Stuck(ctx, limit)
				if err != nil {
					return err
				}
				return listRecords(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.format, found)
			})
		},
	}
	f.declare(cmd)
	f.declareFormat(cmd)
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so `many`")
	return cmd
}

// recordJSON is a record for programs. Its members are only ever added to.
type recordJSON struct {
	Record    string          `json:"record"`
	State     string          `json:"state"`
	LeaseOver bool            `json:"leaseOver"`
	Operation string          `json:"operation"`
	Scope     json.RawMessage `json:"scope"`
	Keyspace  string          `json:"keyspace"`
	Key       string          `json:"key"`
	Attempt   int             `json:"attempt"`
	Created   time.Time       `json:"created"`
	Phases    []string        `json:"phases"`
	Status    int             `json:"status,omitempty"`
}

func toRecordJSON(r idem.StuckRecord) recordJSON {
	scope := json.RawMessage(r.Scope)
	if !json.Valid(scope) {
		scope, _ = json.Marshal(r.Scope) // a text always can be written
	}
	return recordJSON{
		Record: r.RecordID.String(), State: stateName(r), LeaseOver: r.LeaseOver, Operation: r.Operation, Scope: scope, Keyspace: r.Keyspace, Key: r.Key,
		Attempt: r.Attempt, Created: r.Created.UTC(), Phases: append([]string{}, r.Phases...), Status: r.Status,
	}
}

// stateName says what a record stands at, in the words of the documentation.
func stateName(r idem.StuckRecord) string {
	switch r.State {
	case idem.StateInFlight:
		return "in_flight"
	case idem.StateCompleted:
		return "completed"
	case idem.StateFailedReplayable:
		return "failed_replayable"
	case idem.StateFailedRetryable:
		return "failed_retryable"
	case idem.StateAbsent, idem.StateUnknown:
	}
	return "unknown_requires_recovery"
}

func listRecords(out, narration io.Writer, format string, found []idem.StuckRecord) error {
	if format == "json" {
		all := make([]recordJSON, len(found))
		for i, r := range found {
			all[i] = toRecordJSON(r)
		}
		return writeJSON(out, all)
	}
	if len(found) == 0 {
		fmt.Fprintln(narration, "no record waits for anybody")
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "RECORD\tSTATE\tOPERATION\tSCOPE\tKEY\tATTEMPT\tCREATED\tPHASES")
	for _, r := range found {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", r.RecordID, waitsFor(r), plain(r.Operation), plain(r.Scope), plain(r.Key), r.Attempt,
			r.Created.UTC().Format(time.RFC3339), plain(strings.Join(r.Phases, ", ")))
	}
	return w.Flush()
}

func waitsFor(r idem.StuckRecord) string {
	if r.State == idem.StateInFlight && r.LeaseOver {
		return "lease over"
	}
	return stateName(r)
}

// plain keeps what a client wrote from moving a terminal's cursor or breaking a line.
func plain(s string) string {
	quoted := fmt.Sprintf("%+q", s)
	if inner := quoted[1 : len(quoted)-1]; inner != s && !strings.ContainsAny(s, `"\`) {
		return inner
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7F {
			return '\uFFFD'
		}
		return r
	}, s)
}

func writeJSON(w io.Writer, v any) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

func keysShowCommand() *cobra.Command {
	f := &keysFlags{}
	var systems []string
	cmd := &cobra.Command{
		Use:   "show RECORD",
		Short: "Show one record: everything but its command and its response",
		Args:  oneRecord,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := f.record(args)
			if err != nil {
				return err
			}
			return withStore(cmd.Context(), f.database, func(ctx context.Context, store *pgstore.Store) error {
				r, err := store.Inspect(ctx, id)
				if err != nil {
					return recordError(id, err)
				}
				if f.format == "json" {
					return writeJSON(cmd.OutOrStdout(), toRecordJSON(r))
				}
				showRecord(cmd.OutOrStdout(), r)
				for _, system := range systems {
					fmt.Fprintf(cmd.OutOrStdout(), "downstream key of %s: %s\n", plain(system), idem.DownstreamKey(id, system))
				}
				return nil
			})
		},
	}
	f.declare(cmd)
	f.declareFormat(cmd)
	cmd.Flags().StringArrayVar(&systems, "downstream", nil, "print the key that was sent to another `system`, by its name in Lease.DownstreamKey; may be repeated")
	return cmd
}

func oneRecord(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("takes the id of one record; idemgen keys list shows them")
	}
	return nil
}

// record checks what a verb about one record was given.
func (f *keysFlags) record(args []string) (idem.UUID, error) {
	if f.format != "" {
		if err := f.checkFormat(); err != nil {
			return idem.UUID{}, err
		}
	}
	id, err := idem.ParseUUID(args[0])
	if err != nil {
		return id, usagef("%q is no record's id; idemgen keys list shows them", args[0])
	}
	return id, nil
}

// recordError says in words what a store's sentinel means.
func recordError(id idem.UUID, err error) error {
	switch {
	case errors.Is(err, idem.ErrNoRecord):
		return fmt.Errorf("there is no record %s", id)
	case errors.Is(err, idem.ErrNotStuck):
		return fmt.Errorf("record %s waits for nobody: it has an outcome, or its attempt has not ended yet", id)
	}
	return err
}

func showRecord(w io.Writer, r idem.StuckRecord) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	line := func(name string, value any) { fmt.Fprintf(t, "%s\t%v\n", name, value) }
	line("record", r.RecordID)
	line("state", waitsFor(r))
	line("operation", plain(r.Operation))
	line("scope", plain(r.Scope))
	line("keyspace", plain(r.Keyspace))
	line("key", plain(r.Key))
	line("attempt", r.Attempt)
	line("created", r.Created.UTC().Format(time.RFC3339Nano))
	line("phases", plain(strings.Join(r.Phases, ", ")))
	if r.Status != 0 {
		line("status", r.Status)
	}
	_ = t.Flush() // to a terminal or a pipe; its reader knows when it is gone
}

// confirm asks a person, unless --yes was given. Whoever cannot be asked has not agreed.
func (f *keysFlags) confirm(cmd *cobra.Command, r idem.StuckRecord, what string) error {
	if f.yes {
		return nil
	}
	showRecord(cmd.ErrOrStderr(), r)
	fmt.Fprintf(cmd.ErrOrStderr(), "%s Type yes to go on: ", what)
	answer, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if strings.TrimSpace(answer) != "yes" {
		return errors.New("nothing was changed: answer yes, or give --yes")
	}
	return nil
}
