package openapi

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

const day = 24 * time.Hour

// retention reads a duration or forever.
func (r reader) retention(n *yaml.Node) Val[Retention] {
	if isText(n) && n.Value == "forever" {
		return set(r, n, Retention{Forever: true, Text: n.Value})
	}
	d := r.duration(n, "retention")
	if !d.Set {
		return unset[Retention](d.Pos)
	}
	return set(r, n, Retention{Duration: d.Value, Text: n.Value})
}

// duration reads a duration longer than zero.
func (r reader) duration(n *yaml.Node, what string) Val[time.Duration] {
	none := unset[time.Duration](r.s.pos(n))
	if n.Kind != yaml.ScalarNode {
		r.wrongType(n, what, "a duration such as 30s, 24h or 45d", "")
		return none
	}
	d, err := parseDuration(n.Value)
	if err == nil && isText(n) {
		return set(r, n, d)
	}
	finding := r.finding(n, diag.AnnotationDuration, "%s: %v", what, err)
	if fault := (*durationError)(nil); errors.As(err, &fault) && fault.meant != "" {
		finding.Hint = lastMember(what) + ": " + fault.meant
	}
	r.ds.Add(finding)
	return none
}

// concurrent reads reject, which is a wait of nothing, or {wait: duration}.
func (r reader) concurrent(n *yaml.Node) Val[time.Duration] {
	if n.Kind != yaml.MappingNode {
		if isText(n) && n.Value == "reject" {
			return set(r, n, time.Duration(0))
		}
		r.reportHint(n, diag.AnnotationWord, concurrentHint(n), "concurrent must be reject or {wait: DURATION}, not %s", kindName(n))
		return unset[time.Duration](r.s.pos(n))
	}
	before := r.ds.Len()
	wait := unset[time.Duration](r.s.pos(n))
	r.object(n, "concurrent", []memberReader{
		{"wait", func(m member) { wait = r.duration(m.value, "concurrent.wait") }},
	})
	if !wait.Set && r.ds.Len() == before {
		r.reportHint(n, diag.AnnotationMissing, "concurrent: reject", "concurrent says nothing; it needs wait")
	}
	return wait
}

// concurrentHint is what somebody most likely meant who wrote no object.
func concurrentHint(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		return "concurrent: reject"
	}
	if _, err := parseDuration(n.Value); err == nil {
		return "concurrent: {wait: " + n.Value + "}"
	}
	if near, ok := diag.Nearest(n.Value, []string{"reject", "wait"}); ok && near == "wait" {
		return "concurrent: {wait: 2s}"
	}
	return "concurrent: reject"
}

// durationError is text that is no duration here, and what may have been meant.
type durationError struct {
	text, fault, meant string
}

func (e *durationError) Error() string { return quoteText(e.text) + " " + e.fault }

const (
	faultTooLong = "is longer than 292 years; write forever if a record never expires"
	faultZero    = "is no time at all"
)

// parseDuration reads an integer with s, m, h or d, or an ISO 8601 duration of weeks, days and smaller: 90s, 24h, 45d, P30D, PT12H.
// Years and months have no fixed length and are refused. A day is 24 hours.
func parseDuration(text string) (time.Duration, error) {
	fail := func(meant, fault string) (time.Duration, error) {
		return 0, &durationError{text: text, fault: fault, meant: meant}
	}
	switch {
	case text == "":
		return fail("", "is not a duration such as 90s, 24h, 45d or P30D")
	case text == "forever":
		return fail("", "has an end here; only retention may be forever")
	case text[0] == '-':
		return fail("", "is negative")
	case text[0] == 'P':
		return parseISODuration(text)
	}
	digits := leadingDigits(text)
	count, unit := text[:digits], text[digits:]
	if count == "" {
		return fail("", "is not a duration such as 90s, 24h, 45d or P30D")
	}
	if unit == "" && strings.Trim(count, "0") != "" {
		return fail(text+"s", "has no unit: s, m, h or d")
	}
	size, known := durationUnits[cmp.Or(unit, "s")]
	if !known {
		return fail(respell(text), "is not one number with s, m, h or d, and no ISO 8601 duration either")
	}
	return scale(text, count, size)
}

var durationUnits = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": day}

func leadingDigits(text string) int {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return i
		}
	}
	return len(text)
}

// scale multiplies and says when the result is no duration.
func scale(text, count string, size time.Duration) (time.Duration, error) {
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || n > math.MaxInt64/int64(size) {
		return 0, &durationError{text: text, fault: faultTooLong}
	}
	if n == 0 {
		return 0, &durationError{text: text, fault: faultZero}
	}
	return time.Duration(n) * size, nil
}

// respell guesses at what other tools' spellings mean: 1h30m, 2 days, 5min, 24H.
func respell(text string) string {
	if d, err := time.ParseDuration(lowerASCII(text)); err == nil && d > 0 && d%time.Second == 0 {
		return wholeUnits(d)
	}
	digits := leadingDigits(text)
	unit := strings.TrimSpace(lowerASCII(text[digits:]))
	if unit == "w" || strings.HasPrefix(unit, "week") {
		if n, err := strconv.Atoi(text[:digits]); err == nil && n > 0 && n < 10_000 {
			return strconv.Itoa(7*n) + "d"
		}
	}
	for _, known := range []string{"sec", "min", "hour", "hr", "day"} {
		if strings.HasPrefix(unit, known) || unit == known[:1] {
			return text[:digits] + known[:1]
		}
	}
	return ""
}

// wholeUnits writes d with the largest unit that divides it.
func wholeUnits(d time.Duration) string {
	for _, unit := range []string{"h", "m"} {
		if size := durationUnits[unit]; d%size == 0 {
			return strconv.FormatInt(int64(d/size), 10) + unit
		}
	}
	return strconv.FormatInt(int64(d/time.Second), 10) + "s"
}
