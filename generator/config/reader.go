package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// jsonSchema is a part of a JSON Schema.
type jsonSchema = map[string]any

// shape is what a value may be: how it is read, and the schema that says the same. what names the value in messages.
type shape struct {
	schema jsonSchema
	read   func(r *reader, v openapi.Value, what string)
}

// member is one member of an object.
type member struct {
	name     string
	text     string // what an editor shows
	required bool
	shape
}

// reader reads values strictly. It goes on after a finding.
type reader struct {
	folder string // that paths are relative to
	found  diag.List
}

func (r *reader) report(pos diag.Pos, code diag.Code, hint, format string, args ...any) {
	r.found.Add(diag.Diagnostic{Pos: pos, Code: code, Hint: hint, Message: fmt.Sprintf(format, args...)})
}

func (r *reader) wrongType(v openapi.Value, what, want, hint string) {
	r.report(v.Pos, diag.ConfigType, hint, "%s must be %s, not %s", what, want, v.Describe())
}

// object reads v as an object with these members and no others. An empty file, or an empty value, has none.
func (r *reader) object(v openapi.Value, what string, members []member) {
	if v.Kind != openapi.ObjectValue {
		r.wrongType(v, what, "an object", "")
		return
	}
	seen := map[string]bool{}
	for _, m := range v.Members {
		i := slices.IndexFunc(members, func(known member) bool { return known.name == m.Name })
		if i < 0 {
			r.unknown(m, what, members)
			continue
		}
		seen[m.Name] = true
		members[i].read(r, m.Value, m.Name)
	}
	for _, m := range members {
		if m.required && !seen[m.name] {
			r.report(v.Pos, diag.ConfigMissing, m.name+":", "%s has no %s", what, m.name)
		}
	}
}

func (r *reader) unknown(m openapi.ValueMember, what string, members []member) {
	names := make([]string, len(members))
	for i, known := range members {
		names[i] = known.name
	}
	near, ok := diag.Nearest(m.Name, names)
	message := fmt.Sprintf("%s has no member %q", what, m.Name)
	if !ok {
		message += "; it has " + strings.Join(names, ", ")
	}
	r.report(m.Pos, diag.ConfigMember, near, "%s", message)
}

// objectSchema is the schema of an object with these members.
func objectSchema(members []member) jsonSchema {
	properties, required := jsonSchema{}, []string{}
	for _, m := range members {
		s := jsonSchema{"description": m.text}
		for key, value := range m.schema {
			s[key] = value
		}
		properties[m.name] = s
		if m.required {
			required = append(required, m.name)
		}
	}
	s := jsonSchema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

func val[T any](v openapi.Value, value T) openapi.Val[T] {
	return openapi.Val[T]{Value: value, Pos: v.Pos, Set: true}
}

func boolean(to *openapi.Val[bool]) shape {
	return shape{jsonSchema{"type": "boolean"}, func(r *reader, v openapi.Value, what string) {
		if v.Kind != openapi.BoolValue {
			r.wrongType(v, what, "true or false", "")
			return
		}
		*to = val(v, strings.EqualFold(v.Text, "true"))
	}}
}

// text is a line that says something.
func text(to *openapi.Val[string]) shape {
	return shape{jsonSchema{"type": "string", "pattern": `^[^\x00-\x1f]*[^\x00-\x20][^\x00-\x1f]*$`}, func(r *reader, v openapi.Value, what string) {
		if s, ok := r.line(v, what); ok {
			*to = val(v, s)
		}
	}}
}

func (r *reader) line(v openapi.Value, what string) (string, bool) {
	switch {
	case v.Kind != openapi.TextValue:
		r.wrongType(v, what, "text", "")
	case strings.Trim(v.Text, " ") == "" || strings.ContainsFunc(v.Text, func(c rune) bool { return c < 0x20 }):
		r.report(v.Pos, diag.ConfigValue, "", "%s must be a line of text, not %s", what, v.Describe())
	default:
		return v.Text, true
	}
	return "", false
}

// pathPattern is a path that is the same file on every machine.
const pathPattern = `^[^/\\\x00-\x1f][^\\\x00-\x1f]*$`

// path is one relative to the file's folder.
func path(to *openapi.Val[string]) shape {
	return shape{jsonSchema{"type": "string", "pattern": pathPattern}, func(r *reader, v openapi.Value, what string) {
		if p, ok := r.path(v, what); ok {
			*to = val(v, p)
		}
	}}
}

func (r *reader) path(v openapi.Value, what string) (string, bool) {
	p, ok := r.line(v, what)
	if !ok {
		return "", false
	}
	if strings.HasPrefix(p, "/") || strings.Contains(p, `\`) || filepath.IsAbs(p) || filepath.VolumeName(p) != "" {
		r.report(v.Pos, diag.ConfigValue, "", "%s must be relative to the folder of idemgen.yaml, with forward slashes, not %s", what, v.Describe())
		return "", false
	}
	return filepath.Join(r.folder, filepath.FromSlash(p)), true
}

func paths(to *openapi.Val[[]string]) shape {
	s := jsonSchema{"type": "array", "items": jsonSchema{"type": "string", "pattern": pathPattern}}
	return shape{s, func(r *reader, v openapi.Value, what string) {
		var out []string
		for _, item := range r.list(v, what) {
			if p, ok := r.path(item, "an entry of "+what); ok {
				out = append(out, p)
			}
		}
		*to = val(v, out)
	}}
}

// list gives the entries of a list. A single text is told the brackets that it lacks.
func (r *reader) list(v openapi.Value, what string) []openapi.Value {
	if v.Kind == openapi.ListValue {
		return v.Items
	}
	hint := ""
	if v.Kind == openapi.TextValue {
		hint = what + ": [" + v.Text + "]"
	}
	r.wrongType(v, what, "a list", hint)
	return nil
}

// extension is the name of an annotation.
func extension(to *openapi.Val[string]) shape {
	return shape{jsonSchema{"type": "string", "pattern": `^x-[^\x00-\x1f]*$`}, func(r *reader, v openapi.Value, what string) {
		s, ok := r.line(v, what)
		switch {
		case !ok:
		case !strings.HasPrefix(s, "x-"):
			r.report(v.Pos, diag.ConfigValue, what+": x-"+s, "%s must begin with x-, not be %s", what, v.Describe())
		default:
			*to = val(v, s)
		}
	}}
}

// packagePath is a folder where it begins with a dot, and else an import path or a word.
func packagePath(to *openapi.Val[string]) shape {
	return shape{jsonSchema{"type": "string", "pattern": pathPattern}, func(r *reader, v openapi.Value, what string) {
		p, ok := r.path(v, what)
		switch {
		case !ok:
		case !strings.HasPrefix(v.Text, "."):
			*to = val(v, v.Text)
		case filepath.IsAbs(p) || strings.HasPrefix(p, ".."):
			*to = val(v, p)
		default:
			*to = val(v, "."+string(filepath.Separator)+p)
		}
	}}
}
