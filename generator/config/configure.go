package config

import (
	"path/filepath"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/generator/lint"
	"github.com/idemgen/idemgen/openapi"
)

// DocumentsOr gives the documents of a run: those that are given, else all that the configuration lists. c may be nil.
func (c *Config) DocumentsOr(given []string) []string {
	if c == nil || len(given) > 0 {
		return given
	}
	var out []string
	for _, d := range c.Documents {
		out = append(out, d.Path.Value)
	}
	return out
}

// Configure completes the options of a run over documents. What was given by a flag, as changed says by the flag's name, stays.
func (c *Config) Configure(opts *generator.Options, documents []string, changed func(flag string) bool) {
	if c == nil {
		return
	}
	opts.Complete = func(document string, opts generator.Options) generator.Options {
		return c.complete(document, opts, changed)
	}
	opts.Policy = &lint.Policy{Levels: c.Levels, Accepted: c.Accepted, Folder: filepath.Dir(c.File), Whole: c.whole(documents)}
}

// complete gives the options that hold for one document.
func (c *Config) complete(document string, opts generator.Options, changed func(string) bool) generator.Options {
	own := c.document(document)
	if own == nil {
		own = &Document{}
	}
	take(&opts.Extension, changed("extension"), own.Extension, c.Extension)
	take(&opts.Webhooks, changed("webhooks"), own.Webhooks, c.Webhooks)
	take(&opts.SkipUnsupported, changed("skip-unsupported"), own.SkipUnsupported, c.SkipUnsupported)
	take(&opts.Base, changed("base"), own.Base, c.Base)
	take(&opts.Overlays, changed("overlay"), own.Overlays)
	take(&opts.Out, changed("out"), own.Out)
	take(&opts.Package, changed("package"), own.Package)
	take(&opts.Server, changed("server"), own.Server)
	take(&opts.Bind, changed("bind"), own.Bind)
	take(&opts.Lock, changed("lock"), own.Lock)
	return opts
}

// take gives the option the first value that was written, unless a flag gave it one.
func take[T any](option *T, given bool, written ...openapi.Val[T]) {
	if given {
		return
	}
	for _, v := range written {
		if v.Set {
			*option = v.Value
			return
		}
	}
}

// document finds the entry of a document, in whatever spelling its path was given.
func (c *Config) document(path string) *Document {
	for i, d := range c.Documents {
		if samePath(d.Path.Value, path) {
			return &c.Documents[i]
		}
	}
	return nil
}

// whole reports whether documents are all that the configuration is about. One that lists none is about those of the run.
func (c *Config) whole(documents []string) bool {
	for _, d := range c.Documents {
		if !contains(documents, d.Path.Value) {
			return false
		}
	}
	return true
}

func contains(documents []string, path string) bool {
	for _, d := range documents {
		if samePath(d, path) {
			return true
		}
	}
	return false
}

func samePath(a, b string) bool {
	x, errX := filepath.Abs(a)
	y, errY := filepath.Abs(b)
	return errX == nil && errY == nil && x == y
}
