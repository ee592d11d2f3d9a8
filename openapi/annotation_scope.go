package openapi

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// scope reads a list of terms, or {now, before} while a scope is being changed.
func (r reader) scope(n *yaml.Node) Val[Scope] {
	var scope Scope
	if n.Kind != yaml.MappingNode {
		scope.Now = r.terms(n, "scope")
		return set(r, n, scope)
	}
	var now, before bool
	r.object(n, "scope", []memberReader{
		{"now", func(m member) { now, scope.Now = true, r.terms(m.value, "scope.now") }},
		{"before", func(m member) { before, scope.Before = true, r.terms(m.value, "scope.before") }},
	})
	switch {
	case !now || !before:
		r.reportHint(n, diag.AnnotationScope, "scope: [tenant]",
			"a change of scope names both now and before; a scope that does not change is a list")
	case len(scope.Now) > 0 && slices.EqualFunc(scope.Now, scope.Before, ScopeTerm.same):
		r.report(n, diag.AnnotationScope, "scope.before is the same as scope.now; a record would be claimed twice")
	}
	return set(r, n, scope)
}

func (t ScopeTerm) same(u ScopeTerm) bool { return t.identity() == u.identity() }

// identity is a text that is the same for equal terms. No dimension looks like a field path.
func (t ScopeTerm) identity() string {
	if t.Path != nil {
		return t.Path.identity()
	}
	return t.Dimension
}

func (r reader) terms(n *yaml.Node, what string) []ScopeTerm {
	entries, ok := r.items(n, what, 1)
	if !ok {
		return nil
	}
	var terms []ScopeTerm
	seen := newListed(r, what)
	for _, entry := range entries {
		if term, ok := r.term(entry, what); ok && seen.add(entry, term.identity()) {
			terms = append(terms, term)
		}
	}
	if len(entries) > 1 {
		for _, t := range terms {
			if t.Dimension == ScopeGlobal {
				r.ds.Add(diag.Diagnostic{Pos: t.Pos, Code: diag.AnnotationScope, Hint: lastMember(what) + ": [global]",
					Message: "global stands alone: beside another value it would narrow nothing"})
			}
		}
	}
	return terms
}

// term reads a bare word, which is a dimension, or a field path.
func (r reader) term(n *yaml.Node, what string) (ScopeTerm, bool) {
	pos := r.s.pos(n)
	if !isText(n) {
		r.wrongType(n, "an entry of "+what, "a word such as tenant, or a field path", "")
		return ScopeTerm{}, false
	}
	if looksLikePath(n.Value) {
		path := r.onePath(n, "an entry of "+what)
		return ScopeTerm{Path: &path.Value, Pos: pos}, path.Set
	}
	if !isDimension(n.Value) {
		r.report(n, diag.AnnotationScope,
			"%s is neither a field path nor a word of ASCII letters, digits, _ and - that begins with a letter", quoteText(n.Value))
		return ScopeTerm{}, false
	}
	return ScopeTerm{Dimension: n.Value, Pos: pos}, true
}

func looksLikePath(text string) bool {
	return strings.ContainsAny(text, ".[") || slices.Contains([]string{"body", "path", "query", "header"}, text)
}

// maxDimension is the length of the longest word, in bytes.
const maxDimension = 64

// isDimension holds words that a Go field can be named after.
func isDimension(word string) bool {
	if word == "" || len(word) > maxDimension {
		return false
	}
	for i := range len(word) {
		c := word[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9' || c == '_' || c == '-'
		if !letter && (i == 0 || !digit) {
			return false
		}
	}
	return true
}

// unique reads the field paths of a business key.
func (r reader) unique(n *yaml.Node) Val[[]FieldPath] {
	entries, ok := r.items(n, "unique", 1)
	if !ok {
		return unset[[]FieldPath](r.s.pos(n))
	}
	paths := make([]FieldPath, 0, len(entries))
	seen := newListed(r, "unique")
	for _, entry := range entries {
		if path := r.onePath(entry, "an entry of unique"); path.Set && seen.add(entry, path.Value.identity()) {
			paths = append(paths, path.Value)
		}
	}
	return set(r, n, paths)
}

// listed finds what stands twice in a list.
type listed struct {
	reader
	what string
	at   map[string]*yaml.Node
}

func newListed(r reader, what string) listed { return listed{r, what, map[string]*yaml.Node{}} }

// add reports a second entry with the same identity, at its place and naming the first.
func (l listed) add(n *yaml.Node, identity string) bool {
	before, twice := l.at[identity]
	if !twice {
		l.at[identity] = n
		return true
	}
	d := l.finding(n, diag.AnnotationTwice, "%s has %s twice", l.what, quoteText(n.Value))
	d.Related = []diag.Related{{Pos: l.s.pos(before), Message: "the first one"}}
	l.ds.Add(d)
	return false
}
