package generator

import (
	"fmt"
	"maps"
	"path/filepath"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Plan is everything that a run generates, in memory: nothing is written before all of it is known.
type Plan struct {
	// Packages are the generated packages, one for each document, in the order in which the documents were given.
	Packages []Package
	// Files are what will be on disk, each package's lock before its Go files.
	Files []File
	// Stale are files that idemgen wrote earlier and that nothing generates any more.
	Stale []string

	opts Options // that made it, for hints
}

// Package says what became of one document.
type Package struct {
	Document   string // as the caller named it
	Name       string // of the Go package
	Out        string // its folder
	Lock       string // the lock's path
	Operations int
	// Binding says which server the package is bound to; empty: to none.
	Binding string
	// Notes are lines for people about what became of the lock's names and ids. They are no findings.
	Notes []string
	// Unseen says why it is not known which versions are released; nil when it is. All of the lock's count as released then.
	Unseen *UnseenError
	// NewLock says that there was no lock before, so that nothing was released either.
	NewLock bool
}

// File is one file of a plan.
type File struct {
	Path    string // usable from the working folder
	Content []byte
	// Lock tells the lock from the Go files.
	Lock bool
	// Document is the one that it is generated from, as the caller named it.
	Document string
}

// BlockedError is an error about the places where files are read and written: the job could not be done, whatever the documents say.
type BlockedError struct {
	Diagnostics diag.List
}

// Error gives the first obstacle and counts the others.
func (b *BlockedError) Error() string {
	all := b.Diagnostics.All()
	if len(all) == 0 {
		return "generator: blocked"
	}
	text := fmt.Sprintf("generator: %s: %s", all[0].Pos.File, all[0].Message)
	if len(all) > 1 {
		text += fmt.Sprintf(" (and %d more)", len(all)-1)
	}
	return text
}

// blocked gives the list as an error, and nil when it is empty.
func blocked(obstacles diag.List) error {
	if obstacles.Len() == 0 {
		return nil
	}
	return &BlockedError{Diagnostics: obstacles}
}

// Prepare reads the documents and decides everything that Write would do, without writing.
// The list holds whatever is wrong with the documents, of all of them at once; with errors in it the plan is nil.
// The error says that the job could not be done: a file that cannot be read, or a *BlockedError.
func Prepare(documents []string, opts Options) (*Plan, diag.List, error) {
	var findings diag.List
	var obstacles diag.List
	plan := &Plan{opts: opts}
	used := map[string]bool{}
	for _, document := range distinct(documents) {
		u, err := compile(document, opts)
		findings.Append(u.findings)
		if err != nil {
			return nil, findings, err
		}
		maps.Copy(used, u.accepted)
		if u.api == nil || u.findings.HasErrors() {
			continue
		}
		made, found, err := u.make()
		findings.Append(found)
		if err != nil {
			return nil, findings, err
		}
		if found.HasErrors() {
			continue
		}
		stale, found := inspect(u, made)
		obstacles.Append(found)
		obstacles.Append(clashes(plan.Files, made))
		plan.Packages = append(plan.Packages, u.pkg())
		plan.Files = append(plan.Files, made...)
		plan.Stale = append(plan.Stale, stale...)
	}
	if findings.HasErrors() {
		return nil, findings, nil
	}
	for _, name := range opts.Accept {
		if !used[name] {
			return nil, findings, fmt.Errorf("generator: accept %s: nothing that forgets records has changed there", name)
		}
	}
	if err := blocked(obstacles); err != nil {
		return nil, findings, err
	}
	return plan, findings, nil
}

// distinct drops documents that were given twice, in whatever spelling.
func distinct(documents []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, d := range documents {
		clean := filepath.Clean(d)
		if seen[clean] {
			continue
		}
		seen[clean] = true
		out = append(out, d)
	}
	return out
}

// clashes finds files that two documents of one run would both write.
func clashes(earlier, made []File) diag.List {
	owner := map[string]string{}
	for _, f := range earlier {
		owner[filepath.Clean(f.Path)] = f.Document
	}
	var list diag.List
	for _, f := range made {
		if other, ok := owner[filepath.Clean(f.Path)]; ok {
			list.Add(clash(f.Document, other, f.Path))
			return list // one file tells it all
		}
	}
	return list
}

// clash says that two documents share a file, and how to part them.
func clash(document, other, path string) diag.Diagnostic {
	name := stem(document) + "2"
	return diag.Diagnostic{
		Pos: diag.Pos{File: slash(document)}, Code: diag.OutputClash,
		Message: fmt.Sprintf("%s and %s would both write %s; give one of them names of its own with --lock and --out",
			slash(other), slash(document), slash(path)),
		Hint:    shellWords("--lock", name+lockSuffix, "--out", name+"idem"),
		Related: []diag.Related{{Pos: diag.Pos{File: slash(other)}, Message: "the other document"}},
	}
}
