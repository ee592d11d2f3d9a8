package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator"
)

// writeRecord writes what is stored for a request, for people.
func writeRecord(b *strings.Builder, e *generator.ExplainedRecord) {
	b.WriteString("\nin the database\n")
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	if e.Keyspace != "" {
		line("place", "scope %s, keyspace %s", plain(string(e.Scope)), plain(e.Keyspace))
	}
	if r := e.Stored; r == nil {
		line("record", "none")
	} else {
		writeStored(line, r)
	}
	answer := e.Answer
	if e.Status != 0 {
		answer += fmt.Sprintf(", %d", e.Status)
	}
	if e.Code != "" {
		answer += " " + string(e.Code)
	}
	if e.Version != 0 {
		answer += fmt.Sprintf(", by version %d", e.Version)
	}
	line("the answer", "%s: %s", answer, plain(e.Why))
	for _, field := range e.Differ {
		line("differs", "%s", plain(field))
	}
}

func writeStored(line func(name, format string, args ...any), r *generator.StoredRecord) {
	state := r.State
	for _, also := range []struct {
		holds bool
		text  string
	}{{r.Expired, "expired"}, {r.LeaseOver, "lease over"}, {r.ByBusiness, "found by its business key"}} {
		if also.holds {
			state += ", " + also.text
		}
	}
	line("record", "%s", r.ID)
	line("state", "%s", state)
	line("operation", "%s, attempt %d", plain(r.Operation), r.Attempt)
	line("created", "%s", instant(&r.Created))
	if r.Completed != nil {
		line("completed", "%s", instant(r.Completed))
	}
	line("expires", "%s", instant(r.Expires))
	if r.LeaseUntil != nil {
		line("lease", "until %s", instant(r.LeaseUntil))
	}
	for _, f := range r.Fingerprints {
		line("contract", "%s", fingerprintText(f))
	}
	if len(r.Phases) > 0 {
		line("phases", "%s", plain(strings.Join(r.Phases, ", ")))
	}
	if r.Status != 0 {
		line("response", "%s", responseText(r))
	}
}

func instant(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.RFC3339Nano)
}

func fingerprintText(f generator.StoredFingerprint) string {
	text := "id " + f.ID
	if f.Version != 0 {
		text = fmt.Sprintf("version %d, id %s", f.Version, f.ID)
	}
	if f.KeyID != 0 {
		text += fmt.Sprintf(", keyed by %d", f.KeyID)
	}
	return text
}

func responseText(r *generator.StoredRecord) string {
	parts := []string{fmt.Sprintf("status %d", r.Status)}
	switch {
	case r.Sealed:
		parts = append(parts, "headers and body sealed")
	case len(r.Headers) > 0:
		parts = append(parts, "headers "+plain(strings.Join(r.Headers, ", ")))
	}
	if r.NotKept {
		return strings.Join(append(parts, "a body that was too large to keep"), ", ")
	}
	return strings.Join(append(parts, fmt.Sprintf("body of %d bytes", r.BodySize)), ", ")
}
