package openapi

import (
	"bytes"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// reducer writes the document that kin-openapi reads: the annotated operations, and the schemas that they reach, nothing else.
// Faults outside of that stop nobody, and references across files have become references inside one.
//
// The text is JSON that a YAML reader takes for the same. Operation number i is the POST of path /i; component names are numbers,
// so nothing that a document calls its parts can break it.
type reducer struct {
	v        version
	refs     *resolver
	ds       *diag.List
	unions   *unions
	b        bytes.Buffer
	keywords []keyword
	names    map[*yaml.Node]string // of schemas that a $ref leads to
	queue    []place               // those whose text is still to be written
}

func newReducer(v version, refs *resolver, u *unions, ds *diag.List) *reducer {
	return &reducer{v: v, refs: refs, ds: ds, unions: u, keywords: schemaKeywords(),
		names: map[*yaml.Node]string{}}
}

// reduce gives the text for ops.
func (r *reducer) reduce(ops []*parts) []byte {
	fmt.Fprintf(&r.b, `{"openapi":%q,"info":{"title":"","version":""},"paths":{`, r.v.canonical())
	for i, op := range ops {
		r.comma(i)
		fmt.Fprintf(&r.b, "\"/%d\":", i)
		r.operation(op)
	}
	r.b.WriteString(`},"components":{"schemas":{`)
	for i := 0; i < len(r.queue); i++ {
		r.comma(i)
		r.b.WriteString(`"` + r.names[r.queue[i].node] + `":`)
		r.schema(r.queue[i])
	}
	r.b.WriteString("}}}\n")
	return r.b.Bytes()
}

func (r *reducer) text(text string) { r.b.Write(appendString(r.b.AvailableBuffer(), text)) }

// comma separates entries, one on a line: kin-openapi's messages name lines.
func (r *reducer) comma(i int) {
	if i > 0 {
		r.b.WriteByte(',')
	}
	r.b.WriteByte('\n')
}

func (r *reducer) operation(op *parts) {
	r.b.WriteString(`{"post":{"parameters":[`)
	for i, p := range op.params {
		r.comma(i)
		r.parameter(p)
	}
	r.b.WriteByte(']')
	if op.body != nil {
		r.b.WriteString(`,"requestBody":{`)
		r.flag(op.body.at, "required")
		r.b.WriteString(`"content":{`)
		for i, m := range op.body.media {
			r.comma(i)
			r.text(m.key.node.Value)
			r.b.WriteByte(':')
			r.media(m.schema)
		}
		r.b.WriteString("}}")
	}
	r.b.WriteString(`,"responses":{}}}`)
}

func (r *reducer) parameter(p paramPart) {
	r.b.WriteString(`{"name":`)
	r.text(p.name)
	fmt.Fprintf(&r.b, `,"in":%q,`, p.in.String())
	r.flag(p.at, "required")
	r.flag(p.at, "explode")
	if style := p.at.in("style"); style.node != nil && isText(style.node) {
		r.b.WriteString(`"style":`)
		r.text(style.node.Value)
		r.b.WriteByte(',')
	}
	if p.media != "" {
		r.b.WriteString(`"content":{`)
		r.text(p.media)
		r.b.WriteByte(':')
		r.media(p.schema)
		r.b.WriteString("}}")
		return
	}
	r.b.WriteString(`"schema":`)
	r.optional(p.schema)
	r.b.WriteByte('}')
}

// flag writes a boolean member and a comma, or reports why not.
func (r *reducer) flag(p place, name string) {
	n := p.in(name)
	switch {
	case n.node == nil:
	case isBool(n.node):
		r.b.WriteString(strconv.Quote(name) + ":" + strconv.FormatBool(isTrue(n.node)) + ",")
	default:
		r.wrongKeyword(n, name, "true or false")
	}
}

func (r *reducer) media(schema place) {
	r.b.WriteString(`{"schema":`)
	r.optional(schema)
	r.b.WriteByte('}')
}

// optional writes the schema, or the one that allows everything where none was declared.
func (r *reducer) optional(p place) {
	if p.node == nil {
		r.b.WriteString("{}")
		return
	}
	r.schema(p)
}

func (r *reducer) wrongKeyword(p place, name, want string) {
	r.ds.Add(diag.Diagnostic{Pos: p.pos(), Code: diag.WrongKeyword,
		Message: fmt.Sprintf("%s is %s, not %s", name, want, kindName(p.node))})
}

func (r *reducer) wrongShape(p place, name, want string) {
	r.ds.Add(diag.Diagnostic{Pos: p.pos(), Code: diag.WrongShape,
		Message: fmt.Sprintf("%s is %s, not %s", name, want, kindName(p.node))})
}

// name gives the component name of the schema at p, and has it written later.
func (r *reducer) name(p place) string {
	name, ok := r.names[p.node]
	if !ok {
		name = "S" + strconv.Itoa(len(r.names))
		r.names[p.node] = name
		r.queue = append(r.queue, p)
	}
	return name
}
