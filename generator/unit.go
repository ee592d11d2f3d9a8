package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/generator/gogen"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

const lockSuffix = ".idempotency.lock.yaml"

// unit is one document on its way to files.
type unit struct {
	document string
	opts     Options
	lock     *contract.Lock  // what the lock file held; nil without one, and where it cannot be read
	unread   bool            // there is a lock file, and it cannot be read
	base     base            // what is released
	merged   *contract.Lock  // the lock that was joined of two sides; nil when there was no conflict
	accepted map[string]bool // names of opts.Accept that were needed
	doc      *openapi.Document
	api      *contract.API
	binding  *gogen.Binding // nil: none is generated
	findings diag.List
}

// compile reads the document and its lock, builds the contracts and asks the rules. What is wrong with them, as the policy judges it, is in
// the unit's findings.
func compile(document string, opts Options) (*unit, error) {
	u := &unit{document: document, opts: opts.of(document), accepted: map[string]bool{}}
	api, err := u.read()
	if err == nil {
		u.review(api)
	}
	return u, err
}

// read gives the contracts as far as they could be built; those of the unit are there only if all could.
func (u *unit) read() (*contract.API, error) {
	doc, found, err := openapi.Load(u.document, u.opts.load())
	u.findings.Append(found)
	if err != nil {
		return nil, err // it names the room and the file
	}
	u.doc = doc
	if u.base, err = u.released(); err != nil {
		return nil, err
	}
	if err := u.readLock(); err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, nil
	}
	if len(doc.Operations) == 0 {
		if !u.findings.HasErrors() {
			u.findings.Add(u.noOperations())
		}
		return nil, nil
	}
	api, found := contract.Build(doc, u.contractOptions())
	u.findings.Append(found)
	switch {
	case u.findings.HasErrors():
	case api == nil || len(api.Contracts) == 0:
		u.findings.Add(u.allLeftOut())
	default:
		u.api = api
	}
	return api, nil
}

func (u *unit) contractOptions() contract.Options {
	released := u.base.lock
	if u.unread { // else all that is released would be missing from the lock, and the one thing that is wrong would drown in it
		released = nil
	}
	return contract.Options{
		Base: stem(u.document), Package: u.opts.Package, Extension: u.opts.Extension, SkipUnsupported: u.opts.SkipUnsupported,
		Lock: u.lock, Released: released, Accept: u.opts.Accept, Reason: u.opts.Reason, Used: u.accepted, Comparing: u.opts.comparing,
		Partial: u.findings.HasErrors(),
	}
}

// readLock parses the lock file where there is one.
func (u *unit) readLock() error {
	path := u.lockPath()
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !info.Mode().IsRegular(): // a pipe would wait for ever
		return blocked(one(notRegular(path, kindOf(info.Mode()))))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("generator: read lock: %w", err)
	}
	if u.opts.MergeLock {
		if data, err = u.mergeLock(data); err != nil {
			return err
		}
	}
	lock, found := contract.ParseLock(data, slash(path))
	if u.merged != nil {
		lock = u.merged
	}
	if lock != nil && u.opts.prune != nil {
		if err := u.opts.prune(u.document, lock); err != nil {
			return err
		}
	}
	u.lock, u.unread = lock, lock == nil
	u.findings.Append(found)
	return nil
}

// make gives the unit's files: those of the contract, then the binding.
func (u *unit) make() ([]File, diag.List, error) {
	files, err := u.emit()
	if err != nil {
		return nil, diag.List{}, err
	}
	found, err := u.bind(files)
	if err != nil || found.HasErrors() {
		return nil, found, err
	}
	binding, err := u.bindingFile()
	return append(files, binding...), found, err
}

// emit gives the files of the contract: the lock first, then the Go files by name.
func (u *unit) emit() ([]File, error) {
	made, err := gogen.Generate(u.api, filepath.Base(u.document))
	if err != nil {
		return nil, fmt.Errorf("generator: emit %s: %w", slash(u.document), err)
	}
	lock := contract.EncodeLock(u.api)
	if err := contract.CheckLock(u.api, lock); err != nil {
		return nil, fmt.Errorf("generator: emit %s: %w", slash(u.document), err)
	}
	files := []File{{Path: u.lockPath(), Content: lock, Lock: true, Document: u.document}}
	for _, f := range made {
		if f.Name != filepath.Base(f.Name) {
			return nil, fmt.Errorf("generator: emit %s: %q is no file name", slash(u.document), f.Name)
		}
		files = append(files, File{Path: filepath.Join(u.out(), f.Name), Content: f.Content, Document: u.document})
	}
	return files, nil
}

func (u *unit) pkg() Package {
	return Package{
		Binding:  u.bound(),
		Document: u.document, Name: u.api.Package, Out: u.out(), Lock: u.lockPath(), Operations: len(u.api.Contracts),
		Notes: contract.Notes(u.api, u.lock), Unseen: u.base.unseen, NewLock: u.lock == nil && !u.base.lost,
	}
}

// out is the folder of the generated package. Beside the document it has the package's name, so that any file name gives
// a folder that Go can import.
func (u *unit) out() string {
	if u.opts.Out != "" {
		return u.opts.Out
	}
	return u.defaultOut()
}

func (u *unit) defaultOut() string { return filepath.Join(filepath.Dir(u.document), u.api.Package) }

func (u *unit) lockPath() string {
	if u.opts.Lock != "" {
		return u.opts.Lock
	}
	return filepath.Join(filepath.Dir(u.document), stem(u.document)+lockSuffix)
}

func (u *unit) noOperations() diag.Diagnostic {
	message := "no operation carries " + u.opts.extension()
	if n := len(u.doc.Exempt); n > 0 {
		message += fmt.Sprintf(" (%d exempt)", n)
	}
	return diag.Diagnostic{
		Pos: diag.Pos{File: slash(u.document)}, Code: diag.NoOperations, Message: message,
		Hint: u.opts.extension() + ":\n  scope: [tenant]\n# or let idemgen init " + slash(u.document) + " propose annotations",
	}
}

func (u *unit) allLeftOut() diag.Diagnostic {
	return diag.Diagnostic{
		Pos: diag.Pos{File: slash(u.document)}, Code: diag.AllLeftOut,
		Message: fmt.Sprintf("nothing is left to generate: annotated operations %d, left out %[1]d", len(u.doc.Operations)),
	}
}

// stem is the file name without its extension: what packages and locks are named after.
func stem(document string) string {
	name := filepath.Base(document)
	if base := strings.TrimSuffix(name, filepath.Ext(name)); base != "" {
		return base
	}
	return strings.TrimLeft(name, ".") // .yaml has no other name
}

// slash is how a path stands in a diagnostic: as the caller named it, with forward slashes.
func slash(path string) string { return filepath.ToSlash(path) }

func one(d diag.Diagnostic) diag.List {
	var list diag.List
	list.Add(d)
	return list
}
