package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// response is what a person says that the client should have got.
type response struct {
	status    int
	body      string
	headers   []string
	retention time.Duration
}

func keysResolveCommand() *cobra.Command {
	f := &keysFlags{}
	var r response
	cmd := &cobra.Command{
		Use:   "resolve RECORD --status CODE",
		Short: "Store the answer that the client should have got; every retry gets it",
		Example: `  idemgen keys resolve 7d4c… --database "$DATABASE_URL" --status 201 \
    --header 'Content-Type: application/json' --body @charge.json`,
		Args: oneRecord,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := f.record(args)
			if err != nil {
				return err
			}
			c, err := r.completion()
			if err != nil {
				return err
			}
			return f.settle(cmd, id, fmt.Sprintf("Every request with this key is going to get %d.", c.Response.Status), "settled",
				func(ctx context.Context, store *pgstore.Store) error { return store.Resolve(ctx, id, c) })
		},
	}
	f.declare(cmd)
	cmd.Flags().IntVar(&r.status, "status", 0, "HTTP status `code` of the answer")
	cmd.Flags().StringVar(&r.body, "body", "", "its body, or @`file`")
	cmd.Flags().StringArrayVar(&r.headers, "header", nil, "a header line of it, `name: value`; may be repeated")
	cmd.Flags().DurationVar(&r.retention, "retention", 24*time.Hour, "how `long` it answers from now on, at least")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	return cmd
}

// completion checks the answer.
func (r *response) completion() (idem.Completion, error) {
	c := idem.Completion{State: idem.StateCompleted, Retention: r.retention, Response: idem.Response{Status: r.status, Header: http.Header{}, Body: []byte(r.body)}}
	switch {
	case r.status < 200 || r.status > 599:
		return c, usagef("--status %d: a final status, 200 to 599", r.status)
	case r.status >= 400:
		c.State = idem.StateFailedReplayable
	}
	if r.retention <= 0 {
		return c, usagef("--retention %v: give a positive duration", r.retention)
	}
	for _, line := range r.headers {
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return c, usagef("--header %q: name: value", line)
		}
		c.Response.Header.Add(name, strings.TrimSpace(value))
	}
	if file, ok := strings.CutPrefix(r.body, "@"); ok {
		var err error
		if c.Response.Body, err = os.ReadFile(file); err != nil {
			return c, err
		}
	}
	return c, nil
}

func keysRetryCommand() *cobra.Command {
	f := &keysFlags{}
	cmd := &cobra.Command{
		Use:   "retry RECORD",
		Short: "Hand a leased record back: its recovery, or the next request, goes on where it stopped",
		Args:  oneRecord,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := f.record(args)
			if err != nil {
				return err
			}
			return f.settle(cmd, id, "Its attempts count from 1 again; phases that are recorded are not repeated, and downstream keys stay the same.", "handed back",
				func(ctx context.Context, store *pgstore.Store) error { return store.Retry(ctx, id) })
		},
	}
	f.declare(cmd)
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	return cmd
}

func keysReleaseCommand() *cobra.Command {
	f := &keysFlags{}
	cmd := &cobra.Command{
		Use:   "release RECORD",
		Short: "Forget the record: the next request with its key runs anew",
		Args:  oneRecord,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := f.record(args)
			if err != nil {
				return err
			}
			return f.settle(cmd, id, "Its phases are forgotten: the next request with this key runs anew, and other systems get another key for it, so what they did for this record they do again.", "forgotten",
				func(ctx context.Context, store *pgstore.Store) error { return store.Free(ctx, id) })
		},
	}
	f.declare(cmd)
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	return cmd
}

// settle looks at the record, asks with what, changes it, and says that it is done. Whether it still waits is decided by the change itself.
func (f *keysFlags) settle(cmd *cobra.Command, id idem.UUID, what, done string, change func(context.Context, *pgstore.Store) error) error {
	var found idem.StuckRecord
	err := withStore(cmd.Context(), f.database, func(ctx context.Context, store *pgstore.Store) (err error) {
		found, err = store.Inspect(ctx, id)
		return recordError(id, err)
	})
	if err != nil {
		return err
	}
	if err := f.confirm(cmd, found, what); err != nil { // no connection is held while a person thinks
		return err
	}
	err = withStore(cmd.Context(), f.database, func(ctx context.Context, store *pgstore.Store) error {
		return recordError(id, change(ctx, store))
	})
	if err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "record %s is %s\n", id, done)
	}
	return err
}
