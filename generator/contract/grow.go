package contract

import (
	"slices"

	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// A contract has at most so many lines, and a body at most so many levels: what nobody reviews and no program should unfold.
const (
	maxLines = 5000
	maxDepth = 64
)

// line is a field's line before it is text: an object's policy is compared with the contract's own at the end.
type line struct {
	path      string
	rule      *rule
	sensitive bool
}

// growBody makes the nodes and lines of the body; nil when the body as a whole is ignored.
func (o *operation) growBody() *Node {
	p := o.tree.root
	if o.leftOut(p, o.inherited()) {
		o.ignore(p.text)
		return nil
	}
	n := o.grow(p, o.inherited())
	if !o.overflow {
		o.materialiseAll()
	}
	return n
}

// inherited is the decision about what no line names.
func (o *operation) inherited() decision {
	if o.choice.all {
		return selected
	}
	return undecided
}

// decisionAt is the nearest decision: the one about the place itself, or the one of what it stands in.
func (o *operation) decisionAt(text string, inherited decision) decision {
	if own := o.choice.decided[text].decision; own != undecided {
		return own
	}
	return inherited
}

// leftOut reports whether nothing of p counts.
func (o *operation) leftOut(p *place, inherited decision) bool {
	return p.readOnly || p.plain == o.choice.key ||
		o.decisionAt(p.plain, inherited) == ignored && !o.choice.toward[p.plain]
}

func (o *operation) ignore(text string) { o.ignored = append(o.ignored, text) }

// grow makes the node of p and writes its lines: the container first, then what is inside.
func (o *operation) grow(p *place, inherited decision) *Node {
	if o.tooLarge(p, len(o.lines)) {
		return &Node{Kind: LeafNode, Field: -1, As: canon.Generic}
	}
	n, r := o.start(p, inherited)
	r.presence = o.presenceOf(p)
	switch n.Kind {
	case LeafNode:
		n.Field = o.writePlace(p, r)
	case ArrayNode:
		o.growArray(p, n, r, inherited)
	case ObjectNode, MapNode, UnionNode, RecursionNode:
		o.writePlace(p, r)
		o.fill(p, n, inherited)
	}
	return n
}

// start makes the node of p without its inside, and its rule without presence.
func (o *operation) start(p *place, inherited decision) (*Node, *rule) {
	a := o.choice.asked[p.plain]
	n := &Node{Field: -1, Null: o.nullRule(p, a), Sensitive: o.sensitive(p)}
	o.nodes[p] = n
	r := &rule{null: n.Null}
	k := p.kind()
	if a.as != 0 {
		k = scalarKind
	}
	switch k {
	case objectKind, mapKind:
		o.startObject(p, n, r, inherited)
	case arrayKind:
		n.Kind, n.Array = ArrayNode, max(a.array, canon.List)
		r.head = arrayHead(n.Array)
	case unionKind:
		n.Kind, n.Union = UnionNode, &Union{Discriminator: p.merged.union.discriminator}
		r.head = unionHead(n.Union.Discriminator)
		o.checkKeyInside(p)
	case recursionKind:
		n.Kind, n.Back = RecursionNode, o.nodes[p.again]
		n.Back.Recursive = true
		r.head = recursionHead(p.again.text)
		o.checkKeyInside(p)
	case scalarKind, genericKind, fileKind:
		o.startLeaf(p, n, r, a)
	}
	return n, r
}

func (o *operation) startLeaf(p *place, n *Node, r *rule, a asked) {
	if o.view() != "" {
		n.Kind, n.As, r.head = LeafNode, canon.Generic, viewHead(o.view())
		return
	}
	n.Kind, n.As = LeafNode, a.as
	if n.As == 0 {
		n.As = defaultNormaliser(p.merged)
		if p.file {
			n.As = canon.ContentDigest
		}
		if c := p.merged.conflict; c != nil {
			o.found.Add(*c)
		}
	}
	r.head = leafHead(n.As)
	n.Text = p.merged.kind == scalarKind && p.merged.types[0] == "string"
	if n.As == canon.Generic && n.Null != NullAbsent {
		n.Null, r.null = NullDistinct, NullRefused
	}
	o.checkKeyInside(p)
}

// checkKeyInside refuses a key that cannot be left out of what it stands in.
func (o *operation) checkKeyInside(p *place) {
	if slices.Contains(o.keyInside, p) {
		o.notSupportedHint(o.keyPos, "a key inside "+p.plain+", which counts as a whole,", o.ignoredHint(p.plain))
	}
}

// startObject chooses between an object and a map, and what undeclared members mean.
func (o *operation) startObject(p *place, n *Node, r *rule, inherited decision) {
	d := o.decisionAt(p.plain, inherited)
	if p.kind() == mapKind && !o.leftOut(o.tree.value(p), d) {
		n.Kind, r.head = MapNode, mapHead
		o.checkKeyInside(p)
		return
	}
	n.Kind, r.head = ObjectNode, objectHead
	switch {
	case o.demands():
		n.Unknown = canon.IgnoreUnknown // whoever reads it knows: it is no trait
		return
	case p.kind() == mapKind:
		n.Unknown = canon.IgnoreUnknown
		o.ignore(o.tree.value(p).text)
	case p.merged.closed:
		n.Unknown = canon.RejectUnknown
	case d == ignored:
		n.Unknown = canon.IgnoreUnknown
	default:
		n.Unknown = o.policy
		o.open = append(o.open, p)
	}
	r.unknown = n.Unknown
}

// fill makes what is inside an object, a map or a union.
func (o *operation) fill(p *place, n *Node, inherited decision) {
	d := o.decisionAt(p.plain, inherited)
	switch n.Kind {
	case ObjectNode, MapNode:
		o.fillMembers(p, n, d)
	case UnionNode:
		o.fillBranches(p, n, d)
	case ArrayNode, LeafNode, RecursionNode:
	}
}

func (o *operation) fillMembers(p *place, n *Node, d decision) {
	for _, m := range o.tree.members(p) {
		at := len(o.lines)
		grown := o.growMember(m, d)
		if grown.Ignored && (n.Kind == MapNode || n.Unknown == canon.IncludeUnknown) {
			o.deciding = append(o.deciding, m.place.text)
		}
		n.Members = append(n.Members, grown)
		if !grown.Ignored && o.choice.asked[m.place.plain].materialise && at < len(o.lines) {
			o.defaults = append(o.defaults, defaulted{m.place, n, len(n.Members) - 1, o.lines[at].rule})
		}
	}
	if n.Kind == MapNode {
		value := o.tree.value(p)
		if value.file {
			o.notSupportedHint(value.pos, "files under names that are not declared", o.ignoredHint(value.plain))
		}
		n.Elem = o.grow(value, d)
	}
}

// fillBranches makes each kind of value once. One that several values of the discriminator select has all of them as labels.
func (o *operation) fillBranches(p *place, n *Node, d decision) {
	for i, b := range o.tree.branches(p) {
		if o.demands() && !o.wanted[b] {
			continue // such a value has no business key
		}
		node := o.grow(b, d)
		for _, label := range p.merged.union.branches[i].labels {
			n.Union.Branches = append(n.Union.Branches, Branch{label, node})
		}
	}
}

func (o *operation) growMember(m *member, d decision) Member {
	out := Member{Name: m.name, Key: quoteJSON(m.name) + ":"}
	if o.leftOut(m.place, d) {
		o.ignore(m.place.text)
		out.Ignored = true // and never demanded: of what does not count, the grammar alone is checked
		return out
	}
	o.checkEncoding(m.place)
	out.Required = o.presenceOf(m.place) == requiredMember
	out.Node = o.grow(m.place, d)
	return out
}

// growArray writes one line for an array and what its elements are; elements that are arrays have a line of their own.
func (o *operation) growArray(p *place, n *Node, r *rule, inherited decision) {
	d := o.decisionAt(p.plain, inherited)
	e := o.tree.elem(p)
	if e.kind() == arrayKind && o.choice.asked[e.plain].as == 0 {
		n.Field, n.Sensitive = o.writePlace(e, r), o.sensitive(e)
		n.Elem = o.grow(e, d)
		return
	}
	n.Field, n.Sensitive = o.writePlace(e, r), o.sensitive(e)
	if o.tooLarge(e, len(o.lines)) {
		return
	}
	n.Elem, r.of = o.start(e, d)
	o.fill(e, n.Elem, d)
}

func (o *operation) nullRule(p *place, a asked) NullRule {
	switch {
	case p.branch, o.demands():
		return NullRefused // null is the union's to take, and names nothing
	case a.nullAbsent:
		return NullAbsent
	case p.merged.nullable:
		return NullDistinct
	}
	return NullRefused
}

// writePlace writes the line of a place in the body; the one of an array is its elements'.
func (o *operation) writePlace(p *place, r *rule) int { return o.write(p.text, r, o.sensitive(p)) }

// sensitive reports whether the place is, or what it stands in.
func (o *operation) sensitive(p *place) bool {
	for up := p; up != nil; up = up.parent {
		if o.choice.asked[up.plain].sensitive {
			return true
		}
	}
	return false
}

func (o *operation) write(path string, r *rule, sensitive bool) int {
	o.lines = append(o.lines, line{path, r, sensitive})
	if o.demands() {
		return -1 // nobody asks for digests of its fields
	}
	return len(o.lines) - 1
}

// tooLarge stops at the limits, and says once where.
func (o *operation) tooLarge(p *place, count int) bool {
	if count < maxLines && p.depth <= maxDepth {
		return o.overflow
	}
	if o.overflow {
		return true
	}
	o.overflow = true
	top := p
	for top.depth > 1 {
		top = top.parent
	}
	message := "the body has more than 5000 fields"
	if p.depth > maxDepth {
		message = "the body is more than 64 levels deep"
	}
	hint := o.ignoredHint(top.plain)
	if !o.choice.all {
		path := yamlText(top.plain, blockText)
		hint = "- " + path + ": generic   # in fields: it counts as a whole; or without generic in ignored"
	}
	o.found.Add(diag.Diagnostic{Pos: o.fieldsPos(), Code: diag.SchemaTooLarge, Message: message + ", most of them below " + top.plain,
		Hint: hint, Related: []diag.Related{{Pos: p.pos, Message: "the limit is reached at " + p.plain}}})
	return true
}

// finishLines turns the lines into text. Policies that are the contract's own are not repeated.
func (o *operation) finishLines() []Field {
	if len(o.open) == 0 {
		o.policy = canon.RejectUnknown // no undeclared member can come
	}
	out := make([]Field, len(o.lines))
	for i, l := range o.lines {
		for r := l.rule; r != nil; r = r.of {
			if r.unknown == o.policy {
				r.unknown = 0
			}
		}
		out[i] = Field{Path: l.path, Rule: l.rule.String(), Sensitive: l.sensitive}
	}
	slices.Sort(o.ignored)
	o.ignored = slices.Compact(o.ignored)
	return out
}
