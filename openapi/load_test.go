package openapi

import (
	"io/fs"
	"path"
)

// memory is a folder of texts.
type memory map[string]string

func (m memory) read(name string) ([]byte, error) {
	if text, ok := m[path.Clean(name)]; ok {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (m memory) names(dir string) (out []string) {
	for name := range m {
		if path.Dir(name) == path.Clean(dir) {
			out = append(out, path.Base(name))
		}
	}
	return out
}
