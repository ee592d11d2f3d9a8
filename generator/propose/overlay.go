package propose

import (
	"path"
	"slices"
)

// About is what an overlay is for.
type About struct {
	Title     string // of the document
	Document  string // its file name
	Extension string // the annotation's name
	Scope     bool   // the document's root gets the scope
	Keyed     bool   // it has a default for the key
}

// Overlay gives the drafts as an OpenAPI Overlay. Where nothing is proposed there are no lines.
func Overlay(about About, drafts []*Draft) []Line {
	if !about.Scope && !slices.ContainsFunc(drafts, func(d *Draft) bool { return d.Left == "" }) {
		return nil
	}
	o := &overlay{About: about}
	o.add(0,
		comment("Proposed by idemgen for "+about.Document+": where a review begins, not where it ends. The reasons stand beside the lines."),
		comment("What the document alone cannot settle is marked: grep undecided. Use it with: idemgen generate --overlay"),
		"overlay: 1.0.0",
		"info:",
		"  title: "+quoted("Idempotency of "+about.Title),
		"  version: 0.1.0",
		"actions:")
	o.root(drafts)
	for _, d := range drafts {
		o.operation(d)
	}
	return o.lines
}

type overlay struct {
	About
	lines []Line
}

func (o *overlay) add(indent int, texts ...string) {
	for _, text := range texts {
		o.put(indent, Line{Text: text})
	}
}

func (o *overlay) put(indent int, lines ...Line) {
	for _, l := range lines {
		l.Text = spaces(indent) + l.Text
		o.lines = append(o.lines, l)
	}
}

// spaces are the blanks before a line.
func spaces(n int) string { return string(slices.Repeat([]byte(" "), n)) }

// root is the action for the document itself: the scope, and the operations that stand in other files.
func (o *overlay) root(drafts []*Draft) {
	var elsewhere []*Draft
	for _, d := range drafts {
		if d.Left == "" && d.Candidate.Target == "" {
			elsewhere = append(elsewhere, d)
		}
	}
	if !o.Scope && len(elsewhere) == 0 {
		return
	}
	o.add(2, "- target: $", "  update:")
	if o.Scope {
		o.put(6, DefaultLines(o.Extension, o.Keyed)...)
	} else {
		o.add(6, blockText(o.Extension)+":")
	}
	if len(elsewhere) == 0 {
		return
	}
	o.add(8, "operations:")
	for _, d := range elsewhere {
		o.add(10, comment(d.Title+", in "+path.Base(d.Candidate.Pos.File)))
		o.put(10, d.Lines(d.Candidate.ID)...)
	}
}

// operation is the action for one operation of the document's own file, or the reason why there is none.
func (o *overlay) operation(d *Draft) {
	switch {
	case d.Left != "":
		o.add(2, comment(d.Title+" is left out: "+d.Left))
	case d.Candidate.Target != "":
		o.add(2, comment(d.Title), "- target: "+blockText(d.Candidate.Target), "  update:")
		o.put(6, d.Lines(o.Extension)...)
	}
}

// Text joins lines.
func Text(lines []Line) []byte {
	var out []byte
	for _, l := range lines {
		out = append(append(out, l.Text...), '\n')
	}
	return out
}
