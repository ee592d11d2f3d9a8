package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"unicode/utf8"
)

// SchemaDialect is the draft of JSON Schema that the schemas are written in.
const SchemaDialect = "https://json-schema.org/draft/2020-12/schema"

// jsonSchema is a JSON Schema, or a part of one. Its text has the members of every object in the order of their names.
type jsonSchema = map[string]any

// AnnotationSchema gives the JSON Schema of an operation's annotation: of the value of x-idempotency. What it refuses is refused by the
// decoder too; what only the document around it can show (that a field exists, that a member is inherited) it cannot say.
func AnnotationSchema() ([]byte, error) {
	s := jsonSchema{
		"$schema": SchemaDialect, "title": "x-idempotency of an operation", "$ref": "#/$defs/operation", "$defs": annotationDefs(),
	}
	return SchemaText(s)
}

// DocumentSchema gives the JSON Schema of what OpenAPI documents and overlays say by annotations of this name. It leaves the rest of them
// free, so that an editor can hold it beside the schema of OpenAPI.
func DocumentSchema(extension string) ([]byte, error) {
	if extension == "" {
		extension = defaultExtension
	}
	carrier := func(def string) jsonSchema {
		return jsonSchema{"properties": jsonSchema{extension: ref(def)}}
	}
	defs := annotationDefs()
	item := jsonSchema{extension: ref("pathItem")}
	for member, rule := range grammars[pathItemKind].members {
		if rule == operationRule {
			item[member] = ref("carrier")
		}
	}
	defs["carrier"] = carrier("operation")
	defs["item"] = jsonSchema{"properties": item}
	items := jsonSchema{"additionalProperties": ref("item")}
	document := jsonSchema{
		extension: ref("root"), "paths": items, "webhooks": items, "components": jsonSchema{"properties": jsonSchema{"pathItems": items}},
	}
	// An overlay's update may be about the document, a path item or an operation.
	update := maps.Clone(item)
	maps.Copy(update, document)
	update[extension] = anyOf(ref("operation"), ref("root"))
	document["actions"] = jsonSchema{"items": jsonSchema{"properties": jsonSchema{"update": jsonSchema{"properties": update}}}}
	return SchemaText(jsonSchema{
		"$schema": SchemaDialect, "title": extension + " in OpenAPI documents and overlays", "type": "object", "properties": document, "$defs": defs,
	})
}

// SchemaText writes a schema as indented JSON in ASCII: it holds patterns with characters that nobody would see.
func SchemaText(schema map[string]any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema); err != nil {
		return nil, fmt.Errorf("openapi: write schema: %w", err)
	}
	var out []byte
	for _, r := range b.String() {
		if r < utf8.RuneSelf && r != 0x7F {
			out = append(out, byte(r))
			continue
		}
		out = fmt.Appendf(out, `\u%04x`, r)
	}
	return out, nil
}

func ref(def string) jsonSchema { return jsonSchema{"$ref": "#/$defs/" + def} }

func anyOf(schemas ...jsonSchema) jsonSchema { return jsonSchema{"anyOf": schemas} }

// words is one of a few texts; the first one is the default.
func wordSchema(words []string) jsonSchema { return jsonSchema{"type": "string", "enum": words} }

func integerSchema(low, high int) jsonSchema {
	return jsonSchema{"type": "integer", "minimum": low, "maximum": high}
}

func listSchema(of jsonSchema, least int) jsonSchema {
	return jsonSchema{"type": "array", "items": of, "minItems": least, "uniqueItems": true}
}

// objectSchema is an object with these members and no others.
func objectSchema(members jsonSchema, required ...string) jsonSchema {
	s := jsonSchema{"type": "object", "properties": members, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// described is a schema with what an editor shows beside the member, and the value that it has when nobody writes it; nil: none.
func described(text string, of jsonSchema, otherwise any) jsonSchema {
	out := maps.Clone(of)
	if _, is := of["$ref"]; is {
		out = jsonSchema{"allOf": []jsonSchema{of}}
	}
	out["description"] = text
	if otherwise != nil {
		out["default"] = otherwise
	}
	return out
}
