package contract

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// ParseLock reads a lock file strictly; file is its name for diagnostics. The lock is nil when anything is wrong with it:
// half a lock would let records get lost.
func ParseLock(data []byte, file string) (*Lock, diag.List) {
	r := &lockReader{file: file}
	root := r.read(data)
	if root == nil {
		return nil, r.found
	}
	lock := r.lock(root)
	if r.found.HasErrors() {
		return nil, r.found
	}
	return lock, r.found
}

type lockReader struct {
	file  string
	found diag.List
}

// read gives the only document of the file.
func (r *lockReader) read(data []byte) *yaml.Node {
	if line := conflictLine(data); line > 0 {
		r.report(diag.Pos{File: r.file, Line: line, Col: 1}, diag.LockConflict, "the lock has an unresolved merge conflict",
			"idemgen generate --merge-lock")
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		r.report(diag.Pos{File: r.file}, diag.LockSyntax, "the lock is empty", "")
		return nil
	case err != nil:
		r.syntax(err)
		return nil
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		r.report(r.pos(&second), diag.LockSyntax, "the lock has more than one document", "")
		return nil
	}
	return doc.Content[0]
}

// conflictLine finds the first marker that a merge left, counted from 1.
func conflictLine(data []byte) int {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		for _, marker := range []string{"<<<<<<< ", "||||||| ", "======= ", ">>>>>>> "} {
			if strings.HasPrefix(strings.TrimRight(string(text), "\r\n")+" ", marker) {
				return line
			}
		}
	}
	return 0
}

func (r *lockReader) syntax(err error) {
	var fault *yaml.LoadError
	if errors.As(err, &fault) {
		r.report(diag.Pos{File: r.file, Line: max(1, fault.Mark.Line), Col: max(1, fault.Mark.Column)}, diag.LockSyntax, "the lock is no YAML: "+oneLine(fault.Message), "")
		return
	}
	r.report(diag.Pos{File: r.file}, diag.LockSyntax, "the lock is no YAML: "+oneLine(err.Error()), "")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (r *lockReader) pos(n *yaml.Node) diag.Pos {
	return diag.Pos{File: r.file, Line: n.Line, Col: n.Column}
}

func (r *lockReader) report(pos diag.Pos, code diag.Code, message, hint string) {
	r.found.Add(diag.Diagnostic{Pos: pos, Code: code, Message: message, Hint: hint})
}

func (r *lockReader) bad(n *yaml.Node, format string, args ...any) {
	r.report(r.pos(n), diag.LockValue, fmt.Sprintf(format, args...), "")
}

// pair is one member of a mapping.
type pair struct{ name, value *yaml.Node }

// mapping gives the members of n. A name that stands twice, an alias and a merge key are findings.
func (r *lockReader) mapping(n *yaml.Node, what string) []pair {
	if n.Kind != yaml.MappingNode {
		r.bad(n, "%s is no mapping", what)
		return nil
	}
	var out []pair
	first := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if name.Kind != yaml.ScalarNode || value.Kind == yaml.AliasNode || name.Tag == "!!merge" {
			r.bad(name, "%s has an alias or a name that is no text", what)
			continue
		}
		if before := first[name.Value]; before != nil {
			r.found.Add(diag.Diagnostic{Pos: r.pos(name), Code: diag.LockTwice, Message: fmt.Sprintf("%s has %q twice", what, name.Value),
				Related: []diag.Related{{Pos: r.pos(before), Message: "the first one"}}})
			continue
		}
		first[name.Value] = name
		out = append(out, pair{name, value})
	}
	return out
}

// record reads a mapping whose members are known. A member that is not is a finding, and so is one of demanded that is missing.
func (r *lockReader) record(n *yaml.Node, what string, members map[string]func(*yaml.Node), demanded ...string) {
	have := map[string]bool{}
	for _, p := range r.mapping(n, what) {
		read, ok := members[p.name.Value]
		if !ok {
			r.report(r.pos(p.name), diag.LockMember, fmt.Sprintf("%s has a member %q that this idemgen does not know", what, p.name.Value), "use the idemgen that wrote the lock")
			continue
		}
		have[p.name.Value] = true
		read(p.value)
	}
	for _, name := range demanded {
		if !have[name] && n.Kind == yaml.MappingNode {
			r.report(r.pos(n), diag.LockMember, what+" has no "+name, "")
		}
	}
}

// scalar reads a text that form allows.
func (r *lockReader) scalar(to *string, what string, form func(string) bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || !form(n.Value) {
			r.bad(n, "%s cannot be %q", what, oneLine(n.Value))
			return
		}
		*to = n.Value
	}
}

// list reads texts that form allows.
func (r *lockReader) list(to *[]string, what string, form func(string) bool) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			r.bad(n, "%s is no list", what)
			return
		}
		for _, item := range n.Content {
			var text string
			r.scalar(&text, what, form)(item)
			*to = append(*to, text)
		}
	}
}
