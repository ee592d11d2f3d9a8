package server

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// ImportPath is how the package of a folder is imported: the path of the module around it, and the way from there. The folder need not
// exist. The error says that there is no module.
func ImportPath(folder string) (string, error) {
	at, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("server: import path of %s: %w", filepath.ToSlash(folder), err)
	}
	for rest := ""; ; {
		data, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil {
			if module := modfile.ModulePath(data); module != "" {
				return path.Join(module, rest), nil
			}
		}
		above := filepath.Dir(at)
		if above == at {
			return "", fmt.Errorf("server: import path of %s: no go.mod in it or above", filepath.ToSlash(folder))
		}
		rest = path.Join(filepath.Base(at), rest)
		at = above
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// MayImport reports whether a package may import another one, as far as internal folders say.
func MayImport(from, imported string) bool {
	i := strings.LastIndex("/"+imported+"/", "/internal/")
	if i < 0 {
		return true
	}
	root := strings.TrimSuffix(imported[:i], "/")
	return i == 0 || from == root || strings.HasPrefix(from, root+"/")
}
