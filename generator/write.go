package generator

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Action says what Write did with a file.
type Action uint8

const (
	Written Action = iota + 1
	Unchanged
	Deleted
)

// Change is what became of one file.
type Change struct {
	Path   string
	Action Action
}

// Write brings the files on disk to what the plan says. Either every file can be staged beside its place, or nothing changes;
// then they are renamed one by one, and stale ones are deleted last. The changes are those that were made, also beside an error,
// which is a *BlockedError.
func (p *Plan) Write() ([]Change, error) {
	var s stage
	for _, f := range p.Files {
		if err := s.add(f); err != nil {
			s.discard()
			return nil, unwritable(f.Path, err)
		}
	}
	return s.commit(p.Stale)
}

// stage holds what is ready to be renamed.
type stage struct {
	steps   []step
	folders []string // created by this run, outermost first
}

// step is one file: staged when temp is set, unchanged otherwise.
type step struct {
	path, temp string
}

// add stages one file unless it is current.
func (s *stage) add(f File) error {
	old, err := os.ReadFile(f.Path)
	if err == nil && sameText(old, f.Content) {
		s.steps = append(s.steps, step{path: f.Path})
		return nil
	}
	if err := s.makeFolder(filepath.Dir(f.Path)); err != nil {
		return err
	}
	temp, err := writeBeside(f)
	if err != nil {
		return err
	}
	s.steps = append(s.steps, step{path: f.Path, temp: temp})
	return nil
}

// makeFolder creates the folder with those above it, and remembers which were new.
func (s *stage) makeFolder(folder string) error {
	if _, err := os.Stat(folder); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if parent := filepath.Dir(folder); parent != folder {
		if err := s.makeFolder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	s.folders = append(s.folders, folder)
	return nil
}

// writeBeside writes the content under a name that the go command ignores, in the folder of its final place: a rename within a
// folder is atomic. The mode of a file that is replaced is kept; a new one gets what the user's mask allows.
func writeBeside(f File) (string, error) {
	temp := filepath.Join(filepath.Dir(f.Path), ".idemgen-"+rand.Text()+".tmp")
	mode := fs.FileMode(0o666)
	info, statErr := os.Lstat(f.Path)
	if statErr == nil && info.Mode().IsRegular() {
		mode = info.Mode().Perm()
	}
	if err := os.WriteFile(temp, f.Content, mode|0o200); err != nil {
		os.Remove(temp)
		return "", err
	}
	if statErr == nil {
		if err := os.Chmod(temp, mode); err != nil {
			os.Remove(temp)
			return "", err
		}
	}
	return temp, nil
}

// commit renames what is staged and deletes what is stale.
func (s *stage) commit(stale []string) ([]Change, error) {
	var done []Change
	for i, st := range s.steps {
		if st.temp == "" {
			done = append(done, Change{Path: st.path, Action: Unchanged})
			continue
		}
		if err := os.Rename(st.temp, st.path); err != nil {
			s.steps = s.steps[i:]
			s.discard()
			return done, unwritable(st.path, err)
		}
		done = append(done, Change{Path: st.path, Action: Written})
	}
	for _, path := range stale {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return done, unwritable(path, err)
		}
		done = append(done, Change{Path: path, Action: Deleted})
	}
	return done, nil
}

// discard takes back what is staged and not renamed. Folders go only when they are empty.
func (s *stage) discard() {
	for _, st := range s.steps {
		if st.temp != "" {
			os.Remove(st.temp)
		}
	}
	for i := len(s.folders) - 1; i >= 0; i-- {
		os.Remove(s.folders[i])
	}
}

func unwritable(path string, err error) error {
	return blocked(one(diag.Diagnostic{
		Pos: diag.Pos{File: slash(path)}, Code: diag.Unwritable, Message: "cannot be written: " + rootCause(err),
	}))
}

// rootCause leaves out the temporary name, which tells the user nothing.
func rootCause(err error) string {
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err.Error()
	}
	return cause(err)
}

// sameText compares a file on disk with what is generated. A checkout may have turned its line ends into CRLF.
func sameText(disk, made []byte) bool {
	return bytes.Equal(disk, made) || bytes.Equal(bytes.ReplaceAll(disk, []byte("\r\n"), []byte("\n")), made)
}
