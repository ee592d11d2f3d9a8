package config

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Name is the configuration file's.
const Name = "idemgen.yaml"

// None is given in place of a file by who wants no configuration.
const None = "none"

// Open reads the configuration of a run: the file that is given, else the one that [Find] finds. It is nil where there is none.
func Open(file string, documents []string) (*Config, diag.List, error) {
	switch file {
	case None:
		return nil, diag.List{}, nil
	case "":
		found, err := Find(documents)
		if err != nil || found == "" {
			return nil, diag.List{}, err
		}
		file = found
	}
	return Load(file)
}

// Find looks for the configuration file beside the documents, then in the working folder and, within a git repository, in the folders above
// it up to the repository's root. It is empty where there is none.
func Find(documents []string) (string, error) {
	var beside string
	for _, document := range documents {
		file := filepath.Join(filepath.Dir(document), Name)
		switch {
		case !isFile(file):
		case beside == "" || sameFile(beside, file):
			beside = file
		default:
			return "", fmt.Errorf("config: find %s: both %s and %s stand beside a document; say which one with --config", Name, filepath.ToSlash(beside), filepath.ToSlash(file))
		}
	}
	if beside != "" {
		return beside, nil
	}
	above := levelsToRoot()
	folder := "."
	for range above + 1 {
		if file := filepath.Join(folder, Name); isFile(file) {
			return file, nil
		}
		folder = filepath.Join(folder, "..")
	}
	return "", nil
}

// levelsToRoot is how many folders above the working folder the root of its git repository is; 0 where there is none.
func levelsToRoot() int {
	folder := "."
	for level := 0; ; level++ {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return level
		}
		above := filepath.Join(folder, "..")
		if sameFile(folder, above) {
			return 0
		}
		folder = above
	}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// sameFile reports whether both exist and are one. What cannot be looked at ends a search like the top of the tree.
func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX != nil || errY != nil || os.SameFile(x, y)
}
