package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/idemgen/idemgen/generator/lint"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// configMembers are the members of the file. They are read into c.
func configMembers(c *Config) []member {
	return append([]member{
		{name: "documents", text: "The documents, in the order in which they are generated. Without an argument the verbs take all of them.", shape: documents(c)},
		{name: "lint", text: "How much warnings weigh, by code: off, warning or error.", shape: levels(c)},
		{name: "accept", text: "Findings that are right as they are, each with the reason. One that matches nothing is a warning.", shape: acceptances(c)},
		{name: "strict", text: "Count warnings as errors (--strict).", shape: boolean(&c.Strict)},
	}, settingsMembers(&c.Settings)...)
}

// settingsMembers can stand at the top, for all documents, and at each document.
func settingsMembers(s *Settings) []member {
	return []member{
		{name: "extension", text: "The annotation's name, by default x-idempotency (--extension).", shape: extension(&s.Extension)},
		{name: "webhooks", text: "Allow annotations under webhooks, for a program that receives them (--webhooks).", shape: boolean(&s.Webhooks)},
		{name: "skip-unsupported", text: "Leave out, with a warning, operations that cannot be generated yet (--skip-unsupported).", shape: boolean(&s.SkipUnsupported)},
		{name: "base", text: "Git revision of what is released (--base).", shape: text(&s.Base)},
	}
}

func documentMembers(d *Document) []member {
	return append([]member{
		{name: "path", text: "The document's file, relative to the folder of idemgen.yaml.", required: true, shape: path(&d.Path)},
		{name: "overlays", text: "OpenAPI Overlay 1.0 files, applied in order (--overlay).", shape: paths(&d.Overlays)},
		{name: "out", text: "Folder of the Go package; by default one with the package's name beside the document (--out).", shape: path(&d.Out)},
		{name: "package", text: "Name of the Go package; by default made of the document's file name (--package).", shape: text(&d.Package)},
		{name: "server", text: "Package of the server to bind to: a folder that begins with ./ or ../, an import path, or none; by default the one that is generated from the document (--server).", shape: packagePath(&d.Server)},
		{name: "bind", text: "Folder of the binding; by default bind in the folder of the Go package (--bind).", shape: path(&d.Bind)},
		{name: "lock", text: "Lock file; by default <base>.idempotency.lock.yaml beside the document (--lock).", shape: path(&d.Lock)},
	}, settingsMembers(&d.Settings)...)
}

// documents are paths, or objects with a path.
func documents(c *Config) shape {
	s := jsonSchema{"type": "array", "items": jsonSchema{"anyOf": []jsonSchema{
		{"type": "string", "pattern": pathPattern}, objectSchema(documentMembers(&Document{})),
	}}}
	return shape{s, func(r *reader, v openapi.Value, what string) {
		first := map[string]diag.Pos{}
		for _, item := range r.list(v, what) {
			d := Document{Pos: item.Pos}
			if item.Kind == openapi.ObjectValue {
				r.object(item, "a document", documentMembers(&d))
			} else {
				path(&d.Path).read(r, item, "a document")
			}
			if !d.Path.Set {
				continue
			}
			clean := filepath.Clean(d.Path.Value)
			if before, twice := first[clean]; twice {
				r.twice(d.Path.Pos, before, "the document %s is listed twice", filepath.ToSlash(clean))
				continue
			}
			first[clean] = d.Path.Pos
			c.Documents = append(c.Documents, d)
		}
	}}
}

func (r *reader) twice(pos, before diag.Pos, format string, args ...any) {
	r.found.Add(diag.Diagnostic{Pos: pos, Code: diag.ConfigTwice, Message: fmt.Sprintf(format, args...),
		Related: []diag.Related{{Pos: before, Message: "the first one"}}})
}

// warnings are the codes whose findings a team may weigh.
func warnings() (codes []string, titles map[string]string) {
	titles = map[string]string{}
	for _, info := range diag.Codes() {
		if info.Severity == diag.Warning {
			codes = append(codes, string(info.Code))
			titles[string(info.Code)] = info.Title
		}
	}
	return codes, titles
}

// levels are words by code.
func levels(c *Config) shape {
	codes, titles := warnings()
	properties := jsonSchema{}
	for _, code := range codes {
		properties[code] = jsonSchema{"description": titles[code], "type": "string", "enum": lint.Levels}
	}
	s := jsonSchema{"type": "object", "properties": properties, "additionalProperties": false}
	return shape{s, func(r *reader, v openapi.Value, what string) {
		if v.Kind != openapi.ObjectValue {
			r.wrongType(v, what, "an object of codes", "lint: {"+string(diag.RetentionShort)+": off}")
			return
		}
		for _, m := range v.Members {
			code, ok := r.code(m.Pos, m.Name)
			if !ok {
				continue
			}
			level, ok := lint.ParseLevel(m.Value.Text)
			if !ok || m.Value.Kind != openapi.TextValue {
				near, _ := diag.Nearest(m.Value.Text, lint.Levels)
				r.report(m.Value.Pos, diag.ConfigValue, near, "%s must be off, warning or error, not %s", m.Name, m.Value.Describe())
				continue
			}
			c.Levels[code] = level
		}
	}}
}

// code takes codes of warnings.
func (r *reader) code(pos diag.Pos, name string) (diag.Code, bool) {
	info, ok := diag.Lookup(diag.Code(name))
	switch {
	case !ok:
		meant := "IDG" + strings.TrimPrefix(strings.ToUpper(name), "IDG")
		if _, known := diag.Lookup(diag.Code(meant)); !known {
			meant = ""
		}
		r.report(pos, diag.ConfigValue, meant, "no diagnostic is called %q; idemgen explain lists them", name)
	case info.Severity == diag.Error:
		r.report(pos, diag.ConfigFixed, "", "%s is an error by itself and stays one: %s", info.Code, info.Title)
	default:
		return info.Code, true
	}
	return "", false
}

// acceptanceMembers are read into a.
func acceptanceMembers(a *lint.Acceptance) []member {
	codes, _ := warnings()
	code := shape{jsonSchema{"type": "string", "enum": codes}, func(r *reader, v openapi.Value, what string) {
		if v.Kind != openapi.TextValue {
			r.wrongType(v, what, "a code such as "+string(diag.RetentionShort), "")
			return
		}
		a.Code, _ = r.code(v.Pos, v.Text)
	}}
	return []member{
		{name: "code", text: "The finding's code.", required: true, shape: code},
		{name: "at", text: "Where it is: an operation (its contract's name, its operationId, POST /payments), or file:line.", required: true, shape: line(&a.At)},
		{name: "reason", text: "Why it is right as it is.", required: true, shape: line(&a.Reason)},
	}
}

// line is text whose place nobody asks for.
func line(to *string) shape {
	var v openapi.Val[string]
	s := text(&v)
	return shape{s.schema, func(r *reader, value openapi.Value, what string) {
		s.read(r, value, what)
		*to = v.Value
	}}
}

func acceptances(c *Config) shape {
	s := jsonSchema{"type": "array", "items": objectSchema(acceptanceMembers(&lint.Acceptance{}))}
	return shape{s, func(r *reader, v openapi.Value, what string) {
		type place struct {
			code diag.Code
			at   string
		}
		first := map[place]diag.Pos{}
		for _, item := range r.list(v, what) {
			a := lint.Acceptance{Pos: item.Pos}
			r.object(item, "an entry of "+what, acceptanceMembers(&a))
			if a.Code == "" || a.At == "" {
				continue
			}
			at := place{a.Code, a.At}
			if before, twice := first[at]; twice {
				r.twice(item.Pos, before, "%s at %s is accepted twice", a.Code, a.At)
				continue
			}
			first[at] = item.Pos
			c.Accepted = append(c.Accepted, a)
		}
	}}
}
