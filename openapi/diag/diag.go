package diag

import (
	"cmp"
	"slices"
)

// Pos is a place in a source file. The zero Pos means that no place is known.
type Pos struct {
	File string // as the caller named it, with forward slashes; never made absolute
	Line int    // from 1
	Col  int    // from 1, in bytes
}

// IsValid reports whether p names a line.
func (p Pos) IsValid() bool { return p.Line > 0 }

// Severity says what a diagnostic does to the exit code.
type Severity uint8

const (
	Error   Severity = iota + 1 // the job could not be done
	Warning                     // the job was done; a reviewer should look
)

// Diagnostic is one finding about the user's documents. It is data: whoever holds a List decides how it is printed.
type Diagnostic struct {
	Pos      Pos
	End      Pos // exclusive; zero when only a point is known
	Severity Severity
	Code     Code
	Message  string // one line, lower case, no full stop
	Hint     string // text ready to paste, may have several lines; empty when there is none
	Related  []Related
	// About names what the finding is about, so that somebody can speak of it without its place: an operation by its contract's name.
	// Empty: nothing that has a name.
	About string
	// Accepted is why somebody has answered for the finding, which then weighs nothing. Empty: nobody has.
	Accepted string
}

// Related is a second place that belongs to a diagnostic: the other half of a clash.
type Related struct {
	Pos     Pos
	Message string
}

// List collects diagnostics. The zero List is ready to use.
type List struct {
	all      []Diagnostic
	accepted []Diagnostic
}

// Add appends d. A diagnostic without a severity takes the one that its code's table row gives.
func (l *List) Add(d Diagnostic) {
	if d.Severity == 0 {
		d.Severity = d.Code.Severity()
	}
	l.all = append(l.all, d)
}

// Accept keeps d as a finding that somebody has answered for: it is none of the list's any more, but a log that knows of such findings can
// tell them.
func (l *List) Accept(d Diagnostic, reason string) {
	if d.Severity == 0 {
		d.Severity = d.Code.Severity()
	}
	d.Accepted = reason
	l.accepted = append(l.accepted, d)
}

// WithAccepted gives what All gives, and the accepted ones among them.
func (l *List) WithAccepted() []Diagnostic {
	both := List{all: slices.Concat(l.all, l.accepted)}
	return both.All()
}

// AppendAbout adds every diagnostic of other, as one about what has this name where it says nothing else.
func (l *List) AppendAbout(other List, name string) {
	for _, d := range other.all {
		d.About = cmp.Or(d.About, name)
		l.all = append(l.all, d)
	}
	l.accepted = append(l.accepted, other.accepted...)
}

// Append adds every diagnostic of other.
func (l *List) Append(other List) {
	l.all = append(l.all, other.all...)
	l.accepted = append(l.accepted, other.accepted...)
}

// All gives the diagnostics sorted by file, line, column and code; equal ones are given once.
func (l *List) All() []Diagnostic {
	out := slices.Clone(l.all)
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Col, b.Pos.Col), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(out, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message
	})
}

// Each calls f for every diagnostic that was added, in that order. Equal ones, which [List.All] gives once, may be about different things.
func (l *List) Each(f func(Diagnostic)) {
	for _, d := range l.all {
		f(d)
	}
}

// HasErrors reports whether any diagnostic is an error.
func (l *List) HasErrors() bool {
	return slices.ContainsFunc(l.all, func(d Diagnostic) bool { return d.Severity == Error })
}

// Len is the number of diagnostics, duplicates included.
func (l *List) Len() int { return len(l.all) }
