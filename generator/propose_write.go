package generator

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Write puts the files where they belong, all or none. An overlay never replaces a file: people edit it. One that has the same bytes
// already is unchanged. The error is a *BlockedError.
func (p *Proposal) Write() ([]Change, error) {
	if len(p.Files) == 0 {
		return nil, nil
	}
	if !p.inPlace {
		return p.create(p.Files[0])
	}
	var s stage
	for _, f := range p.Files {
		if err := p.stage(&s, f); err != nil {
			s.discard()
			return nil, unwritable(f.Path, err)
		}
	}
	return s.commit(nil)
}

// stage takes a document that is edited. Behind a symbolic link the file itself is replaced, not the link.
func (p *Proposal) stage(s *stage, f File) error {
	path, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, p.before[f.Path]) {
		return errors.New("it has been changed since it was read")
	}
	f.Path = path
	return s.add(f)
}

// create writes a file that is not there yet.
func (p *Proposal) create(f File) ([]Change, error) {
	if there, err := os.ReadFile(f.Path); err == nil && sameText(there, f.Content) {
		return []Change{{Path: f.Path, Action: Unchanged}}, nil
	}
	file, err := os.OpenFile(f.Path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, p.exists(f.Path)
	}
	if err != nil {
		return nil, unwritable(f.Path, err)
	}
	_, err = file.Write(f.Content)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(f.Path) // it is ours, and half a file
		return nil, unwritable(f.Path, err)
	}
	return []Change{{Path: f.Path, Action: Written}}, nil
}

// exists says how to get the rest proposed beside what stands at path.
func (p *Proposal) exists(path string) error {
	words := []string{"idemgen", "init", slash(p.Document)}
	overlays := p.overlays
	if !slices.ContainsFunc(overlays, func(o string) bool { return filepath.Clean(o) == filepath.Clean(path) }) {
		overlays = append(slices.Clone(overlays), path)
	}
	for _, o := range overlays {
		words = append(words, "--overlay", slash(o))
	}
	words = append(words, "--out", slash(filepath.Join(filepath.Dir(path), stem(p.Document)+".more.overlay.yaml")))
	return blocked(one(diag.Diagnostic{
		Pos: diag.Pos{File: slash(path)}, Code: diag.ProposalExists, Hint: shellWords(words...),
		Message: fmt.Sprintf("%s exists and is not replaced: it may hold what somebody decided", slash(path)),
	}))
}
