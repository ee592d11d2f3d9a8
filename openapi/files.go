package openapi

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"github.com/idemgen/idemgen/openapi/diag"
)

// folder is how files are reached: the file system, or a test's map. Names have forward slashes.
type folder interface {
	read(name string) ([]byte, error)
	names(dir string) []string // for hints; nil when the directory cannot be listed
}

// disk is the file system, relative names from the current directory.
type disk struct{}

// read gives at most one byte more than parseSource accepts, so that an endless file ends.
func (disk) read(name string) ([]byte, error) {
	f, err := os.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, &os.PathError{Op: "read", Path: name, Err: errors.New("is a directory")}
	}
	return io.ReadAll(io.LimitReader(f, maxFileBytes+1))
}

func (disk) names(dir string) (out []string) {
	list, err := os.ReadDir(filepath.FromSlash(dir))
	if err != nil {
		return nil
	}
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

// layered puts texts over another folder.
type layered struct {
	folder
	texts map[string][]byte // by cleaned name
}

func newLayered(below folder, texts map[string][]byte) layered {
	l := layered{folder: below, texts: map[string][]byte{}}
	for name, text := range texts {
		l.texts[path.Clean(filepath.ToSlash(name))] = text
	}
	return l
}

func (l layered) read(name string) ([]byte, error) {
	if text, ok := l.texts[path.Clean(name)]; ok {
		return text, nil
	}
	return l.folder.read(name)
}

// files holds every file of a document, each read and parsed once.
type files struct {
	folder
	ds   *diag.List
	open map[string]*openFile // by cleaned name
}

type openFile struct {
	s   *source // nil when it could not be read or parsed
	err error
}

// load gives the parsed file. A file that cannot be read is an error; what is wrong inside it goes to the list, once.
func (f *files) load(name string) (*source, error) {
	key := path.Clean(name)
	if got, ok := f.open[key]; ok {
		return got.s, got.err
	}
	got := &openFile{}
	f.open[key] = got
	data, err := f.read(name)
	if err != nil {
		got.err = fmt.Errorf("openapi: read %s: %w", name, cause(err))
		return nil, got.err
	}
	s, found := parseSource(name, data)
	f.ds.Append(found)
	got.s = s
	return s, nil
}

// cause is an error of the file system without the path, which stands in the message already.
func cause(err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
