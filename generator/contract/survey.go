package contract

import (
	"cmp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// Survey is an operation with its contract, and with what the contract makes of every part of a request that the document declares. It is for
// those who look at a document as a whole; nothing is generated from it.
type Survey struct {
	Operation *openapi.Operation
	Contract  *Contract
	Parts     []Surveyed

	o *operation
}

// Fate is what becomes of a part of a request.
type Fate uint8

const (
	Counts   Fate = iota + 1 // another value is another command
	LeftOut                  // the annotation ignores it, or what it stands in
	Never                    // readOnly, or the idempotency key
	Unlisted                 // a header that nobody lists
)

// Surveyed is one part: a parameter, a member, the elements of an array, the entries of a map. In branches of a union one path may be
// several parts.
type Surveyed struct {
	Path     openapi.FieldPath
	Text     string   // Path, as the annotation writes it
	Name     string   // the last name in it; empty where there is none
	Beside   []string // names of the members that stand beside it
	Pos      diag.Pos // where it is declared
	Fate     Fate
	Said     diag.Pos // the entry of fields or ignored that names it; the zero place where none does
	Required bool     // a request has to have it, where what it stands in is there
	// As compares the values; 0 where the part has parts of its own.
	As           canon.Normaliser
	Sensitive    bool
	Materialised bool // a missing one is the same as its default
	// What the schema says of single values.
	Types     []string
	Format    string
	Default   string // JSON text; empty where there is none that a request could send
	Enum      bool
	WriteOnly bool
}

// Surveys surveys the operations that have a contract in api, in its order. extension is the annotation's name, for hints; empty means
// x-idempotency. doc has no errors.
func Surveys(doc *openapi.Document, api *API, extension string) []Survey {
	byText := map[string]*openapi.Operation{}
	for _, op := range doc.Operations {
		byText[operationText(op)] = op
	}
	var out []Survey
	for _, c := range api.Contracts {
		op := byText[operationText(&openapi.Operation{Method: c.Method, Path: c.Path, Webhook: c.Webhook})]
		if op == nil {
			continue
		}
		o := newOperation(op, c.Name)
		o.extension = cmp.Or(extension, o.extension)
		o.build()
		s := Survey{Operation: op, Contract: c, o: o}
		if c.Compare {
			s.Parts = o.surveyed()
		}
		out = append(out, s)
	}
	return out
}

func (o *operation) surveyed() []Surveyed {
	var out []Surveyed
	for _, p := range o.params {
		out = append(out, o.surveyParam(p))
	}
	if o.tree != nil {
		out = o.surveyPlace(out, o.tree.root, o.inherited(), nil)
	}
	return out
}

func (o *operation) surveyParam(p *param) Surveyed {
	decided, a := o.choice.decided[p.text], o.choice.asked[p.text]
	s := Surveyed{Path: p.path, Text: p.text, Name: p.name, Pos: p.pos, Said: decided.pos, Required: p.required, Materialised: a.materialise}
	if d := p.declared; d != nil && p.path.In == openapi.InHeader { // as its author writes it
		s.Path.Segments = []openapi.Segment{{Kind: openapi.SegName, Name: d.Name}}
		s.Text, s.Name = s.Path.String(), d.Name
	}
	of, chosen := p.merged, a.as
	if p.array {
		of, chosen = p.element, o.choice.asked[p.text+"[]"].as
	}
	s.schema(of)
	s.Sensitive = a.sensitive || o.choice.asked[p.text+"[]"].sensitive
	switch {
	case p.text == o.choice.key || o.isKeyHeader(p):
		s.Fate = Never
	case o.counts(p):
		s.Fate, s.As = Counts, paramNormaliser(of, chosen)
	case p.mustDecide() || decided.decision == ignored:
		s.Fate = LeftOut
	default:
		s.Fate = Unlisted
	}
	s.keepDefault(!p.array)
	return s
}

// keepDefault forgets a default that no request could send, and those of what has parts.
func (s *Surveyed) keepDefault(single bool) {
	if s.Default == "" {
		return
	}
	if !single || s.As == 0 {
		s.Default = ""
		return
	}
	if _, err := canonicalText(&Node{Kind: LeafNode, As: s.As, Field: -1}, s.Default); err != nil {
		s.Default = ""
	}
}

// isKeyHeader reports whether p is the header that the key stands in. It is no part of the choice, since headers count only when they are listed.
func (o *operation) isKeyHeader(p *param) bool {
	return p.path.In == openapi.InHeader && o.key.In == openapi.InHeader.String() && strings.EqualFold(p.name, o.key.Name)
}

// schema takes over what m says of single values.
func (s *Surveyed) schema(m *merged) {
	s.Types, s.Format, s.Default, s.Enum, s.WriteOnly = m.types, m.format, m.defaultText, m.enum, m.writeOnly
}

// surveyPlace adds p and what is inside of it, as far as it is looked at: of what is left out, the outermost.
func (o *operation) surveyPlace(out []Surveyed, p *place, inherited decision, beside []string) []Surveyed {
	d := o.decisionAt(p.plain, inherited)
	if !p.branch {
		out = append(out, o.surveyOne(p, inherited, beside))
	}
	if o.leftOut(p, inherited) || p.kind() == recursionKind || o.choice.asked[p.plain].as != 0 {
		return out
	}
	switch p.kind() {
	case objectKind, mapKind:
		members := o.tree.members(p)
		var names []string
		for _, m := range members {
			names = append(names, m.name)
		}
		for _, m := range members {
			out = o.surveyPlace(out, m.place, d, names)
		}
		if p.kind() == mapKind {
			out = o.surveyPlace(out, o.tree.value(p), d, nil)
		}
	case arrayKind:
		out = o.surveyPlace(out, o.tree.elem(p), d, beside)
	case unionKind:
		for _, b := range o.tree.branches(p) {
			out = o.surveyPlace(out, b, d, beside)
		}
	case scalarKind, genericKind, fileKind, recursionKind:
	}
	return out
}

func (o *operation) surveyOne(p *place, inherited decision, beside []string) Surveyed {
	a := o.choice.asked[p.plain]
	s := Surveyed{Path: p.path, Text: p.plain, Beside: beside, Pos: p.pos, Said: o.choice.decided[p.plain].pos, Materialised: a.materialise,
		Required: p.presence == requiredMember}
	for _, step := range slices.Backward(p.path.Segments) {
		if step.Kind == openapi.SegName {
			s.Name = step.Name
			break
		}
	}
	s.schema(p.merged)
	switch {
	case p.readOnly || p.plain == o.choice.key:
		s.Fate = Never
	case o.leftOut(p, inherited):
		s.Fate = LeftOut
	default:
		s.Fate, s.As = Counts, a.as
		if k := p.kind(); s.As == 0 && (k == scalarKind || k == genericKind || k == fileKind) {
			n := &Node{}
			o.startLeaf(p, n, &rule{}, a)
			s.As = n.As
		}
	}
	s.keepDefault(true)
	for up := p; up != nil; up = up.parent {
		s.Sensitive = s.Sensitive || o.choice.asked[up.plain].sensitive
	}
	return s
}
