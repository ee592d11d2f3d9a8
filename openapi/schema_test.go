package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// show writes a schema on one line. A schema that stands around itself is written as its name and ↑.
func show(s *Schema) string {
	var b strings.Builder
	open := map[*Schema]bool{}
	var write func(s *Schema)
	list := func(name string, of []*Schema) {
		if of == nil {
			return
		}
		b.WriteString(" " + name + "(")
		for i, c := range of {
			if i > 0 {
				b.WriteString(" | ")
			}
			write(c)
		}
		b.WriteString(")")
	}
	write = func(s *Schema) {
		b.WriteString(s.Name)
		if open[s] {
			b.WriteString("↑")
			return
		}
		open[s] = true
		defer delete(open, s)
		b.WriteString("<" + strings.Join(s.Types, ","))
		for _, flag := range []struct {
			on   bool
			text string
		}{
			{s.Nullable, "null"}, {s.False, "false"}, {s.ReadOnly, "readOnly"}, {s.WriteOnly, "writeOnly"},
			{s.Format != "", "format=" + s.Format}, {s.Encoding != "", "encoding=" + s.Encoding},
			{s.UniqueItems, "unique"},
			{s.Pattern != "", "pattern=" + s.Pattern}, {s.MinLength > 0, fmt.Sprint("min=", s.MinLength)},
			{s.Enum != nil, "enum=" + strings.Join(s.Enum, ",")}, {s.Default != "", "default=" + s.Default},
			{s.Description != "", "description=" + s.Description}, {s.Additional.Set, fmt.Sprint("additional=", s.Additional.Allow)},
		} {
			if flag.on {
				b.WriteString(" " + flag.text)
			}
		}
		if s.MaxLength != nil {
			fmt.Fprint(&b, " max=", *s.MaxLength)
		}
		for _, p := range s.Properties {
			b.WriteString(" ." + p.Name)
			if p.Required {
				b.WriteByte('!')
			}
			if p.Schema != nil {
				write(p.Schema)
			}
		}
		if s.Items != nil {
			b.WriteString(" []")
			write(s.Items)
		}
		if s.Additional.Schema != nil {
			b.WriteString(" *")
			write(s.Additional.Schema)
		}
		list("allOf", s.AllOf)
		list("oneOf", s.OneOf)
		list("anyOf", s.AnyOf)
		if d := s.Discriminator; d != nil {
			b.WriteString(" by " + d.Property)
			for _, m := range d.Mapping {
				b.WriteString(" " + m.Value + "→" + m.Schema.Name)
			}
		}
		b.WriteByte('>')
	}
	write(s)
	return strings.ReplaceAll(b.String(), "< ", "<")
}

const components = `
components:
  schemas:
    Money: {type: object, properties: {amount: {type: string}}}
    Text: {type: string}
    Null: {type: "null"}
    Alias: {$ref: '#/components/schemas/Text'}
    Tree: {type: object, properties: {left: {$ref: '#/components/schemas/Tree'}, items: {type: array, items: {$ref: '#/components/schemas/Tree'}}}}
    List: {type: object, properties: {next: {anyOf: [{$ref: '#/components/schemas/List'}, {type: "null"}]}}}
    Maybe: {oneOf: [{$ref: '#/components/schemas/Text'}, {type: "null"}]}
    MaybeMaybe: {oneOf: [{$ref: '#/components/schemas/Maybe'}, {type: "null"}], description: twice}
    Pet: {type: object, discriminator: {propertyName: kind}, properties: {kind: {type: string}}}
    Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {claws: {type: integer}}}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Pet'}]}
    Shape: {oneOf: [{$ref: '#/components/schemas/Circle'}, {$ref: '#/components/schemas/Square'}], properties: {at: {type: string}}}
    Circle: {allOf: [{$ref: '#/components/schemas/Shape'}], properties: {r: {type: number}}}
    Square: {allOf: [{allOf: [{$ref: '#/components/schemas/Shape'}]}], properties: {a: {type: number}}}
`

// bodySchema loads a document whose one operation has a JSON body of the given schema.
func bodySchema(t *testing.T, version, schema string) (*Schema, string) {
	t.Helper()
	text := "openapi: " + version + `
info: {title: t, version: "1"}
paths:
  /payments:
    post:
      x-idempotency: {scope: [tenant]}
      requestBody: {content: {application/json: {schema: ` + schema + "}}}" + components
	doc, ds, err := load(memory{"a.yaml": text}, "a.yaml", Options{})
	require.NoError(t, err)
	require.NotNil(t, doc, short(ds))
	return doc.Operations[0].Body.Media[0].Schema, short(ds)
}

func TestSchemas(t *testing.T) {
	for _, c := range []struct{ version, schema, want string }{
		{"3.0.3", `{}`, `<>`},
		{"3.0.3", `{type: string, nullable: true, minLength: 1, maxLength: 35, pattern: '^a$', format: uuid, description: d}`,
			`<string null format=uuid pattern=^a$ min=1 description=d max=35>`},
		{"3.1.0", `{type: [string, "null"]}`, `<string null>`},
		{"3.1.0", `{type: [string, null]}`, `<string null>`},
		{"3.1.0", `{type: [string, integer, "null"]}`, `<string,integer null>`},
		{"3.1.0", `{type: "null"}`, `<null enum=null>`},
		{"3.1.0", `{type: null}`, `<null enum=null>`},
		{"3.1.0", `{type: string, contentEncoding: base64}`, `<string encoding=base64>`},
		{"3.1.0", `true`, `<>`},
		{"3.1.0", `{type: object, properties: {a: false, b: true}}`, `<object .a<false> .b<>>`},
		{"3.0.3", `{type: object, required: [b, zz], properties: {z: {}, a: {}, b: {}}}`, `<object .z<> .a<> .b!<> .zz!>`},
		{"3.0.3", `{type: array, items: {type: integer}}`, `<array []<integer>>`},
		{"3.0.3", `{type: array}`, `<array>`},

		// Values keep every digit, in JSON's spelling.
		{"3.0.3", `{default: 12345678901234567890}`, `<default=12345678901234567890>`},
		{"3.0.3", `{default: 0.10, enum: [1e3, 0x1F, 0o17, 1_000, .5, -5., +7, "1", true, null, 2020-01-01, {b: [1, "x"], a: ~}]}`,
			`<enum=1e3,31,15,1000,0.5,-5,7,"1",true,null,"2020-01-01",{"b":[1,"x"],"a":null} default=0.10>`},
		{"3.0.3", `{default: ''}`, `<default="">`},
		{"3.0.3", `{default: null}`, `<default=null>`},
		{"3.1.0", `{const: 10000000000000000000000.5}`, `<enum=10000000000000000000000.5>`},
		{"3.0.3", `{default: "\u2028\x7F💸\\\""}`, `<default="\u2028\u007f💸\\\"">`},

		// Undeclared members.
		{"3.0.3", `{additionalProperties: false}`, `<additional=false>`},
		{"3.0.3", `{additionalProperties: true}`, `<additional=true>`},
		{"3.0.3", `{additionalProperties: {type: string}}`, `<additional=true *<string>>`},
		{"3.1.0", `{unevaluatedProperties: false}`, `<additional=false>`},
		{"3.1.0", `{additionalProperties: false, patternProperties: {^x-: {}}}`, `<additional=true>`},

		// References.
		{"3.0.3", `{$ref: '#/components/schemas/Money'}`, `Money<object .amount<string>>`},
		{"3.0.3", `{$ref: '#/components/schemas/Alias'}`, `Text<string>`},
		{"3.0.3", `{$ref: '#/components/schemas/Money/properties/amount'}`, `amount<string>`},
		{"3.0.3", `{$ref: '#/components/schemas/Tree'}`, `Tree<object .leftTree↑ .items<array []Tree↑>>`},
		{"3.0.3", `{$ref: '#/components/schemas/Text', default: x, nullable: true}`, `Text<string>`},
		{"3.1.0", `{$ref: '#/components/schemas/Text', default: x}`, `<default="x" allOf(Text<string>)>`},
		{"3.1.0", `{$ref: '#/components/schemas/Text', description: only told, readOnly: false}`, `Text<string>`},
		{"3.1.0", `{$ref: '#/components/schemas/Text', maxLength: 3, allOf: [{minLength: 1}]}`, `<max=3 allOf(Text<string> | <min=1>)>`},
		{"3.0.3", `{properties: {a: {$ref: '#/components/schemas/Text', readOnly: true, maxLength: 3}}}`, `<.a<readOnly allOf(Text<string>)>>`},
		{"3.0.3", `{properties: {a: {allOf: [{$ref: '#/components/schemas/Text'}], writeOnly: true}}}`, `<.a<writeOnly allOf(Text<string>)>>`},
		{"3.1.0", `{$defs: {d: {type: integer}}, properties: {a: {$ref: '#/paths/~1payments/post/requestBody/content/application~1json/schema/$defs/d'}}}`, `<.ad<integer>>`},
		{"3.1.0", `{properties: {a: {$anchor: here, type: integer}, b: {$ref: '#here'}}}`, `<.ahere<integer> .bhere<integer>>`},

		// Null among branches.
		{"3.1.0", `{anyOf: [{$ref: '#/components/schemas/Money'}, {type: "null"}]}`, `Money<object null .amount<string>>`},
		{"3.1.0", `{oneOf: [{type: "null"}, {type: string}], default: null, description: d, readOnly: true}`, `<string null readOnly default=null description=d>`},
		{"3.1.0", `{oneOf: [{type: string}, {type: integer}, {enum: [null]}]}`, `<null oneOf(<string> | <integer>)>`},
		{"3.1.0", `{anyOf: [{$ref: '#/components/schemas/Text'}, {$ref: '#/components/schemas/Null'}]}`, `Text<string null>`},
		{"3.1.0", `{anyOf: [{const: null}, {type: ["null"]}]}`, `<null enum=null>`},
		{"3.1.0", `{type: string, anyOf: [{maxLength: 3}, {type: "null"}]}`, `<string null anyOf(<max=3>)>`},
		{"3.1.0", `{$ref: '#/components/schemas/List'}`, `List<object .nextList<object null .nextList↑>>`},
		{"3.1.0", `{$ref: '#/components/schemas/MaybeMaybe'}`, `MaybeMaybe<string null description=twice>`},

		// Unions.
		{"3.0.3", `{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Text'}, {type: integer}], discriminator: {propertyName: k, mapping: {t: Text, cat: '#/components/schemas/Cat', Alias: Alias}}}`,
			`<oneOf(Cat<allOf(Pet<object .kind<string> by kind Cat→Cat Dog→Dog> | <.claws<integer>>)> | Text<string> | <integer>) by k Alias→Text Cat→Cat Text→Text cat→Cat t→Text>`},
		{"3.0.3", `{$ref: '#/components/schemas/Pet'}`, `Pet<object .kind<string> by kind Cat→Cat Dog→Dog>`},

		// A base that lists its variants, each of which names the base.
		{"3.0.3", `{$ref: '#/components/schemas/Shape'}`,
			`Shape<.at<string> oneOf(Circle<.r<number> allOf(Shape<.at<string>>)> | Square<.a<number> allOf(<allOf(Shape<.at<string>>)>)>)>`},
		{"3.0.3", `{$ref: '#/components/schemas/Circle'}`, `Circle<.r<number> allOf(Shape<.at<string>>)>`},
	} {
		t.Run(c.version+" "+c.schema, func(t *testing.T) {
			s, found := bodySchema(t, c.version, c.schema)
			assert.Empty(t, found)
			assert.Equal(t, c.want, show(s))
		})
	}
}

func TestSharedSchemasAreOnePointer(t *testing.T) {
	s, found := bodySchema(t, "3.1.0", `{properties: {a: {$ref: '#/components/schemas/Money'}, b: {$ref: '#/components/schemas/Money', description: d}, c: {items: {$ref: '#/components/schemas/Money'}}, d: {$ref: '#/components/schemas/Tree'}, e: {$ref: '#/components/schemas/Money/properties/amount'}}}`)
	require.Empty(t, found)
	a := s.Properties[0].Schema
	assert.Same(t, a, s.Properties[1].Schema)
	assert.Same(t, a, s.Properties[2].Schema.Items)
	tree := s.Properties[3].Schema
	assert.Same(t, tree, tree.Properties[0].Schema)
	assert.Same(t, tree, tree.Properties[1].Schema.Items)
	assert.Same(t, a.Properties[0].Schema, s.Properties[4].Schema, "a reference into the middle of a schema")

	s, found = bodySchema(t, "3.1.0", `{properties: {e: {$ref: '#/components/schemas/Money/properties/amount'}, a: {$ref: '#/components/schemas/Money'}}}`)
	require.Empty(t, found)
	assert.Same(t, s.Properties[0].Schema, s.Properties[1].Schema.Properties[0].Schema, "the same before the schema itself was met")
}

func TestSchemaPlaces(t *testing.T) {
	text := `{
  "openapi": "3.0.3", "info": {"title": "t", "version": "1"},
  "paths": {"/p": {"post": {"x-idempotency": {"scope": ["tenant"]},
    "requestBody": {"content": {"application/json": {"schema": {"$ref": "b.yaml#/Body"}}}}}}}
}`
	other := "Body:\n  type: object\n  additionalProperties: false\n  discriminator: {propertyName: a}\n  properties:\n    a: {type: string}\n"
	doc, ds, err := load(memory{"dir/a.json": text, "dir/b.yaml": other}, "dir/a.json", Options{})
	require.NoError(t, err)
	require.Empty(t, short(ds))
	op := doc.Operations[0]
	assert.Equal(t, "dir/a.json:3:20", op.Pos.String())
	assert.Equal(t, "dir/a.json:4:5", op.Body.Pos.String())
	assert.Equal(t, "dir/a.json:4:33", op.Body.Media[0].Pos.String())
	s := op.Body.Media[0].Schema
	assert.Equal(t, "dir/b.yaml:2:3", s.Pos.String())
	assert.Equal(t, "dir/b.yaml:3:25", s.Additional.Pos.String())
	assert.Equal(t, "dir/b.yaml:4:3", s.Discriminator.Pos.String())
	assert.Equal(t, "dir/b.yaml:6:5", s.Properties[0].Pos.String())
	assert.Equal(t, "dir/b.yaml:6:8", s.Properties[0].Schema.Pos.String())
}

func TestDiscriminatorMappingToNothingIsAWarning(t *testing.T) {
	_, found := bodySchema(t, "3.0.3", `{oneOf: [{$ref: '#/components/schemas/Text'}], discriminator: {propertyName: k, mapping: {a: Txt, b: '#/components/schemas/Txt'}}}`)
	assert.Equal(t, `a.yaml:7:151: warning: the discriminator's mapping names the schema "Txt", which does not exist [IDG113]
a.yaml:7:159: warning: the $ref "#/components/schemas/Txt" points to nothing: the document at /components/schemas has no "Txt" [IDG113]
`, found)
}
