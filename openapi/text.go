package openapi

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Text is a file that is edited member by member: what is not edited keeps its bytes, in YAML and in JSON.
type Text struct {
	s     *source
	bom   []byte
	data  []byte
	lines []int // offsets of the lines' beginnings
	json  bool
	end   string // of a line
	edits []textEdit

	added    map[nodeAt][]string // names of the members that come to objects
	appended map[nodeAt]int      // elements that come to lists
	rewrites map[nodeAt]string
	filled   map[nodeAt]int // the edits that fill empty JSON values, by their index
	faults   []string
}

// nodeAt tells nodes apart by their places. What aliases repeat has one.
type nodeAt struct {
	line, col int
	kind      yaml.Kind
}

func atOf(n *yaml.Node) nodeAt { return nodeAt{n.Line, n.Column, n.Kind} }

// textEdit replaces data[from:to]. Of those that begin at one place the deeper one comes first: its object ends there, inside of the other's.
type textEdit struct {
	from, to int
	text     string
	depth    int
}

// ErrNotEditable says that a document is written in a way in which it cannot be edited as text.
var ErrNotEditable = errors.New("openapi: the document cannot be edited as text")

// ParseText reads the text of one file. It fails for one that cannot be parsed.
func ParseText(file string, data []byte) (*Text, error) {
	s, found := parseSource(file, data)
	if s == nil || found.HasErrors() {
		return nil, fmt.Errorf("%w: %s has errors", ErrNotEditable, s.name(file))
	}
	t := &Text{s: s, data: bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")), lines: []int{0}, end: "\n",
		added: map[nodeAt][]string{}, appended: map[nodeAt]int{}, rewrites: map[nodeAt]string{}, filled: map[nodeAt]int{}}
	t.bom = data[:len(data)-len(t.data)]
	for i, c := range t.data {
		if c == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	if bytes.Contains(t.data, []byte("\r\n")) {
		t.end = "\r\n"
	}
	_, fault := parseJSON(t.data, func(*yaml.Node, *yaml.Node) {})
	t.json = fault == nil
	return t, nil
}

func (s *source) name(file string) string {
	if s != nil {
		return s.file
	}
	return file
}

// Spot is a value in a text, or none.
type Spot struct {
	t    *Text
	node *yaml.Node
	key  *yaml.Node // of a member
}

// Root is the whole document.
func (t *Text) Root() Spot { return Spot{t: t, node: t.s.root} }

// Exists reports whether there is a value.
func (s Spot) Exists() bool { return s.node != nil }

// IsObject reports whether there is an object.
func (s Spot) IsObject() bool { return isObject(s.node) }

// String is a scalar's text; empty for anything else.
func (s Spot) String() string { return scalar(s.node) }

// Member gives an object's member.
func (s Spot) Member(name string) Spot {
	key, value := entry(s.node, name)
	return Spot{t: s.t, node: value, key: key}
}

// Members gives an object's members in their order, by name.
func (s Spot) Members() (names []string, values []Spot) {
	for key, value := range entries(s.node) {
		names, values = append(names, key.Value), append(values, Spot{t: s.t, node: value, key: key})
	}
	return names, values
}

// Elements gives a list's elements.
func (s Spot) Elements() (out []Spot) {
	for _, n := range items(s.node) {
		out = append(out, Spot{t: s.t, node: n})
	}
	return out
}

// Target follows references within the file. It is no value where one leads elsewhere.
func (s Spot) Target() Spot {
	for range 100 { // more are a circle
		ref := refOf(s.node)
		if ref == nil {
			return s
		}
		pointer, ok := strings.CutPrefix(scalar(ref), "#/")
		if !ok {
			break
		}
		s = s.t.Root()
		for step := range strings.SplitSeq(pointer, "/") {
			s = s.Member(strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
		}
	}
	return Spot{t: s.t}
}

// Apply gives the edited text. It fails with ErrNotEditable, and never gives a text that says anything but what the document said and what
// was added to it.
func (t *Text) Apply() ([]byte, error) {
	if len(t.faults) > 0 {
		return nil, fmt.Errorf("%w: %s: %s", ErrNotEditable, t.s.file, t.faults[0])
	}
	slices.SortStableFunc(t.edits, func(a, b textEdit) int { return cmp.Or(a.from-b.from, b.depth-a.depth) })
	out, at := slices.Clone(t.bom), 0
	for _, e := range t.edits {
		if e.from < at {
			return nil, fmt.Errorf("%w: %s: two edits meet", ErrNotEditable, t.s.file)
		}
		out = append(out, t.data[at:e.from]...)
		out = append(out, e.text...)
		at = e.to
	}
	out = append(out, t.data[at:]...)
	after, found := parseSource(t.s.file, out)
	if after == nil || found.HasErrors() || !t.holds(t.s.root, after.root) {
		return nil, fmt.Errorf("%w: %s: the additions would change what stands there", ErrNotEditable, t.s.file)
	}
	return out, nil
}

// holds reports whether b says what a says, with the edits and nothing else.
func (t *Text) holds(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.ShortTag() != b.ShortTag() {
		return false
	}
	switch a.Kind {
	case yaml.MappingNode:
		return t.holdsMembers(a, b)
	case yaml.SequenceNode:
		if len(b.Content) != len(a.Content)+t.appended[atOf(a)] {
			return false
		}
		return slices.EqualFunc(a.Content, b.Content[:len(a.Content)], t.holds)
	case yaml.ScalarNode, yaml.DocumentNode, yaml.AliasNode, yaml.StreamNode:
	}
	if text, ok := t.rewrites[atOf(a)]; ok {
		return b.Value == text
	}
	return a.Value == b.Value
}

func (t *Text) holdsMembers(a, b *yaml.Node) bool {
	added := t.added[atOf(a)]
	if len(b.Content) != len(a.Content)+2*len(added) {
		return false
	}
	next := 0
	for key, value := range entries(b) {
		if next < len(a.Content) && a.Content[next].Value == key.Value {
			if !t.holds(a.Content[next+1], value) {
				return false
			}
			next += 2
			continue
		}
		if !slices.Contains(added, key.Value) {
			return false
		}
	}
	return next == len(a.Content)
}

func (t *Text) refuse(n *yaml.Node, why string) {
	t.faults = append(t.faults, fmt.Sprintf("line %d: %s", n.Line, why))
}

// offset is where a node begins.
func (t *Text) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line > len(t.lines) {
		return len(t.data)
	}
	return min(t.lines[n.Line-1]+n.Column-1, len(t.data))
}
