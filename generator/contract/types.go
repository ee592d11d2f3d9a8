package contract

import (
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// typer makes the Go types of a command. Names are without the operation's; the naming of the package completes them.
type typer struct {
	o       *operation
	done    map[string]*Type // by structure, where no line of fields asks for anything special
	current map[string]bool  // structures that are being made: meeting one again is recursion
}

// makeTypes gives c its command: every declared parameter and body member, whether it counts or not.
func (o *operation) makeTypes(c *Contract) {
	t := &typer{o: o, done: map[string]*Type{}, current: map[string]bool{}}
	for _, p := range o.params {
		cp, ok := t.param(p)
		if !ok {
			continue
		}
		switch p.path.In {
		case openapi.InPath:
			c.PathParams = append(c.PathParams, cp)
		case openapi.InQuery:
			c.QueryParams = append(c.QueryParams, cp)
		case openapi.InHeader:
			c.HeaderParams = append(c.HeaderParams, cp)
		case openapi.InBody:
		}
	}
	if o.tree != nil {
		c.BodyRequired, c.Spec = o.src.Body.Required, o.spec
		root := o.tree.root
		switch {
		case root.file:
			c.BodyType = &Type{Kind: TypeBytes}
		case root.merged.nullable:
			c.BodyType = &Type{Kind: TypeRaw} // null is a body too
		default:
			c.BodyType = t.of(root.merged, root.path, "Body")
		}
	}
}

// param gives a parameter its type. One that does not count and has no single text is left out: it has no plain Go type.
func (t *typer) param(p *param) (CommandParam, bool) {
	if p.unsupported != "" {
		return CommandParam{}, false
	}
	out := CommandParam{Name: p.name, Required: p.required, Index: p.index, Doc: p.merged.doc}
	if p.declared != nil {
		out.Name = p.declared.Name
	}
	switch {
	case p.array && p.path.In == openapi.InQuery:
		elem := scalarType(p.element, t.o.choice.asked[p.text+"[]"].as)
		out.Type, out.Split = &Type{Kind: TypeList, Elem: &Type{Kind: elem}}, p.split
	case p.array:
		out.Type = &Type{Kind: TypeString} // as it was sent
	default:
		out.Type = &Type{Kind: scalarType(p.merged, t.o.choice.asked[p.text].as)}
	}
	if out.Type.Kind == TypeRaw {
		out.Type.Kind = TypeString
	}
	if elem := out.Type.Elem; elem != nil && elem.Kind == TypeRaw {
		elem.Kind = TypeString
	}
	return out, true
}

// of gives the type of what m describes at path. Structs get the name of their component, else the one that is handed in.
func (t *typer) of(m *merged, path openapi.FieldPath, name string) *Type {
	text := path.String()
	asked := t.o.choice.asked[text].as
	if asked == canon.Generic && m.kind != scalarKind || t.current[m.identity] {
		return &Type{Kind: TypeRaw}
	}
	if t.o.tree.partOf(path) && m.kind != arrayKind && t.o.tree.asFile(&place{merged: m, path: path}) {
		return &Type{Kind: TypeBytes}
	}
	switch m.kind {
	case arrayKind:
		elem := t.below(m, m.items, path, openapi.SegElement, name+"Item")
		return &Type{Kind: TypeList, Elem: elem}
	case mapKind:
		if len(m.props) > 0 {
			return &Type{Kind: TypeRaw} // no struct holds members and entries
		}
		return &Type{Kind: TypeMap, Elem: t.below(m, m.entries, path, openapi.SegWildcard, name+"Value")}
	case objectKind:
		return t.object(m, path, text, name)
	case scalarKind, genericKind, unionKind, recursionKind, fileKind:
	}
	return &Type{Kind: scalarType(m, asked)}
}

func (t *typer) below(m *merged, schemas []*openapi.Schema, path openapi.FieldPath, step openapi.SegmentKind, name string) *Type {
	t.current[m.identity] = true
	defer delete(t.current, m.identity)
	of := t.o.merger.merge(schemas)
	if of.nullable {
		return &Type{Kind: TypeRaw} // a list of plain values has no place for a null
	}
	return t.of(of, below(path, openapi.Segment{Kind: step}), name)
}

// object makes a struct once for each structure, so that a large schema costs what it is long, not what it unfolds to.
func (t *typer) object(m *merged, path openapi.FieldPath, text, name string) *Type {
	special := t.asksBelow(text)
	if known := t.done[m.identity]; known != nil && !special {
		return known
	}
	if m.name != "" && path.In == openapi.InBody && len(path.Segments) > 0 {
		name = exported(m.name)
	}
	out := &Type{Kind: TypeStruct, GoName: name}
	if !special {
		t.done[m.identity] = out
	}
	t.current[m.identity] = true
	defer delete(t.current, m.identity)
	fields := newNames("UnmarshalJSON") // the method of structs with names that no tag can spell
	for _, p := range m.props {
		pm := t.o.merger.merge(p.schemas)
		if pm.readOnly {
			continue
		}
		goName := fields.unique(exported(p.name))
		out.Fields = append(out.Fields, TypeField{
			Name: p.name, GoName: goName, Optional: !p.required, Nullable: pm.nullable, Doc: pm.doc,
			Type: t.of(pm, below(path, openapi.Segment{Kind: openapi.SegName, Name: p.name}), name+goName),
		})
	}
	return out
}

// asksBelow reports whether a line of fields chooses a normaliser below text, so that the struct there is one of its own.
func (t *typer) asksBelow(text string) bool {
	for place, a := range t.o.choice.asked {
		if a.as != 0 && strings.HasPrefix(place, text) && len(place) > len(text) && strings.ContainsRune(".[", rune(place[len(text)])) {
			return true
		}
	}
	return false
}

// scalarType is the Go type of single values, as their normaliser reads them.
func scalarType(m *merged, asked canon.Normaliser) TypeKind {
	n := asked
	if n == 0 {
		n = defaultNormaliser(m)
	}
	if n == canon.Decimal || n == canon.Double {
		return TypeNumber
	}
	if m.kind != scalarKind {
		return TypeRaw
	}
	switch m.types[0] {
	case "string":
		return textType(m)
	case "integer":
		return integerType(m.format)
	case "number":
		return TypeNumber
	case "boolean":
		return TypeBool
	}
	return TypeRaw
}

func textType(m *merged) TypeKind {
	n := defaultNormaliser(m)
	if n == canon.Instant {
		return TypeInstant
	}
	if n == canon.Base64 {
		return TypeBytes
	}
	return TypeString
}

func integerType(format string) TypeKind {
	switch format {
	case "int32", "int16", "int8", "uint16", "uint8":
		return TypeInt32
	case "uint64":
		return TypeNumber
	}
	return TypeInt64
}
