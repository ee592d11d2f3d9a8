package propose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// mostListed is up to how many parts an operation's fields are listed one by one.
const mostListed = 12

// Draft is the proposal for one operation.
type Draft struct {
	Candidate openapi.Candidate
	// Title names the operation: POST /payments.
	Title string
	// Left says why nothing can be proposed; the rest means nothing then.
	Left string
	// NeedsScope says that no scope is given from above, and ScopeHere that the operation's own annotation gives it.
	NeedsScope, ScopeHere bool
	// Name is the contract's name; empty where the one that it gets anyway will do.
	Name string
	// Told are findings of the generator that a reviewer should see beside the proposal.
	Told []string

	notes   []string
	exempt  string
	key     *Entry
	all     bool // fields: all
	tops    int  // parts that `all` stands for
	fields  []*Entry
	ignored []*Entry
	unknown string // empty where no body has members
}

// Entry is one line of a draft: a part of the request and what is said of it.
type Entry struct {
	Path    string
	Value   string // a normaliser or an object; empty where the path says enough
	Comment string
	needed  bool // without it the part would be undecided
}

// New makes the draft for an operation. op is the operation read as if an empty annotation stood at it, and shape the contract of it, in
// which everything counts.
func New(c openapi.Candidate, op *openapi.Operation, shape *contract.Contract) *Draft {
	d := &Draft{Candidate: c, Title: Title(c)}
	parts := partsOf(op, shape)
	key, rule := keyOf(op, parts)
	if key == nil {
		if d.exempt, _ = exemption(c); d.exempt != "" {
			return d
		}
	}
	if key != nil && (rule.comment == "" || !op.Annotation.Key.Set) { // a guess is no reason to leave the document's own default
		d.key = keyEntry(key, rule)
		parts = withoutKey(parts, key)
	}
	if key == nil && !op.Annotation.Key.Set && op.Webhook == "" {
		d.key = plainKey(op)
	}
	if reason := callsOut(c); reason != "" {
		d.note("%s: does it call another system? Then `execution: leased` claims the key before the call and resumes after a crash", reason)
	}
	d.choose(parts)
	d.noteHeaders(op)
	if hasObjects(shape.Version.Body, map[*contract.Node]bool{}) {
		d.unknown = "include"
		if shape.Version.Unknown == canon.RejectUnknown {
			d.unknown = "reject"
		}
	}
	return d
}

// withoutKey takes the key out of the parts. A body of which nothing else is left has to be decided upon as a whole.
func withoutKey(parts []*part, key *part) []*part {
	inBody := func(p *part) bool { return p.path.In == openapi.InBody }
	parts = slices.DeleteFunc(parts, func(p *part) bool { return p.text == key.text })
	if inBody(key) && !slices.ContainsFunc(parts, inBody) {
		body := openapi.FieldPath{In: openapi.InBody}
		parts = append(parts, &part{path: body, text: body.String(), top: true})
	}
	return parts
}

// hasObjects reports whether an undeclared member could come anywhere: in what counts as a whole it is nothing special.
func hasObjects(n *contract.Node, seen map[*contract.Node]bool) bool {
	if n == nil || seen[n] {
		return false
	}
	seen[n] = true
	if n.Kind == contract.ObjectNode || hasObjects(n.Elem, seen) {
		return true
	}
	if n.Union != nil && slices.ContainsFunc(n.Union.Branches, func(b contract.Branch) bool { return hasObjects(b.Node, seen) }) {
		return true
	}
	return slices.ContainsFunc(n.Members, func(m contract.Member) bool { return hasObjects(m.Node, seen) })
}

// LeftOut is the draft of an operation for which nothing can be proposed.
func LeftOut(c openapi.Candidate, reason string) *Draft {
	return &Draft{Candidate: c, Title: Title(c), Left: reason}
}

// Title names an operation.
func Title(c openapi.Candidate) string {
	if c.Webhook != "" {
		return c.Method + " of the webhook " + c.Webhook
	}
	return c.Method + " " + c.Path
}

// Exempt reports whether the draft says that the operation needs no key.
func (d *Draft) Exempt() bool { return d.Left == "" && d.exempt != "" }

func (d *Draft) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// finding is a part with what its rule says.
type finding struct {
	*part
	verdict
}

// choose fills fields and ignored.
func (d *Draft) choose(parts []*part) {
	var found []finding
	var closed []*part // what nothing more is said inside of
	secrets := false
	for _, p := range parts {
		if slices.ContainsFunc(closed, p.within) {
			continue
		}
		v, _ := judge(p)
		found = append(found, finding{p, v})
		if p.top {
			d.tops++
		}
		if v.ignored || v.value != "" {
			closed = append(closed, p)
		}
		secrets = secrets || strings.Contains(v.value, "sensitive")
	}
	d.all = d.tops == 0 || d.tops > mostListed && !secrets
	for _, f := range found {
		d.take(f)
	}
	d.noteTogether(found)
}

// take writes the line of a part, if it gets one.
func (d *Draft) take(f finding) {
	e := &Entry{Path: f.text, Comment: f.comment, needed: f.top}
	switch {
	case f.ignored:
		d.ignored = append(d.ignored, e)
	case !d.all && (f.top || f.value != ""):
		e.Value = f.value
		d.fields = append(d.fields, e)
	}
}

// noteTogether writes one comment for each thing that is said of parts without lines.
func (d *Draft) noteTogether(found []finding) {
	var order []string
	paths := map[string][]string{}
	add := func(note, path string) {
		if paths[note] == nil {
			order = append(order, note)
		}
		paths[note] = append(paths[note], path)
	}
	for _, f := range found {
		switch {
		case f.note != "":
			add(f.note, f.text)
		case d.all && !f.ignored && f.value != "":
			add("`all` has no room for `"+f.value+"`: list the fields to say it", f.text)
		case d.all && !f.ignored && f.comment != "":
			add(f.comment, f.text)
		}
	}
	for _, note := range order {
		d.note("%s: %s", some(paths[note]), note)
	}
}

// noteHeaders names the declared headers: nobody has to decide upon them, and they do not count.
func (d *Draft) noteHeaders(op *openapi.Operation) {
	var names []string
	for _, p := range parameters(op, openapi.InHeader) {
		if d.key == nil || d.key.Path != p.text {
			names = append(names, p.text)
		}
	}
	if len(names) > 0 {
		d.note("%s: a header counts only where fields lists it", some(names))
	}
}

// some names the first few of a list.
func some(list []string) string {
	const most = 5
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}

// Refuse takes back what the generator did not take at an entry's line. Where nothing is left to take back the operation is left out.
func (d *Draft) Refuse(e *Entry, message string) {
	at := slices.Index(d.fields, e)
	switch {
	case e == d.key:
		d.key = nil
		d.note("%s as the key was refused: %s", e.Path, message)
		if !d.all && !strings.HasPrefix(e.Path, openapi.InHeader.String()+".") {
			d.fields = append(d.fields, &Entry{Path: e.Path, needed: true})
		}
	case at >= 0 && e.Value != "":
		d.note("%s: %s was refused: %s", e.Path, e.Value, message)
		e.Value, e.Comment = "", ""
		if !e.needed {
			d.fields = slices.Delete(d.fields, at, at+1)
		}
	case slices.Contains(d.ignored, e):
		d.ignored = slices.DeleteFunc(d.ignored, func(other *Entry) bool { return other == e })
		d.note("%s cannot be ignored: %s", e.Path, message)
		if e.needed && !d.all {
			d.fields = append(d.fields, &Entry{Path: e.Path, needed: true})
		}
	default:
		d.LeaveOut(message)
	}
}

// LeaveOut says why nothing is proposed.
func (d *Draft) LeaveOut(reason string) { d.Left = reason }
