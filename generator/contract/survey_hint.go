package contract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Title names the operation in messages: POST /payments.
func (s *Survey) Title() string { return s.o.title() }

// Annotated is the name under which the annotation stands: the extension's, or the operation's in the member operations of the root.
func (s *Survey) Annotated() string { return s.o.annotated() }

// FieldsPos is where findings about the choice of fields belong.
func (s *Survey) FieldsPos() diag.Pos { return s.o.fieldsPos() }

// Listed reports whether fields is a list, so that every part stands in one of two.
func (s *Survey) Listed() bool { return !s.o.choice.all }

// Entry is a part as an entry of a list in block style.
func (s *Survey) Entry(text string) string { return yamlText(text, blockText) }

// InScope reports whether the part at text tells callers apart, so that their keys never meet.
func (s *Survey) InScope(text string) bool {
	return slices.ContainsFunc(s.Contract.Scope, func(t ScopeTerm) bool { return same(t.Text, text) })
}

// LeasedHint makes the operation leased. One that nobody could find again (IDG326) demands its key then.
func (s *Survey) LeasedHint() string {
	a := &s.o.src.Annotation
	const leased = "execution: leased"
	if s.Contract.Key.Required || s.Contract.Unique != nil {
		return s.o.memberHint(a.Execution.Set, leased)
	}
	key := "key: " + keyLongForm(a.Key.Value, true)
	if s.o.shortForm() {
		return s.o.annotated() + ": {" + leased + ", " + key + "}"
	}
	return leased + "\n" + key
}

// IgnoredHint puts a part into ignored.
func (s *Survey) IgnoredHint(text string) string {
	hint := s.o.ignoredHint(text)
	if member, ok := strings.CutPrefix(hint, "fingerprint: "); ok {
		return s.o.memberHint(s.o.src.Annotation.Fingerprint.Set, "fingerprint: "+member)
	}
	return hint
}

// DecideHint is an entry for either list. Where there is no list of fields, only ignored takes one.
func (s *Survey) DecideHint(text string) string {
	if s.o.choice.all {
		return s.IgnoredHint(text)
	}
	return "- " + yamlText(text, blockText) + "   # in fields: another value is another command; in ignored: it is the same one"
}

// FieldsHint gives the rules of parts a member (as, default, sensitive) and keeps their others. Where all parts count the hint lists all, and so
// means the same of them: body covers what is declared below it.
func (s *Survey) FieldsHint(texts []string, member, word string) string {
	fp := s.o.src.Annotation.Fingerprint
	if !s.o.choice.all {
		lines := make([]string, len(texts))
		for i, text := range texts {
			lines[i] = "- " + yamlText(text, blockText) + ": " + s.ruleWith(text, member, word) + "   # in fields"
		}
		return strings.Join(lines, "\n")
	}
	var fields []string
	for _, p := range s.o.params {
		if s.o.counts(p) && !slices.ContainsFunc(texts, func(text string) bool { return same(p.text, text) }) {
			fields = append(fields, yamlText(p.text, flowText))
		}
	}
	if s.o.tree != nil && !s.o.leftOut(s.o.tree.root, selected) {
		fields = append(fields, bodyText)
	}
	for _, text := range texts {
		fields = append(fields, yamlText(text, flowText)+": "+s.ruleWith(text, member, word))
	}
	members := "fields: [" + strings.Join(fields, ", ") + "]"
	if list := fp.Value.Ignored; len(list) > 0 {
		ignored := make([]string, len(list))
		for i, path := range list {
			ignored[i] = yamlText(path.String(), flowText)
		}
		members += ", ignored: [" + strings.Join(ignored, ", ") + "]"
	}
	if s.o.tree != nil {
		members += ", unknown: " + orDefault(fp.Value.Unknown, "include")
	}
	return s.o.memberHint(fp.Set, "fingerprint: {"+members+"}")
}

// same reports whether two field paths name one part: the case of a header's name does not matter.
func same(a, b string) bool {
	x, errX := openapi.ParseFieldPath(a)
	y, errY := openapi.ParseFieldPath(b)
	return errX == nil && errY == nil && x.Equal(y)
}

// ruleWith is the rule of the part at text with one member more, or another one.
func (s *Survey) ruleWith(text, member, word string) string {
	has := map[string]string{}
	for _, r := range s.o.src.Annotation.Fingerprint.Value.Fields {
		if !same(r.Path.String(), text) {
			continue
		}
		for name, v := range map[string]openapi.Val[string]{"as": r.As, "null": r.Null, "default": r.Default} {
			if v.Set {
				has[name] = v.Value
			}
		}
		if r.Sensitive.Set {
			has["sensitive"] = strconv.FormatBool(r.Sensitive.Value)
		}
	}
	has[member] = word
	if len(has) == 1 && member == "as" {
		return word
	}
	var members []string
	for _, name := range []string{"as", "null", "default", "sensitive"} {
		if has[name] != "" {
			members = append(members, name+": "+has[name])
		}
	}
	return "{" + strings.Join(members, ", ") + "}"
}
