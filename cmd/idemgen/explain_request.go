package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/httptext"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

// requestFlags are the flags that give the requests to explain.
type requestFlags struct {
	read     *documentFlags
	files    []string
	body     string
	query    string
	path     map[string]string
	header   []string
	views    []string
	reveal   bool
	database string
	key      string
	scope    map[string]string
	keys     map[string]string
	partSets []string // names of the flags for parts
}

func explainFlags(cmd *cobra.Command) *requestFlags {
	f := &requestFlags{read: readFlags(cmd), partSets: []string{"body", "query", "path", "header"}}
	set := cmd.Flags()
	set.StringArrayVarP(&f.files, "request", "r", nil, "`file` with a request; twice to compare two")
	set.StringVar(&f.body, "body", "", "the request's body, or @`file`")
	set.StringVar(&f.query, "query", "", "its query, without the question mark")
	set.StringToStringVar(&f.path, "path", nil, "`name=value` of a path parameter")
	set.StringArrayVar(&f.views, "view", nil, "JSON text, or @`file`: what the program's view makes of the body; one for each request")
	set.StringArrayVar(&f.header, "header", nil, "a header line, `name: value`")
	set.BoolVar(&f.reveal, "show-sensitive", false, "show the values of sensitive fields, and digests that they could be guessed from")
	set.StringVar(&f.database, "database", "", databaseFlag+"; says what is stored for the request, and what it would get")
	set.StringVar(&f.key, "key", "", "`text` of the idempotency key that counts in place of the request's own; with --database")
	set.StringToStringVar(&f.keys, "fingerprint-key", nil, "`id=file` of a key of the program's key ring, as base64 text in the file: keyed fingerprints are compared under it; with --database")
	set.StringToStringVar(&f.scope, "scope", nil, "`name=value` of a dimension of the scope: whose key it is; with --database")
	return f
}

// given reports whether any flag describes a request.
func (f *requestFlags) given(cmd *cobra.Command) bool { return len(f.files) > 0 || f.parts(cmd) }

func (f *requestFlags) parts(cmd *cobra.Command) bool {
	for _, name := range f.partSets {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// explain prints what the operation makes of the requests.
func (f *requestFlags) explain(cmd *cobra.Command, operation string, args []string) error {
	if !f.given(cmd) {
		return usagef("no diagnostic is called %q; to explain an operation's request give --request or --body", operation)
	}
	docs, err := given(cmd, f.read, args)
	if err != nil {
		return err
	}
	sent, err := f.requests(cmd)
	if err != nil {
		return err
	}
	if err := f.addViews(sent); err != nil {
		return err
	}
	question := generator.Question{Operation: operation, Requests: sent, ShowSensitive: f.reveal, Key: f.key, Scope: f.scope}
	if f.database == "" {
		if f.key != "" || len(f.scope) > 0 || len(f.keys) > 0 {
			return usagef("--key, --scope and --fingerprint-key are about a record that is looked up: give --database")
		}
		return f.answer(cmd, docs, question)
	}
	if len(sent) > 1 {
		return usagef("--database looks up one request, got %d", len(sent))
	}
	if question.Keys, err = f.keyRing(); err != nil {
		return err
	}
	question.Find = func(at idem.Address) (found idem.StoredRecord, err error) {
		err = withStore(cmd.Context(), f.database, func(ctx context.Context, store *pgstore.Store) (err error) {
			found, err = store.Describe(ctx, at)
			return err
		})
		return found, err
	}
	return f.answer(cmd, docs, question)
}

// answer asks the first document that has the operation.
func (f *requestFlags) answer(cmd *cobra.Command, docs []string, question generator.Question) (err error) {
	r := newReport(cmd, f.read)
	r.stdout = r.stderr // the explanation is the product
	var explanation *generator.Explanation
	for _, document := range docs {
		explanation, r.findings, err = generator.Explain(document, question, f.read.opts)
		if !errors.Is(err, generator.ErrNoOperation) {
			break
		}
		err = usagef("%s has %s", document, strings.TrimPrefix(err.Error(), "generator: explain: "))
	}
	if err != nil || explanation == nil {
		return r.close(err)
	}
	if diag.Format(f.read.format) == diag.FormatJSON {
		return writeJSON(cmd.OutOrStdout(), explanation)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), explanationText(explanation))
	return err
}

// addViews gives each request what the program's view makes of its body.
func (f *requestFlags) addViews(sent []generator.Sent) error {
	if len(f.views) != 0 && len(f.views) != len(sent) {
		return usagef("--view is given for each request: got %d for %d", len(f.views), len(sent))
	}
	for i, text := range f.views {
		sent[i].View = []byte(text)
		if file, ok := strings.CutPrefix(text, "@"); ok {
			var err error
			if sent[i].View, err = os.ReadFile(file); err != nil {
				return err
			}
		}
	}
	return nil
}

// requests reads the files, or takes the parts.
func (f *requestFlags) requests(cmd *cobra.Command) ([]generator.Sent, error) {
	if f.parts(cmd) {
		if len(f.files) > 0 {
			return nil, usagef("--request and --%s exclude each other", strings.Join(f.partSets, ", --"))
		}
		sent, err := f.partsOf()
		return []generator.Sent{sent}, err
	}
	if len(f.files) > 2 {
		return nil, usagef("compares two requests, got %d", len(f.files))
	}
	var out []generator.Sent
	for _, name := range f.files {
		text, err := readInput(cmd, name)
		if err != nil {
			return nil, err
		}
		request, err := httptext.Parse(text, readBodyFile)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, generator.Sent{Request: request})
	}
	return out, nil
}

// mostInFile bounds what a curl command may bring in by @file: more than any body that a server takes by default.
const mostInFile = 32 << 20

// readBodyFile opens what a curl command names: a regular file of a size that a body can have, and no device that never ends.
func readBodyFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", name)
	case info.Size() > mostInFile:
		return nil, fmt.Errorf("%s has %d bytes: a body has at most %d", name, info.Size(), mostInFile)
	}
	return os.ReadFile(name)
}

func readInput(cmd *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(cmd.InOrStdin())
	}
	return os.ReadFile(name)
}

// partsOf makes a request of what the flags say. A body without a Content-Type is JSON.
func (f *requestFlags) partsOf() (generator.Sent, error) {
	sent := generator.Sent{Path: f.path, Query: f.query, Header: http.Header{}, Body: []byte(f.body)}
	for _, line := range f.header {
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" {
			return sent, usagef("--header %q: name: value", line)
		}
		sent.Header.Add(name, strings.TrimSpace(value))
	}
	if file, ok := strings.CutPrefix(f.body, "@"); ok {
		var err error
		if sent.Body, err = os.ReadFile(file); err != nil {
			return sent, err
		}
	}
	if len(sent.Body) > 0 && sent.Header.Get("Content-Type") == "" {
		sent.Header.Set("Content-Type", "application/json")
	}
	return sent, nil
}

// explanationText is an explanation for people.
func explanationText(e *generator.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", e.Contract, e.Operation)
	for _, v := range e.Versions {
		fmt.Fprintf(&b, "\nversion %d, id %s\n", v.Number, v.ID)
		writeExplained(&b, v.Requests, "refused   ")
		writeSame(&b, v.Same, "the same command", "two commands")
		for _, d := range v.Differ {
			fmt.Fprintf(&b, "  differs    %s (%s)\n", d.Field, d.Rule)
			for _, value := range d.Values {
				fmt.Fprintf(&b, "             %s\n", value)
			}
		}
	}
	if u := e.Unique; u != nil {
		fmt.Fprintf(&b, "\nbusiness key, id %s\n", u.ID)
		writeExplained(&b, u.Requests, "none      ")
		writeSame(&b, u.Same, "the same thing", "two things")
	}
	if e.Record != nil {
		writeRecord(&b, e.Record)
	}
	return b.String()
}

// writeExplained writes what was made of each request. refused begins the line of one of which nothing was.
func writeExplained(b *strings.Builder, requests []generator.ExplainedRequest, refused string) {
	for i, r := range requests {
		if len(requests) > 1 {
			fmt.Fprintf(b, "  request %d\n", i+1)
		}
		if r.Refused != "" {
			fmt.Fprintf(b, "  %s %s\n", refused, r.Refused)
			continue
		}
		digest := r.SHA256
		if r.Masked {
			digest = "not shown: sensitive values could be guessed from it (--show-sensitive)"
		}
		fmt.Fprintf(b, "  canonical  %s\n  sha256     %s\n", r.Canonical, digest)
	}
}

func writeSame(b *strings.Builder, same *bool, one, two string) {
	switch {
	case same == nil:
	case *same:
		b.WriteString("  " + one + "\n")
	default:
		b.WriteString("  " + two + "\n")
	}
}
