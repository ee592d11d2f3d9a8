package contract

import (
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// What an annotation that says nothing means (ANNOTATION section 3).
const (
	defaultRetention = 24 * time.Hour
	defaultMarker    = "Idempotent-Replayed"
)

func defaultReplayHeaders() []string { return []string{"Etag", "Location"} }

func defaultKeepExcept() []int { return []int{408, 425, 429, 502, 503, 504} }

// readTerms reads what the annotation says of records and answers.
func (o *operation) readTerms(c *Contract) {
	a := &o.src.Annotation
	c.Retention, c.RetentionText = o.readRetention()
	c.KeepExcept = defaultKeepExcept()
	if a.KeepExcept.Set {
		c.KeepExcept = nil
		for _, status := range a.KeepExcept.Value {
			c.KeepExcept = append(c.KeepExcept, status.Value)
		}
		slices.Sort(c.KeepExcept)
		c.KeepExcept = slices.Compact(c.KeepExcept)
	}
	c.ReplayHeaders = defaultReplayHeaders()
	if a.Replay.Headers.Set {
		c.ReplayHeaders = nil
		for _, name := range a.Replay.Headers.Value {
			c.ReplayHeaders = append(c.ReplayHeaders, textproto.CanonicalMIMEHeaderKey(name.Value))
		}
		slices.Sort(c.ReplayHeaders)
		c.ReplayHeaders = slices.Compact(c.ReplayHeaders)
	}
	c.ReplayMarker = orDefault(a.Replay.Marker, defaultMarker)
	if !a.Replay.Headers.Set && slices.Contains(c.ReplayHeaders, textproto.CanonicalMIMEHeaderKey(c.ReplayMarker)) {
		o.found.Add(diag.Diagnostic{Pos: a.Replay.Marker.Pos, Code: diag.AnnotationTwice, Message: "replay.marker " + c.ReplayMarker +
			" is a header that is stored without being listed; the marker would hide it", Hint: "marker: " + defaultMarker})
	}
	e := &a.Errors
	c.Statuses = Statuses{
		Missing: orDefault(e.Missing, 400), Malformed: orDefault(e.Malformed, 400), Mismatch: orDefault(e.Mismatch, 422),
		InFlight: orDefault(e.InFlight, 409), Unknown: orDefault(e.Unknown, 409), Unavailable: orDefault(e.Unavailable, 503),
	}
	c.Docs = e.Docs.Value
}

func (o *operation) readRetention() (time.Duration, string) {
	r := o.src.Annotation.Retention
	switch {
	case !r.Set:
		return defaultRetention, retentionText(defaultRetention)
	case r.Value.Forever:
		return Forever, retentionText(Forever)
	case r.Value.Duration < defaultRetention:
		o.found.Add(diag.Diagnostic{Pos: r.Pos, Code: diag.RetentionShort,
			Message: "retention " + retentionText(r.Value.Duration) + " is shorter than a day: a later retry runs again", Hint: "retention: 24h"})
	}
	return r.Value.Duration, retentionText(r.Value.Duration)
}

// retentionText spells a retention in one way, whatever way the annotation chose: 90s, 15m, 24h, 45d, forever.
func retentionText(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d == Forever:
		return "forever"
	case d > day && d%day == 0:
		return strconv.FormatInt(int64(d/day), 10) + "d"
	case d >= time.Hour && d%time.Hour == 0:
		return strconv.FormatInt(int64(d/time.Hour), 10) + "h"
	case d >= time.Minute && d%time.Minute == 0:
		return strconv.FormatInt(int64(d/time.Minute), 10) + "m"
	case d%time.Second == 0:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	}
	return d.String()
}

// readScope reads whom a key belongs to. Dimensions get their index when all operations are known.
func (o *operation) readScope() []ScopeTerm {
	scope := o.src.Annotation.Scope
	if !scope.Set || len(scope.Value.Now) == 0 {
		o.found.Add(diag.Diagnostic{Pos: o.src.Annotation.Pos, Code: diag.ScopeMissing,
			Message: "nobody says whom a key of " + o.title() + " belongs to", Hint: o.memberHint(scope.Set, "scope: [tenant]")})
		return nil
	}
	if len(scope.Value.Before) > 0 {
		o.notSupported(scope.Value.Before[0].Pos, "scope.before")
	}
	var out []ScopeTerm
	caller := false
	for _, term := range scope.Value.Now {
		switch {
		case term.Path != nil:
			out = append(out, o.scopePart(*term.Path))
		case term.Dimension == openapi.ScopeGlobal:
			out = append(out, ScopeTerm{Text: openapi.ScopeGlobal, Dimension: -1, Literal: openapi.ScopeGlobal})
		default:
			caller = true
			out = append(out, ScopeTerm{Text: term.Dimension, Dimension: len(out)})
		}
	}
	if !caller {
		with := []string{"tenant"}
		if out[0].Literal == "" { // global stands alone
			with = append(with, scopeTexts(out)...)
		}
		o.found.Add(diag.Diagnostic{Pos: scope.Value.Now[0].Pos, Code: diag.ScopeWithoutCaller,
			Message: "no part of the scope comes from the authenticated caller: whoever knows a key may read its answer", Hint: "scope: " + listText(with)})
	}
	return out
}

func (o *operation) scopePart(path openapi.FieldPath) ScopeTerm {
	t := ScopeTerm{Text: path.String(), Dimension: -1}
	if part, ok := o.singleValue(path); ok {
		t.In, t.Name, t.Path, t.Index = part.in, part.name, part.path, part.index
		t.Text, t.As = part.text, o.scopeNormaliser(part)
	}
	return t
}

// scopeNormaliser is what a part of the scope compares by. What fingerprint.fields asks for does not count: a scope that moved with it
// would lose its records.
func (o *operation) scopeNormaliser(p part) canon.Normaliser {
	var n canon.Normaliser
	declared := p.param
	if p.in == "header" {
		declared = o.param(openapi.FieldPath{In: openapi.InHeader, Segments: []openapi.Segment{{Kind: openapi.SegName, Name: strings.ToLower(p.name)}}})
	}
	switch {
	case declared != nil && !declared.array && declared.unsupported == "":
		n = paramNormaliser(declared.merged, 0)
	case len(p.at) > 0:
		n = defaultNormaliser(p.at[0].merged)
		for _, at := range p.at[1:] {
			if defaultNormaliser(at.merged) != n {
				return 0
			}
		}
	}
	if n == canon.Exact || n == canon.Generic {
		return 0
	}
	return n
}
