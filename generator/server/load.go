package server

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/idemgen/idemgen/openapi/diag"
)

// loadMode reads export data: syntax and the types of what is imported would take seconds.
const loadMode = packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedFiles | packages.NeedModule

// Query says which package is read, and for what.
type Query struct {
	// Pattern is a folder relative to the working folder (./internal/api), or an import path, which is looked up from the document's folder.
	Pattern  string
	Document string
	// Binding is the import path of the package that will import the server; empty when it is not known.
	Binding string
	// Overlay are the files that are about to be written, by absolute path: they are read in place of what is on disk.
	Overlay map[string][]byte
}

// Load reads the server in a package. The package is nil when the list has errors. The error says that the go command cannot be run.
func Load(q Query) (*Package, diag.List, error) {
	var found diag.List
	pattern := q.Pattern
	if !IsFolder(pattern) && isDir(pattern) {
		pattern = "./" + filepath.ToSlash(pattern)
	}
	folder, query := filepath.Dir(q.Document), pattern
	if IsFolder(pattern) {
		folder, query = pattern, "."
	}
	at := diag.Pos{File: filepath.ToSlash(q.Document)}
	missing := func(format string, args ...any) (*Package, diag.List, error) {
		found.Add(diag.Diagnostic{Pos: at, Code: diag.ServerMissing, Message: fmt.Sprintf(format, args...), Hint: "--server ./folder/of/the/server, or --server none"})
		return nil, found, nil
	}
	if strings.Contains(pattern, "...") {
		return missing("--server %s names many packages; it takes one", pattern)
	}
	if IsFolder(pattern) && !isDir(pattern) {
		return missing("the server's folder %s is not there", filepath.ToSlash(pattern))
	}
	loaded, err := packages.Load(&packages.Config{Mode: loadMode, Dir: folder, Overlay: q.Overlay}, query)
	if err != nil {
		return nil, found, fmt.Errorf("server: load %s: %w", filepath.ToSlash(pattern), inOneLine(err))
	}
	if len(loaded) != 1 {
		return missing("the server %s names %d packages; it takes one", filepath.ToSlash(pattern), len(loaded))
	}
	pkg := loaded[0]
	if len(pkg.GoFiles) == 0 || pkg.Name == "" {
		return missing("there is no Go package in %s%s", filepath.ToSlash(pattern), cause(pkg.Errors))
	}
	if _, cycle := pkg.Imports[q.Binding]; cycle {
		found.Add(circular(at, pattern, q.Binding))
		return nil, found, nil
	}
	if broken := brokenBy(pkg.Errors, at, pattern); broken.Len() > 0 {
		return nil, broken, nil
	}
	return read(pkg, pattern, at)
}

// circular says that the server and its binding need each other.
func circular(at diag.Pos, pattern, how string) diag.Diagnostic {
	return diag.Diagnostic{
		Pos: at, Code: diag.ServerUnreachable, Hint: "call bind.New in another package, package main say",
		Message: fmt.Sprintf("the server %s imports its own binding, which has to import it: %s", filepath.ToSlash(pattern), how),
	}
}

// cycle is what the go command says of packages that import each other.
var cycle = regexp.MustCompile(`^import cycle not allowed: import stack: \[(.+)\]$`)

// IsFolder reports whether a pattern names a folder. Everything else is an import path.
func IsFolder(pattern string) bool {
	return filepath.IsAbs(pattern) || pattern == "." || pattern == ".." || strings.HasPrefix(filepath.ToSlash(pattern), "./") ||
		strings.HasPrefix(filepath.ToSlash(pattern), "../")
}

// inOneLine is what the go command says, without its line breaks.
func inOneLine(err error) error {
	return errors.New(strings.Join(strings.Fields(err.Error()), " "))
}

// cause is what the go command says of a package that is none.
func cause(errs []packages.Error) string {
	for _, e := range errs {
		if line, _, _ := strings.Cut(e.Msg, "\n"); line != "" && !strings.Contains(line, " "+string(filepath.Separator)) { // no absolute path
			return ": " + line
		}
	}
	return ""
}

// compilerLine is one finding in the compiler's summary: api/a.go:3:10: undefined: Foo
var compilerLine = regexp.MustCompile(`^(.+\.go):(\d+):(\d+): (.+)$`)

// brokenBy makes findings of a package's errors, each at its place. The compiler's summary repeats what the type checker says, so that it
// counts only where nothing else has a place.
func brokenBy(errs []packages.Error, at diag.Pos, pattern string) diag.List {
	var placed, rest diag.List
	for _, e := range errs {
		pos, ok := place(e.Pos)
		if !ok {
			rest.Append(summary(e.Msg, at, pattern))
			continue
		}
		placed.Add(broken(pos, e.Msg, pattern))
	}
	if placed.Len() > 0 {
		return placed
	}
	return rest
}

func summary(text string, at diag.Pos, pattern string) (list diag.List) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := compilerLine.FindStringSubmatch(line); m != nil {
			if pos, ok := place(m[1] + ":" + m[2] + ":" + m[3]); ok {
				list.Add(broken(pos, m[4], pattern))
				continue
			}
		}
		if m := cycle.FindStringSubmatch(line); m != nil {
			list.Add(circular(at, pattern, strings.ReplaceAll(m[1], " ", " → ")))
			continue
		}
		if line != "" && !strings.HasPrefix(line, "#") {
			list.Add(broken(at, line, pattern))
		}
	}
	return list
}

// noExport is what go/packages says of an import that the module does not have.
var noExport = regexp.MustCompile(`^could not import (\S+) \(.*\)$`)

func broken(pos diag.Pos, message, pattern string) diag.Diagnostic {
	d := diag.Diagnostic{Pos: pos, Code: diag.ServerBroken}
	if m := noExport.FindStringSubmatch(message); m != nil {
		message, d.Hint = "cannot import "+m[1], "go get "+m[1]
	}
	d.Message = fmt.Sprintf("the server package %s does not compile: %s", filepath.ToSlash(pattern), message)
	return d
}

// place reads file:line:col. Files are named from the working folder.
func place(text string) (diag.Pos, bool) {
	rest, col, ok := cutNumber(text)
	if !ok {
		return diag.Pos{}, false
	}
	file, line, ok := cutNumber(rest)
	if !ok { // file:line
		file, line, col = rest, col, 1
	}
	if !strings.HasSuffix(file, ".go") {
		return diag.Pos{}, false
	}
	return diag.Pos{File: relative(file), Line: line, Col: max(col, 1)}, true
}

func cutNumber(text string) (rest string, number int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, 0, false
	}
	number, err := strconv.Atoi(text[i+1:])
	return text[:i], number, err == nil
}

// relative names a file from the working folder.
func relative(file string) string {
	if !filepath.IsAbs(file) {
		return filepath.ToSlash(file)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		return filepath.ToSlash(file)
	}
	rel, err := filepath.Rel(here, file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}
