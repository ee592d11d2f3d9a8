package contract

import (
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// kind is what a schema describes, as far as fingerprints are concerned.
type kind uint8

const (
	scalarKind kind = iota + 1
	objectKind
	mapKind // an object whose undeclared members have a schema
	arrayKind
	genericKind   // any JSON value: nothing inside it can be selected
	unionKind     // one of several kinds of values, and each says which
	recursionKind // of places alone: what stands above them, once more
	fileKind      // of places alone: bytes
)

// freeForm is the reason of objects without any declared member.
const freeForm = "a free-form object"

// merged is what a schema and the parts of its allOf say together.
type merged struct {
	pos         diag.Pos
	name        string // the component's name, for Go names
	identity    string // equal for schemas of one structure
	kind        kind
	reason      string // of genericKind, for messages: "a union (oneOf, anyOf)"
	types       []string
	format      string
	encoding    string
	mediaType   string // of what a text holds
	enum        bool
	nullable    bool
	defaultText string
	readOnly    bool
	writeOnly   bool
	doc         string
	props       []prop // sorted in canonical order
	closed      bool   // undeclared members are refused
	entries     []*openapi.Schema
	items       []*openapi.Schema
	branches    []*openapi.Schema // of oneOf and anyOf
	union       *union            // of unionKind
	conflict    *diag.Diagnostic
}

// prop is one declared member; its schemas all hold.
type prop struct {
	name     string
	pos      diag.Pos
	required bool
	schemas  []*openapi.Schema
}

// merger merges schemas, each combination once.
type merger struct {
	ids    map[*openapi.Schema]int
	memo   map[string]*merged
	copies map[copyOf]*openapi.Schema
	forms  bool // values may come in forms, where every single one is a text
}

func newMerger() *merger {
	return &merger{ids: map[*openapi.Schema]int{}, memo: map[string]*merged{}, copies: map[copyOf]*openapi.Schema{}}
}

// key names a combination of schemas. The numbers follow the order of first use and never leave this package.
func (m *merger) key(schemas []*openapi.Schema) string {
	var b strings.Builder
	for _, s := range schemas {
		id, ok := m.ids[s]
		if !ok {
			id = len(m.ids)
			m.ids[s] = id
		}
		b.WriteString(strconv.Itoa(id))
		b.WriteByte(' ')
	}
	return b.String()
}

// identify names the structure that parts describe: the same for a schema and for one that is it or null.
func (m *merger) identify(parts []*openapi.Schema) string {
	var structural []*openapi.Schema
	for _, s := range parts {
		switch {
		case wrapper(s):
		case s.CopyOf != nil:
			structural = append(structural, s.CopyOf)
		default:
			structural = append(structural, s)
		}
	}
	return m.key(structural)
}

// merge gives what all of schemas say together. None at all describes any value.
func (m *merger) merge(schemas []*openapi.Schema) *merged {
	key := m.key(schemas)
	if out, ok := m.memo[key]; ok {
		return out
	}
	parts := flatten(schemas)
	out := &merged{identity: m.identify(parts), kind: genericKind, reason: "a union (oneOf, anyOf)"}
	m.memo[key] = out // a union that consists of itself meets it there, as a branch that cannot be told
	if len(schemas) > 0 && schemas[0] != nil {
		out.pos = schemas[0].Pos
	}
	gather(out, parts)
	out.nullable = nullableAll(schemas)
	out.decideKind()
	if out.kind == genericKind && out.conflict == nil && (len(out.branches) > 0 || len(out.types) > 1) {
		if out.union = m.union(out, parts); out.union != nil {
			out.kind = unionKind
		}
	}
	return out
}

// flatten lists schemas with the parts of their allOf and the only branch of a union, each once.
func flatten(schemas []*openapi.Schema) []*openapi.Schema {
	var out []*openapi.Schema
	seen := map[*openapi.Schema]bool{nil: true}
	var visit func(s *openapi.Schema)
	visit = func(s *openapi.Schema) {
		if seen[s] {
			return
		}
		seen[s] = true
		out = append(out, s)
		for _, part := range s.AllOf {
			visit(part)
		}
		for _, union := range [][]*openapi.Schema{s.OneOf, s.AnyOf} {
			if branches := realBranches(union); len(branches) == 1 {
				visit(branches[0])
			}
		}
	}
	for _, s := range schemas {
		visit(s)
	}
	return out
}

// realBranches leaves out null alone, and gives no branch at all when none describes a value: some documents write
// oneOf: [{required: [a]}, {required: [b]}] to say "one of these members".
func realBranches(union []*openapi.Schema) []*openapi.Schema {
	seen := map[*openapi.Schema]bool{nil: true}
	branches := slices.DeleteFunc(slices.Clone(union), func(s *openapi.Schema) bool {
		twice := seen[s]
		seen[s] = true
		return twice || s.Nullable && shapeless(s)
	})
	if !slices.ContainsFunc(branches, func(s *openapi.Schema) bool { return !shapeless(s) }) {
		return nil
	}
	return branches
}

// shapeless reports whether s says nothing about the structure of a value, itself or through other schemas.
func shapeless(s *openapi.Schema) bool {
	named := slices.ContainsFunc(s.Properties, func(p openapi.Property) bool { return !bare(p.Schema) })
	return !named && len(s.Types) == 0 && len(s.Enum) == 0 && s.Format == "" && s.Encoding == "" && s.MediaType == "" &&
		!s.Additional.Set && s.Items == nil && len(s.AllOf) == 0 && len(s.OneOf) == 0 && len(s.AnyOf) == 0
}

// wrapper reports whether s adds no structure of its own to the schemas that it is composed of.
func wrapper(s *openapi.Schema) bool {
	return len(s.Types) == 0 && len(s.Properties) == 0 && len(s.Enum) == 0 && s.Format == "" && s.Encoding == "" && s.MediaType == "" &&
		!s.Additional.Set && s.Items == nil && len(realBranches(s.OneOf)) < 2 && len(realBranches(s.AnyOf)) < 2
}

// bare reports whether a property's schema is missing or says nothing at all: then the property stands for a `required` alone.
func bare(s *openapi.Schema) bool {
	return s == nil || !s.False && !s.Nullable && len(s.Properties) == 0 && shapeless(s)
}

// anything reports whether s allows every value, so that it types nothing.
func anything(s *openapi.Schema) bool { return s == nil || bare(s) && s.Default == "" }

// gather collects what the parts say into out.
func gather(out *merged, parts []*openapi.Schema) {
	props := map[string]*prop{}
	for _, s := range parts {
		if out.name == "" {
			out.name = s.Name
		}
		if out.doc == "" {
			out.doc = s.Description
		}
		if out.defaultText == "" {
			out.defaultText = s.Default
		}
		out.readOnly = out.readOnly || s.ReadOnly
		out.writeOnly = out.writeOnly || s.WriteOnly
		out.enum = out.enum || len(s.Enum) > 0
		out.gatherTypes(s)
		out.gatherFormat(s)
		out.gatherMembers(s, props)
		for _, union := range [][]*openapi.Schema{s.OneOf, s.AnyOf} {
			if branches := realBranches(union); len(branches) > 1 {
				out.branches = append(out.branches, branches...)
			}
		}
	}
	for _, p := range props {
		out.props = append(out.props, *p)
	}
	slices.SortFunc(out.props, func(a, b prop) int { return canon.CompareNames(a.name, b.name) })
	if len(out.types) == 0 && out.enum && allText(parts) {
		out.types = []string{"string"}
	}
}

func (out *merged) gatherTypes(s *openapi.Schema) {
	if len(s.Types) == 0 {
		return
	}
	types := slices.Clone(s.Types)
	slices.Sort(types)
	if len(out.types) == 0 {
		out.types = types
		return
	}
	both := commonTypes(out.types, types)
	if len(both) == 0 && out.conflict == nil {
		out.conflict = &diag.Diagnostic{Pos: s.Pos, Code: diag.SchemaConflict,
			Message: "allOf wants " + strings.Join(out.types, " or ") + " and also " + strings.Join(types, " or ")}
	}
	slices.Sort(both)
	out.types = both
}

// commonTypes is the intersection, in which an integer is a number too.
func commonTypes(a, b []string) []string {
	var out []string
	for _, t := range a {
		if slices.Contains(b, t) || t == "integer" && slices.Contains(b, "number") {
			out = append(out, t)
		}
	}
	if slices.Contains(a, "number") && slices.Contains(b, "integer") && !slices.Contains(out, "integer") {
		out = append(out, "integer")
	}
	return out
}

func (out *merged) gatherFormat(s *openapi.Schema) {
	if out.encoding == "" {
		out.encoding = s.Encoding
	}
	if out.mediaType == "" {
		out.mediaType = s.MediaType
	}
	switch {
	case s.Format == "" || s.Format == out.format:
	case out.format == "":
		out.format = s.Format
	case textNormaliser(out.format, "") != textNormaliser(s.Format, "") && out.conflict == nil:
		out.conflict = &diag.Diagnostic{Pos: s.Pos, Code: diag.SchemaConflict,
			Message: "allOf wants format " + out.format + " and also " + s.Format + ", which compare in different ways"}
	}
}

func (out *merged) gatherMembers(s *openapi.Schema, props map[string]*prop) {
	for _, p := range s.Properties {
		known := props[p.Name]
		if known == nil {
			known = &prop{name: p.Name, pos: p.Pos}
			props[p.Name] = known
		}
		known.required = known.required || p.Required
		if p.Schema != nil && !slices.Contains(known.schemas, p.Schema) {
			known.schemas = append(known.schemas, p.Schema)
		}
	}
	if s.Items != nil {
		out.items = append(out.items, s.Items)
	}
	if s.Additional.Set && !s.Additional.Allow {
		out.closed = true
	}
	if s.Additional.Allow && !anything(s.Additional.Schema) {
		out.entries = append(out.entries, s.Additional.Schema)
	}
}

// allText reports whether every enum value is a string, null apart.
func allText(parts []*openapi.Schema) bool {
	texts := 0
	for _, s := range parts {
		for _, v := range s.Enum {
			switch {
			case strings.HasPrefix(v, `"`):
				texts++
			case v != "null":
				return false
			}
		}
	}
	return texts > 0
}

// decideKind turns what was gathered into a kind. A schema without a type that names members or elements is taken for what it names.
func (out *merged) decideKind() {
	if len(out.types) == 2 && out.types[0] == "integer" && out.types[1] == "number" {
		out.types = []string{"number"}
	}
	if len(out.types) == 0 && out.conflict == nil {
		switch {
		case len(out.props) > 0 || len(out.entries) > 0 || out.closed:
			out.types = []string{"object"}
		case len(out.items) > 0:
			out.types = []string{"array"}
		}
	}
	switch {
	case out.conflict != nil:
		out.kind, out.reason = genericKind, "a schema that contradicts itself"
	case len(out.branches) > 0:
		out.kind, out.reason = genericKind, "a union (oneOf, anyOf)"
	case len(out.types) == 0:
		out.kind, out.reason = genericKind, "a schema without a type"
	case len(out.types) > 1:
		out.kind, out.reason = genericKind, "a schema with several types"
	case out.types[0] == "array":
		out.kind = arrayKind
	case out.types[0] == "object":
		out.decideObject()
	default:
		out.kind = scalarKind
	}
}

func (out *merged) decideObject() {
	switch {
	case len(out.entries) > 0 && !out.closed:
		out.kind = mapKind
	case len(out.props) > 0 || out.closed:
		out.kind = objectKind
	default:
		out.kind, out.reason = genericKind, freeForm
	}
}
