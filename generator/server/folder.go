package server

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// ImportPath is how the package of a folder is imported: the path of the module around it, and the way from there. The folder need not
// exist; without a module it cannot be imported.
func ImportPath(folder string) (importPath string, ok bool) {
	at, err := filepath.Abs(folder)
	if err != nil {
		return "", false
	}
	for rest := ""; ; {
		data, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil {
			if module := modfile.ModulePath(data); module != "" {
				return path.Join(module, rest), true
			}
		}
		above := filepath.Dir(at)
		if above == at {
			return "", false
		}
		rest = path.Join(filepath.Base(at), rest)
		at = above
	}
}

// Importable says why a path cannot be imported: Go allows few characters in it.
func Importable(importPath string) error {
	return module.CheckImportPath(importPath) //nolint:wrapcheck // it names the path, and callers say the rest
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
