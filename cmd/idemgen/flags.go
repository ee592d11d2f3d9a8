package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/config"
	"github.com/idemgen/idemgen/openapi/diag"
)

// documentFlags are the flags of the verbs that read documents.
type documentFlags struct {
	opts   generator.Options
	config string
	format string
	color  string
	strict bool
	quiet  bool
}

// readFlags declares what decides how documents are read and how findings are shown.
func readFlags(cmd *cobra.Command) *documentFlags {
	f := &documentFlags{}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringArrayVar(&f.opts.Overlays, "overlay", nil, "OpenAPI Overlay `file` to apply; may be repeated, applied in order")
	set.StringVar(&f.opts.Extension, "extension", "x-idempotency", "`name` of the annotation")
	set.BoolVar(&f.opts.Webhooks, "webhooks", false, "allow annotations under webhooks, for a program that receives them")
	set.BoolVar(&f.opts.SkipUnsupported, "skip-unsupported", false, "leave out operations that cannot be generated yet, with a warning")
	set.StringVar(&f.opts.Lock, "lock", "", "lock `file` (default <base>.idempotency.lock.yaml beside the document)")
	set.StringVar(&f.opts.Base, "base", "", "git `revision` of what is released, or none (default: origin's default branch; where git does not know it, the branch that this is to be merged into, else main or master)")
	set.StringVar(&f.opts.Package, "package", "", "`name` of the Go package (default: from the document's file name)")
	set.StringVar(&f.config, "config", "", "configuration `file`, or none (default: idemgen.yaml beside the document, or in this folder and those above it in the git repository)")
	set.StringVar(&f.format, "format", "text", "`format` of findings: text, short, json, sarif or github")
	set.StringVar(&f.color, "color", "auto", "`when` findings are coloured: auto, always or never")
	set.BoolVar(&f.strict, "strict", false, "count warnings as errors")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "no narration")
	return f
}

// writeFlags adds what decides where the result goes.
func writeFlags(cmd *cobra.Command) *documentFlags {
	f := readFlags(cmd)
	set := cmd.Flags()
	set.StringVar(&f.opts.Out, "out", "", "`folder` of the Go package (default: one with the package's name beside the document)")
	set.StringVar(&f.opts.Server, "server", "", "`package` of the server to bind to: a folder, an import path, or none (default: the one that is generated from the document)")
	set.StringVar(&f.opts.Bind, "bind", "", "`folder` of the binding (default: bind in the folder of the Go package)")
	set.BoolVar(&f.opts.MergeLock, "merge-lock", false, "join the two sides of a lock that git could not merge")
	set.BoolVar(&f.opts.NewLock, "new-lock", false, "start at version 1 where generated files exist and their lock is gone")
	return f
}

// valid refuses values that no flag type catches.
func (f *documentFlags) valid() error {
	if !slices.Contains(diag.Formats(), diag.Format(f.format)) {
		return usagef("--format %q: text, short, json, sarif or github", f.format)
	}
	switch f.color {
	case "auto", "always", "never":
	default:
		return usagef("--color %q: auto, always or never", f.color)
	}
	if f.opts.Extension == "" || !strings.HasPrefix(f.opts.Extension, "x-") {
		return usagef("--extension %q: an extension's name begins with x-", f.opts.Extension)
	}
	return nil
}

// given checks flags and arguments of a verb that reads documents, and completes the flags by what the configuration says.
func given(cmd *cobra.Command, flags *documentFlags, args []string) ([]string, error) {
	if err := flags.valid(); err != nil {
		return nil, err
	}
	if err := valid(args); err != nil {
		return nil, err
	}
	c, found, err := config.Open(flags.config, args)
	if err != nil {
		return nil, err
	}
	if found.HasErrors() {
		r := newReport(cmd, flags)
		r.findings = found
		return nil, r.close(nil)
	}
	flags.opts.Config = flags.config
	docs, err := documents(c.DocumentsOr(args))
	if err != nil || c == nil {
		return docs, err
	}
	changed := cmd.Flags().Changed
	c.Configure(&flags.opts, docs, changed)
	if c.Strict.Set && !changed("strict") {
		flags.strict = c.Strict.Value
	}
	return docs, nil
}

// defaultNames are the documents that are looked for when none is given.
var defaultNames = []string{"openapi.yaml", "openapi.yml", "openapi.json"}

// valid refuses arguments that are no documents.
func valid(args []string) error {
	for _, arg := range args {
		switch arg {
		case "-":
			return usagef("a document is a file: what is generated is named after it and stands beside it")
		case "":
			return usagef("a document's name is empty")
		}
	}
	return nil
}

// documents gives the arguments, or the one document of the working folder that has a customary name.
func documents(args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	var found []string
	for _, name := range defaultNames {
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			found = append(found, name)
		}
	}
	switch len(found) {
	case 1:
		return found, nil
	case 0:
		return nil, usagef("no document given, and the working folder has no %s", strings.Join(defaultNames, ", "))
	}
	return nil, usagef("no document given, and the working folder has %s: name one", strings.Join(found, " and "))
}
