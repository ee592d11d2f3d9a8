package openapi

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// blockPlace is where a block of the annotation stands (ANNOTATION section 1).
type blockPlace uint8

const (
	onOperation blockPlace = iota + 1
	onPathItem
	onRoot
)

// decodeAnnotation reads the block of one operation as written: nothing is inherited and nothing is defaulted.
// n is the value of the extension. Everything that is wrong with it goes to ds.
func decodeAnnotation(s *source, n *yaml.Node, ds *diag.List) Annotation {
	return newBlock(s, ds, n, onOperation).decode(n)
}

// decodePathDefaults reads the block of a path item: defaults for the operations below, opting nothing in.
func decodePathDefaults(s *source, n *yaml.Node, ds *diag.List) Annotation {
	return newBlock(s, ds, n, onPathItem).decode(n)
}

// decodeDefaults reads the block at the document's root: defaults for every operation, and in `operations`
// the blocks of operations by operationId, for those that live in another file.
func decodeDefaults(s *source, n *yaml.Node, ds *diag.List) (defaults Annotation, operations map[string]Annotation) {
	b := newBlock(s, ds, n, onRoot)
	defaults = b.decode(n)
	return defaults, b.operations
}

// block decodes one x-idempotency value.
type block struct {
	reader
	place      blockPlace
	ann        Annotation
	operations map[string]Annotation
	exempt     *yaml.Node // the key of the member exempt
}

// newBlock gives the block a list of its own, so that what it reports can be weighed before it is passed on.
func newBlock(s *source, to *diag.List, n *yaml.Node, place blockPlace) *block {
	return &block{reader: reader{s: s, ds: to}, place: place, ann: newAnnotation(s.pos(n))}
}

// decode reads n and passes on what is wrong with it.
func (b *block) decode(n *yaml.Node) Annotation {
	to := b.ds
	b.ds = &diag.List{}
	if n.Kind == yaml.MappingNode {
		b.longForm(n)
	} else {
		b.shortForm(n)
	}
	b.ann.Broken = b.ds.HasErrors()
	to.Append(*b.ds)
	b.ds = to
	return b.ann
}

// shortForms are the words, and the booleans that public documents use for them.
var shortForms = map[string]Mode{
	"required": ModeRequired, "true": ModeRequired, "optional": ModeOptional, "exempt": ModeExempt, "false": ModeExempt,
}

func (b *block) shortForm(n *yaml.Node) {
	word := n.Value
	isBool := n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool"
	if isBool {
		word = lowerASCII(word)
	}
	mode, known := shortForms[word]
	known = known && (isBool || isText(n) && word != "true" && word != "false")
	switch {
	case known && b.place != onOperation:
		b.report(n, diag.AnnotationDefaultsForm,
			"%s is said of an operation; here stand defaults for the operations below, as an object", n.Value)
	case known:
		b.ann.Mode = set(b.reader, n, mode)
	default:
		b.unknownForm(n)
	}
}

func (b *block) unknownForm(n *yaml.Node) {
	if b.place != onOperation {
		b.report(n, diag.AnnotationForm, "defaults must be an object, not %s", kindName(n))
		return
	}
	words := []string{"required", "optional", "exempt"}
	hint := words[0]
	if near, ok := diag.Nearest(n.Value, words); ok && n.Kind == yaml.ScalarNode {
		hint = near
	}
	b.reportHint(n, diag.AnnotationForm, hint,
		"an annotation must be required, optional, exempt, true, false or an object, not %s", kindName(n))
}

// longForm reads an object. Known members come first, so that another tool's object is recognised by having none.
func (b *block) longForm(n *yaml.Node) {
	b.ann.Mode = Val[Mode]{Value: ModeObject, Pos: b.ann.Pos, Set: true}
	members, _ := b.members(n, "the annotation", nil)
	known := b.known()
	var unknown []member
	familiar := false
	for _, m := range members {
		r := findMember(known, m.name)
		if r == nil {
			unknown = append(unknown, m)
			continue
		}
		before := b.ds.Len()
		r.read(m)
		// key is the one name that other tools have too, with values that are no field path.
		familiar = familiar || m.name != "key" || b.ds.Len() == before
	}
	names := memberNames(b.allowed(known))
	if !familiar && slices.ContainsFunc(unknown, func(m member) bool { return !misspelt(m.name, names) }) {
		b.foreign(n, members, names)
		return
	}
	for _, m := range unknown {
		b.unknownMember(m, "the annotation", names)
	}
	if b.exempt != nil && len(members) > 1 {
		b.reportHint(b.exempt, diag.AnnotationExempt, "exempt: why",
			"exempt stands alone: an operation that is not idempotent has no other members")
	}
}

// allowed leaves out the members that would be refused in this place, so that no message recommends them.
func (b *block) allowed(known []memberReader) []memberReader {
	return slices.DeleteFunc(slices.Clone(known), func(m memberReader) bool {
		if b.place == onOperation {
			return m.name == "operations"
		}
		return m.name == "name" || m.name == "exempt" || m.name == "operations" && b.place != onRoot
	})
}

func misspelt(name string, names []string) bool {
	_, near := diag.Nearest(name, names)
	return near
}

// foreign replaces everything found so far by one diagnostic: the object speaks another tool's language.
func (b *block) foreign(n *yaml.Node, members []member, names []string) {
	*b.ds = diag.List{}
	ann := newAnnotation(b.ann.Pos)
	ann.Mode = b.ann.Mode
	b.ann, b.operations = ann, nil
	has := make([]string, len(members))
	for i, m := range members {
		has[i] = m.name
	}
	at := n
	if len(members) > 0 {
		at = members[0].key
	}
	b.report(at, diag.AnnotationForeign, "this object belongs to another tool (it has %s); the members known here are %s",
		quoteList(has), strings.Join(names, ", "))
}

func quoteList(words []string) string {
	const most = 5
	shown := make([]string, 0, most+1)
	for i, w := range words {
		if i == most {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, quoteText(w))
	}
	return strings.Join(shown, ", ")
}

// readOperations reads the member `operations` of the root block.
func (b *block) readOperations(m member) {
	if b.place != onRoot {
		b.report(m.key, diag.AnnotationOperationOnly, "operations stands only in the block at the document's root")
		return
	}
	entries, ok := b.members(m.value, "operations", nil)
	if !ok {
		return
	}
	b.operations = make(map[string]Annotation, len(entries))
	for _, e := range entries {
		block := decodeAnnotation(b.s, e.value, b.ds)
		block.Entry = e.name
		b.operations[e.name] = block
	}
}
