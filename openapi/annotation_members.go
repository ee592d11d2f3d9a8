package openapi

import (
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

const (
	executionTransactional = "transactional"
	executionLeased        = "leased"
)

// The words of members that have a few. The first one is the default, which the contract applies.
var (
	executionWords = []string{executionTransactional, executionLeased}
	takeoverWords  = []string{"recover", "retake", "hold"}
	keyFormatWords = []string{"uuid"} // no format is the default
)

// known are the members of a block (ANNOTATION sections 1 and 3), each with what reads it.
func (b *block) known() []memberReader {
	a := &b.ann
	r := b.reader
	return []memberReader{
		{"name", b.readName},
		{"key", func(m member) { a.Key = r.key(m.value, a.Pos) }},
		{"scope", func(m member) { a.Scope = r.scope(m.value) }},
		{"keyspace", func(m member) { a.Keyspace = r.name(m.value, "keyspace") }},
		{"fingerprint", func(m member) { a.Fingerprint = r.fingerprint(m.value) }},
		{"unique", func(m member) { a.Unique = r.unique(m.value) }},
		{"retention", func(m member) { a.Retention = r.retention(m.value) }},
		{"execution", func(m member) {
			a.Execution = r.word(m.value, "execution", executionWords...)
			a.executionUnread = !a.Execution.Set
		}},
		{"lease", func(m member) { a.Lease = r.duration(m.value, "lease") }},
		{"takeover", func(m member) { a.Takeover = r.word(m.value, "takeover", takeoverWords...) }},
		{"attempts", func(m member) { a.Attempts = r.integer(m.value, "attempts", 1, maxAttempts) }},
		{"concurrent", func(m member) { a.Wait = r.concurrent(m.value) }},
		{"keep", func(m member) { a.KeepExcept = r.keep(m.value) }},
		{"replay", func(m member) { a.Replay = r.replay(m) }},
		{"errors", func(m member) { a.Errors = r.errors(m) }},
		{"exempt", b.readExempt},
		{"operations", b.readOperations},
	}
}

// maxAttempts bounds attempts: more is a retry loop without an end, not a limit.
const maxAttempts = 1000

func (b *block) readName(m member) {
	if b.place != onOperation {
		b.report(m.key, diag.AnnotationOperationOnly, "name belongs to one operation; it cannot be a default for several")
		return
	}
	b.ann.Name = b.name(m.value, "name")
}

func (b *block) readExempt(m member) {
	b.exempt = m.key
	switch {
	case b.place != onOperation:
		b.report(m.key, diag.AnnotationOperationOnly, "exempt is said of one operation; it cannot be a default for several")
	case !isText(m.value) || m.value.Value == "":
		b.reportHint(m.value, diag.AnnotationExempt, "exempt: why", "exempt must be the reason as text, not %s", kindName(m.value))
	default:
		b.ann.Mode = set(b.reader, m.key, ModeExempt)
		b.ann.ExemptReason = set(b.reader, m.value, m.value.Value)
	}
}

// name reads a name that appears in logs, locks and records: text of any script, without control characters.
func (r reader) name(n *yaml.Node, what string) Val[string] {
	none := unset[string](r.s.pos(n))
	text, ok := r.text(n, what)
	if !ok {
		return none
	}
	if fault := nameFault(text); fault != "" {
		r.report(n, diag.AnnotationText, "%s %s", what, fault)
		return none
	}
	return set(r, n, text)
}

// maxName keeps a name, its scope and its key within what a database index holds.
const maxName = 200

func nameFault(text string) string {
	if text == "" {
		return "is empty"
	}
	if len(text) > maxName {
		return "is longer than 200 bytes"
	}
	if text[0] == ' ' || text[len(text)-1] == ' ' {
		return "begins or ends with a blank"
	}
	for _, r := range text {
		if r < 0x20 || r == 0x7F || r != 0xFFFD && invisible(r) {
			return "has a character that cannot be seen"
		}
	}
	return ""
}
