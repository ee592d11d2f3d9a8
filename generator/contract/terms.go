package contract

import (
	"net/textproto"
	"slices"
	"strconv"
	"time"

	"github.com/idemgen/idemgen/openapi/diag"
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
	c.Retention, c.RetentionText = o.readRetention(c.Lease)
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

// readRetention reads how long a record answers. lease is 0 where there is none.
func (o *operation) readRetention(lease time.Duration) (time.Duration, string) {
	r := o.src.Annotation.Retention
	switch {
	case !r.Set:
		return defaultRetention, retentionText(defaultRetention)
	case r.Value.Forever:
		return Forever, retentionText(Forever)
	case r.Value.Duration < defaultRetention:
		message := " is shorter than a day: a later retry runs again"
		if r.Value.Duration < lease {
			message = " is shorter than the lease " + durationText(lease) + ": a retry may come when the record of an attempt is gone already"
		}
		o.found.Add(diag.Diagnostic{Pos: r.Pos, Code: diag.RetentionShort, Message: "retention " + retentionText(r.Value.Duration) + message, Hint: "retention: 24h"})
	}
	return r.Value.Duration, retentionText(r.Value.Duration)
}

// retentionText spells a retention in one way, whatever way the annotation chose: 24h, 45d, forever.
func retentionText(d time.Duration) string {
	if d == Forever {
		return "forever"
	}
	return durationText(d)
}

// durationText spells a duration in one way: 90s, 15m, 24h, 45d.
func durationText(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
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
