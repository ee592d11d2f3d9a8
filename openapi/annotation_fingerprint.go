package openapi

import (
	"go/token"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// normalisers are the names of ANNOTATION section 4, in its order.
var normalisers = []string{
	"exact", "int", "decimal", "double", "boolean", "instant", "uuid", "base64", "digest",
	"ascii-lower", "ascii-upper", "ascii-trim", "list", "set", "multiset", "generic",
}

// The words of members that have a few, the default first. Of unknown it depends on the schema.
var (
	fingerprintWords = []string{"all", "none"}
	unknownWords     = []string{"reject", "ignore", "include"}
	nullWords        = []string{"distinct", "absent"}
	defaultWords     = []string{"distinct", "materialise"}
)

// fingerprint reads all, none, or the long form.
func (r reader) fingerprint(n *yaml.Node) Val[Fingerprint] {
	pos := r.s.pos(n)
	f := newFingerprint(pos)
	switch n.Kind {
	case yaml.MappingNode:
		r.fingerprintObject(n, &f)
		return set(r, n, f)
	case yaml.SequenceNode:
		r.reportHint(n, diag.AnnotationType, "fingerprint: {fields: […]}", "fingerprint must be all, none or an object; a list belongs into its member fields")
		return Val[Fingerprint]{Value: f, Pos: pos}
	}
	mode := r.word(n, "fingerprint", fingerprintWords...)
	switch mode.Value {
	case "all":
		f.Mode = FingerprintAll
	case "none":
		f.Mode = FingerprintNone
	}
	return Val[Fingerprint]{Value: f, Pos: pos, Set: mode.Set}
}

// fingerprintObject reads the long form. Without `fields` every field counts that `ignored` leaves.
func (r reader) fingerprintObject(n *yaml.Node, f *Fingerprint) {
	f.Mode = FingerprintAll
	fields, ignored := newListed(r, "fingerprint.fields"), newListed(r, "fingerprint.ignored")
	r.object(n, "fingerprint", []memberReader{
		{"fields", func(m member) { f.Mode, f.Fields = r.fields(m.value, fields) }},
		{"ignored", func(m member) { f.Ignored = r.ignored(m.value, ignored) }},
		{"unknown", func(m member) { f.Unknown = r.word(m.value, "fingerprint.unknown", unknownWords...) }},
		{"view", func(m member) { f.View = r.view(m.value) }},
	})
	for _, path := range f.Ignored {
		first, both := fields.at[path.identity()]
		if !both {
			continue
		}
		r.ds.Add(diag.Diagnostic{Pos: path.Pos, Code: diag.AnnotationTwice,
			Message: path.String() + " is both in fields and in ignored",
			Related: []diag.Related{{Pos: r.s.pos(first), Message: "listed in fields here"}}})
	}
}

func (r reader) fields(n *yaml.Node, seen listed) (FingerprintMode, []FieldRule) {
	if n.Kind == yaml.ScalarNode {
		hint := ""
		if n.Value == "none" {
			hint = "fingerprint: none"
		}
		if !isText(n) || n.Value != "all" {
			r.reportHint(n, diag.AnnotationWord, hint, "fingerprint.fields must be all or a list, not %s", kindName(n))
		}
		return FingerprintAll, nil
	}
	if n.Kind == yaml.MappingNode {
		r.report(n, diag.AnnotationType, "fingerprint.fields must be a list; a field with its normaliser is an entry: - body.amount: decimal")
		return FingerprintFields, nil
	}
	entries, _ := r.items(n, "fingerprint.fields", 0)
	var rules []FieldRule
	for _, entry := range entries {
		if at, rule, ok := r.fieldRule(entry); ok && seen.add(at, rule.Path.identity()) {
			rules = append(rules, rule)
		}
	}
	return FingerprintFields, rules
}

// fieldRule reads PATH, {PATH: normaliser} or {PATH: {as: …}}. at is the node of the path itself.
func (r reader) fieldRule(n *yaml.Node) (at *yaml.Node, rule FieldRule, ok bool) {
	if n.Kind != yaml.MappingNode {
		rule, ok = r.newRule(n)
		return n, rule, ok
	}
	entries, _ := r.members(n, "an entry of fingerprint.fields", nil)
	if len(entries) != 1 {
		r.report(n, diag.AnnotationType, "an entry of fingerprint.fields has one field path, not %d; begin each with its own dash", len(entries))
		return n, FieldRule{}, false
	}
	if rule, ok = r.newRule(entries[0].key); ok {
		r.ruleValue(entries[0].value, &rule)
	}
	return entries[0].key, rule, ok
}

func (r reader) newRule(n *yaml.Node) (FieldRule, bool) {
	path, ok := r.path(n, "an entry of fingerprint.fields")
	return FieldRule{Path: path, As: unset[string](path.Pos), Null: unset[string](path.Pos),
		Default: unset[string](path.Pos), Sensitive: unset[bool](path.Pos)}, ok
}

func (r reader) ruleValue(n *yaml.Node, rule *FieldRule) {
	what := rule.Path.String()
	switch {
	case isNull(n):
		r.reportHint(n, diag.AnnotationMissing, "- "+what, "%s: has no normaliser; without one the colon goes", what)
	case n.Kind == yaml.MappingNode:
		r.object(n, "the rule of "+what, []memberReader{
			{"as", func(m member) { rule.As = r.word(m.value, "as", normalisers...) }},
			{"null", func(m member) { rule.Null = r.word(m.value, "null", nullWords...) }},
			{"default", func(m member) { rule.Default = r.word(m.value, "default", defaultWords...) }},
			{"sensitive", func(m member) { rule.Sensitive = r.boolean(m.value, "sensitive") }},
		})
	case longForms[n.Value] != "":
		r.reportHint(n, diag.AnnotationWord, "- "+what+": "+longForms[n.Value], "%s is no normaliser of %s: it stands in an object", quoteText(n.Value), what)
	default:
		rule.As = r.wordOf(n, "the normaliser of "+what, what+": ", normalisers)
	}
}

// longForms are words that stand in an object, by what somebody may write in the place of a normaliser.
var longForms = map[string]string{
	"sensitive": "{sensitive: true}", "absent": "{null: absent}", "materialise": "{default: materialise}", "materialize": "{default: materialise}",
}

func (r reader) ignored(n *yaml.Node, seen listed) []FieldPath {
	entries, _ := r.items(n, "fingerprint.ignored", 0)
	var paths []FieldPath
	for _, entry := range entries {
		if path, ok := r.path(entry, "an entry of fingerprint.ignored"); ok && seen.add(entry, path.identity()) {
			paths = append(paths, path)
		}
	}
	return paths
}

// view reads NAME, or {name: NAME, sensitive: …}.
func (r reader) view(n *yaml.Node) Val[View] {
	pos := r.s.pos(n)
	v, named := View{Sensitive: unset[bool](pos)}, false
	if n.Kind != yaml.MappingNode {
		if v.Name, named = r.viewName(n, "fingerprint.view"); !named {
			return unset[View](pos)
		}
		return set(r, n, v)
	}
	before := r.ds.Len()
	r.object(n, "fingerprint.view", []memberReader{
		{"name", func(m member) { v.Name, named = r.viewName(m.value, "fingerprint.view.name") }},
		{"sensitive", func(m member) { v.Sensitive = r.boolean(m.value, "fingerprint.view.sensitive") }},
	})
	switch {
	case named:
		return set(r, n, v)
	case r.ds.Len() == before:
		r.reportHint(n, diag.AnnotationMissing, "view: {name: claims}", "fingerprint.view names no function of the program")
	}
	return unset[View](pos)
}

// viewName reads the name of a function of the program.
func (r reader) viewName(n *yaml.Node, what string) (string, bool) {
	name, ok := r.text(n, what)
	switch {
	case !ok:
		return "", false
	case !token.IsIdentifier(name) || slices.ContainsFunc([]byte(name), func(c byte) bool { return c >= 0x80 }):
		r.report(n, diag.AnnotationText, "%s %s is not a Go identifier of ASCII letters, digits and _", what, quoteText(name))
		return "", false
	case nameFault(name) != "":
		r.report(n, diag.AnnotationText, "%s %s", what, nameFault(name))
		return "", false
	}
	return name, true
}
