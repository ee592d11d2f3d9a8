package contract

import (
	"fmt"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// decision is what the annotation says of a part of the request.
type decision uint8

const (
	undecided decision = iota
	selected
	ignored
)

// choice is the annotation's fingerprint, resolved against what is declared.
type choice struct {
	all     bool // what is not ignored is selected
	decided map[string]decided
	asked   map[string]asked
	// toward has the places on the way to a selected one: an ignored object among them is read all the same.
	toward map[string]bool
	// above has the places on the way to a decided one.
	above map[string]bool
	// key is the place of the idempotency key when it stands in the body, path or query.
	key string
}

type decided struct {
	decision decision
	pos      diag.Pos
}

// asked is what a line of fields demands at one place.
type asked struct {
	array       canon.ArrayKind  // 0: list
	as          canon.Normaliser // 0: the default
	nullAbsent  bool
	materialise bool
	sensitive   bool
	pos         diag.Pos
}

// target is one part of a request that a line of fields can name.
type target struct {
	text     string
	merged   *merged
	array    bool
	presence presence
	element  bool // of an array, or an entry of a map
	body     bool
	file     bool
}

// fits reports whether every value at t can go through n.
func (t target) fits(n canon.Normaliser) bool {
	if t.file {
		return n == canon.ContentDigest
	}
	return fits(t.merged, n)
}

func (t target) describe() string {
	if t.file {
		return "a file"
	}
	return describe(t.merged)
}

// located is what a field path names. whole is the array when the path ends in [], else exact itself.
type located struct {
	exact, whole target
	decides      string // the part that a decision is about: the outermost array whose elements the path names
	place        *place // body only
	param        *param // others
}

// choose resolves fields and ignored.
func (o *operation) choose() {
	fp := o.src.Annotation.Fingerprint
	o.chooseView()
	o.choice.all = !fp.Set || fp.Value.Mode == openapi.FingerprintAll
	for _, r := range fp.Value.Fields {
		o.chooseField(r)
	}
	for _, path := range fp.Value.Ignored {
		if at, ok := o.locate(path); ok {
			o.decide(at[0], ignored, path)
		}
	}
}

// chooseField takes a line of fields. In branches of unions one path names several places; what the line demands must fit each of them.
func (o *operation) chooseField(r openapi.FieldRule) {
	at, ok := o.locate(r.Path)
	if !ok {
		return
	}
	var on target
	var a asked
	for _, one := range at {
		if !o.canCount(one, r.Path) {
			return
		}
		if on, a, ok = o.ask(one, r); !ok {
			o.settle(one, r.Path)
			return
		}
	}
	if earlier, twice := o.choice.asked[on.text]; twice {
		o.twice(r.Path, earlier.pos, "listed here already")
		return
	}
	o.choice.asked[on.text] = a
	if o.choice.decided[at[0].decides].decision != selected {
		o.decide(at[0], selected, r.Path)
	}
	for p := at[0].place; p != nil; p = p.parent {
		o.choice.toward[p.plain] = true
	}
}

// settle takes a part for decided upon, so that a line with a fault leads to one finding and not to two.
func (o *operation) settle(at located, path openapi.FieldPath) {
	if o.choice.decided[at.decides].decision == undecided {
		o.decide(at, selected, path)
	}
}

// decide records a decision. Two about one part of the request cannot both hold.
func (o *operation) decide(at located, d decision, path openapi.FieldPath) {
	earlier := o.choice.decided[at.decides]
	if earlier.decision == undecided {
		o.choice.decided[at.decides] = decided{d, path.Pos}
		for p := at.place; p != nil; p = p.parent {
			o.choice.above[p.plain] = true
		}
		return
	}
	what := "the other decision"
	if earlier.decision == d {
		what = "listed here already"
	}
	o.twice(path, earlier.pos, what)
}

func (o *operation) twice(path openapi.FieldPath, other diag.Pos, what string) {
	o.found.Add(diag.Diagnostic{Pos: path.Pos, Code: diag.PathTwice, Message: path.String() + " is decided upon twice",
		Hint: "take one of the two lines away", Related: []diag.Related{{Pos: other, Message: what}}})
}

// canCount refuses what never counts.
func (o *operation) canCount(at located, path openapi.FieldPath) bool {
	d := diag.Diagnostic{Pos: path.Pos, Code: diag.NeverCounts, Hint: "take the line away"}
	switch {
	case at.whole.text == o.choice.key:
		d.Message = path.String() + " is the idempotency key and never counts"
	case at.place != nil && at.place.readOnly:
		d.Message = path.String() + " is readOnly and never counts"
		d.Related = []diag.Related{{Pos: at.place.pos, Message: "declared here"}}
	default:
		return true
	}
	o.found.Add(d)
	return false
}

// ask reads what a line demands, and of which target: an array or what the path names exactly.
func (o *operation) ask(at located, r openapi.FieldRule) (target, asked, bool) {
	on, a := at.exact, asked{pos: r.Path.Pos, sensitive: r.Sensitive.Set && r.Sensitive.Value}
	if r.As.Set {
		var ok bool
		if on, ok = o.askNormaliser(at, r, &a); !ok {
			return on, a, false
		}
	}
	if r.Null.Set && r.Null.Value == "absent" {
		if problem, hint := nullProblem(on); problem != "" {
			o.misfit(diag.NullMisfit, r.Null.Pos, r.Path, problem, hint)
			return on, a, false
		}
		a.nullAbsent = true
	}
	if r.Default.Set && r.Default.Value == "materialise" {
		if problem := defaultProblem(on); problem != "" {
			o.misfit(diag.DefaultMisfit, r.Default.Pos, r.Path, problem, "")
			return on, a, false
		}
		a.materialise = true
	}
	return on, a, true
}

func (o *operation) askNormaliser(at located, r openapi.FieldRule, a *asked) (target, bool) {
	name := r.As.Value
	if array, ok := canon.ParseArrayKind(name); ok {
		if !at.whole.array {
			o.misfit(diag.NormaliserMisfit, r.As.Pos, r.Path, name+" needs an array, and this is "+at.whole.describe(), "")
			return at.whole, false
		}
		a.array = array
		return at.whole, true
	}
	n, ok := canon.ParseNormaliser(name)
	if !ok {
		o.misfit(diag.NormaliserMisfit, r.As.Pos, r.Path, fmt.Sprintf("there is no normaliser %q", name), "")
		return at.exact, false
	}
	if n == canon.Generic && !at.exact.body {
		o.misfit(diag.NormaliserMisfit, r.As.Pos, r.Path, "generic needs a part of the body", "")
		return at.exact, false
	}
	if !at.exact.fits(n) {
		hint := ""
		if at.exact.array {
			hint = r.Path.String() + "[]: " + name
		}
		o.misfit(diag.NormaliserMisfit, r.As.Pos, r.Path, name+" does not fit "+at.exact.describe(), hint)
		return at.exact, false
	}
	a.as = n
	return at.exact, true
}

func (o *operation) misfit(code diag.Code, pos diag.Pos, path openapi.FieldPath, problem, hint string) {
	o.found.Add(diag.Diagnostic{Pos: pos, Code: code, Message: path.String() + ": " + problem, Hint: hint})
}

// nullProblem says why a null cannot count as absent at t, and what to write instead.
func nullProblem(t target) (problem, hint string) {
	switch {
	case t.element:
		return "an element or entry cannot be absent, so null cannot count as absent", ""
	case !t.body:
		return "a parameter has no null", ""
	case t.text == bodyText:
		return "the body as a whole cannot be absent and null at once", ""
	case t.presence == requiredMember:
		return "the member is required, so absent is refused and null cannot count as it", "null: distinct"
	case !t.merged.nullable && t.merged.kind != genericKind:
		return "the schema does not allow null", ""
	}
	return "", ""
}

// defaultProblem says why a default cannot stand for an absent t.
func defaultProblem(t target) string {
	switch {
	case t.element:
		return "an element or entry is never missing"
	case t.presence == requiredMember:
		return "a required part is never missing, so its default never applies"
	case t.text == bodyText:
		return "the body as a whole has no default"
	case t.merged.defaultText == "":
		return "the schema has no default"
	}
	return ""
}

// describe names what m is, with its article.
func describe(m *merged) string {
	switch m.kind {
	case scalarKind:
		if m.types[0] == "integer" {
			return "an integer"
		}
		return "a " + m.types[0]
	case objectKind:
		return "an object"
	case mapKind:
		return "a map"
	case arrayKind:
		return "an array"
	case unionKind:
		return "a union"
	case genericKind, recursionKind, fileKind:
	}
	return m.reason
}
