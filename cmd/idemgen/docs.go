package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/openapi/diag"
)

// docsFormats are what docs writes; the first is the default.
var docsFormats = []string{formatMarkdown, formatOpenAPI}

const formatOpenAPI = "openapi"

func docsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "docs [document]",
		Short: "Write for those who call the API what keys, retries and answers mean",
		Long: `Write for those who call the API what keys, retries and answers mean.

  markdown  a sheet: for every operation the key, how long it is kept, what makes two requests the same, every answer with its status
            and code, what a replay brings, the states of a key, and a request to try
  openapi   the document itself, with what clients and their generators have to know: the parameter of the key, the answers with their
            problem+json schema, the marker of replays, and a paragraph in each operation's description; what it declares already, and
            all else in it, stays as it is

The text goes to standard output, or to a file with --out; findings go to standard error.`,
		Example: `  idemgen docs payments.yaml > IDEMPOTENCY.md
  idemgen docs payments.yaml --format openapi --out public/payments.yaml`,
	}
	flags := readFlags(cmd)
	format := cmd.Flags().Lookup("format")
	format.Usage, format.DefValue = "`format`: "+strings.Join(docsFormats, " or "), docsFormats[0]
	flags.format = docsFormats[0]
	out := cmd.Flags().String("out", "", "`file` to write (default: standard output)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !slices.Contains(docsFormats, flags.format) {
			return usagef("--format %q: %s", flags.format, strings.Join(docsFormats, " or "))
		}
		enrich := flags.format == formatOpenAPI
		flags.format = string(diag.FormatText)
		docs, err := given(cmd, flags, args)
		if err != nil {
			return err
		}
		if len(docs) != 1 {
			return usagef("takes one document, got %d", len(docs))
		}
		r := newReport(cmd, flags)
		text, err := r.document(docs[0], enrich)
		if err == nil && !r.refused() {
			err = r.product(text, *out)
		}
		return r.close(err)
	}
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(docsFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// document makes the text.
func (r *report) document(name string, enrich bool) (text []byte, err error) {
	if !enrich {
		text, r.findings, err = generator.Docs(name, r.flags.opts)
		return text, err
	}
	var left []string
	text, left, r.findings, err = generator.EnrichedDocument(name, r.flags.opts)
	for _, contract := range left {
		r.narrate("%s: left as it is: the operation does not stand in %s", contract, filepath.ToSlash(name))
	}
	return text, err
}

// product writes a text to a file, or to standard output where none is named.
func (r *report) product(text []byte, path string) error {
	if path == "" {
		_, err := r.stdout.Write(text)
		return err
	}
	change, err := generator.WriteText(path, text)
	if err == nil {
		r.narrate("%-9s %s", verbs[change.Action], filepath.ToSlash(change.Path))
	}
	return err
}
