package propose

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Line is one line of YAML, without what stands before it on every line. Entry is what stands on it, where that can be refused by itself.
type Line struct {
	Text  string
	Draft *Draft // nil for what belongs to no operation
	Entry *Entry
}

// ScopeComment says what the proposed scope means.
const ScopeComment = "undecided: whom does a key belong to? Your authentication supplies tenant; [tenant, user] unless everybody in a tenant may see the answers"

// KeyComment says where the key stands that no operation names.
const KeyComment = "the key is the header Idempotency-Key, and required, where an operation says nothing else"

// DefaultLines are the lines of the member extension at the document's root. keyed says that a default for the key stands there already.
func DefaultLines(extension string, keyed bool) []Line {
	lines := []Line{{Text: blockText(extension) + ":"}, {Text: "  " + comment(KeyComment)}, {Text: "  " + comment(ScopeComment)}, {Text: "  scope: [tenant]"}}
	if keyed {
		return append(lines[:1], lines[2:]...)
	}
	return lines
}

// ScopeLines are the member scope alone, for an annotation that has others.
func ScopeLines() []Line {
	return []Line{{Text: comment(ScopeComment)}, {Text: "scope: [tenant]"}}
}

// Lines are those of the member called name, which is the annotation: the extension at an operation, or an operationId among others.
func (d *Draft) Lines(name string) []Line {
	w := &writer{draft: d}
	w.line(0, blockText(name)+":", "", nil)
	for _, text := range append(append([]string(nil), d.notes...), d.Told...) {
		w.line(1, comment(text), "", nil)
	}
	if d.exempt != "" {
		w.line(1, "exempt: "+quoted(d.exempt), "undecided: exempt is a guess from its name; if it changes something, a repetition has to be recognised", nil)
		return w.lines
	}
	if d.Name != "" {
		w.line(1, "name: "+blockText(d.Name), "the operationId names another operation too", nil)
	}
	if d.ScopeHere {
		w.line(1, "scope: [tenant]", ScopeComment, nil)
	}
	w.key(d.key)
	w.fingerprint(d)
	return w.lines
}

type writer struct {
	draft *Draft
	lines []Line
}

func (w *writer) line(level int, text, why string, e *Entry) {
	text = strings.Repeat("  ", level) + text
	if why != "" {
		text += "  " + comment(why)
	}
	w.lines = append(w.lines, Line{Text: text, Draft: w.draft, Entry: e})
}

func (w *writer) key(e *Entry) {
	switch {
	case e == nil:
	case e.Value != "":
		w.line(1, "key: "+e.Value, e.Comment, e)
	default:
		w.line(1, "key: "+blockText(e.Path), e.Comment, e)
	}
}

// fingerprint writes the short form where nothing else is to be said.
func (w *writer) fingerprint(d *Draft) {
	every := fmt.Sprintf("all %d declared parts, and those to come", d.tops)
	if d.tops == 0 {
		every = "the request declares nothing that could differ"
	}
	if d.all && len(d.ignored) == 0 && d.unknown == "" {
		w.line(1, "fingerprint: all", every, nil)
		return
	}
	w.line(1, "fingerprint:", "", nil)
	switch {
	case d.all:
		w.line(2, "fields: all", every, nil)
	case len(d.fields) == 0:
		w.line(2, "fields: []", "", nil)
	default:
		w.list("fields:", d.fields)
	}
	if len(d.ignored) > 0 {
		w.list("ignored:", d.ignored)
	}
	switch d.unknown {
	case "include":
		w.line(2, "unknown: include", "undeclared members count; `reject` answers them with 400", nil)
	case "reject":
		w.line(2, "unknown: reject", "as the schemas say: they are closed", nil)
	}
}

func (w *writer) list(name string, entries []*Entry) {
	w.line(2, name, "", nil)
	for _, e := range entries {
		text := "- " + blockText(e.Path)
		if e.Value != "" {
			text += ": " + e.Value
		}
		w.line(3, text, e.Comment, e)
	}
}

// comment is the one way for text of a document into a comment: it stays on its line.
func comment(text string) string {
	return "# " + strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

var (
	plainBlock = regexp.MustCompile(`^[A-Za-z$][A-Za-z0-9_.\[\]'"/{}()$@~!%+=^|*&,:;-]*$`)
	plainFlow  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./$@+-]*$`)
	yamlWord   = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)
)

// blockText writes text as a member's name, or as a value that has its line for itself.
func blockText(text string) string {
	if plainBlock.MatchString(text) && !yamlWord.MatchString(text) && !strings.HasSuffix(text, ":") {
		return text
	}
	return quoted(text)
}

// flowText writes text as a value in braces or brackets.
func flowText(text string) string {
	if plainFlow.MatchString(text) && !yamlWord.MatchString(text) {
		return text
	}
	return quoted(text)
}

// quoted writes text in double quotes, or in single ones where that needs fewer escapes.
func quoted(text string) string {
	if strings.ContainsAny(text, `"\`) && !strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r > 0x7E }) {
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsPrint(r) && r != unicode.ReplacementChar:
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
