package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// The documents of these tests are built by hand: they say what a loader gives, not how it is written.

func at(line int) diag.Pos { return diag.Pos{File: "api.yaml", Line: line, Col: 1} }

func set[T any](v T) openapi.Val[T] { return openapi.Val[T]{Value: v, Pos: at(5), Set: true} }

// typed is a schema of one type; "string:uuid" has a format.
func typed(text string) *openapi.Schema {
	name, format, _ := strings.Cut(text, ":")
	return &openapi.Schema{Types: []string{name}, Format: format, Additional: openapi.Additional{Allow: true}}
}

// member declares a property; "name!" is required.
func property(name string, s *openapi.Schema) openapi.Property {
	name, required := strings.CutSuffix(name, "!")
	return openapi.Property{Name: name, Required: required, Schema: s, Pos: at(20)}
}

func object(props ...openapi.Property) *openapi.Schema {
	s := typed("object")
	s.Properties = props
	return s
}

// closed is an object that allows no undeclared member.
func closed(props ...openapi.Property) *openapi.Schema {
	s := object(props...)
	s.Additional = openapi.Additional{Set: true}
	return s
}

func array(items *openapi.Schema) *openapi.Schema {
	s := typed("array")
	s.Items = items
	return s
}

func mapOf(values *openapi.Schema) *openapi.Schema {
	s := typed("object")
	s.Additional = openapi.Additional{Set: true, Allow: true, Schema: values}
	return s
}

func with(s *openapi.Schema, change func(*openapi.Schema)) *openapi.Schema { change(s); return s }

func nullable(s *openapi.Schema) *openapi.Schema {
	return with(s, func(s *openapi.Schema) { s.Nullable = true })
}

func readOnly(s *openapi.Schema) *openapi.Schema {
	return with(s, func(s *openapi.Schema) { s.ReadOnly = true })
}

func withDefault(s *openapi.Schema, text string) *openapi.Schema {
	return with(s, func(s *openapi.Schema) { s.Default = text })
}

func query(name string, s *openapi.Schema) openapi.Parameter {
	name, required := strings.CutSuffix(name, "!")
	return openapi.Parameter{Pos: at(30), Name: name, In: openapi.InQuery, Required: required, Style: "form", Explode: true, Schema: s}
}

func path(t testing.TB, text string) openapi.FieldPath {
	p, err := openapi.ParseFieldPath(text)
	require.NoError(t, err)
	p.Pos = at(7)
	return p
}

// operationOf is POST /payments with a JSON body, all of it counting, for one tenant.
func operationOf(body *openapi.Schema, params ...openapi.Parameter) *openapi.Operation {
	op := &openapi.Operation{Pos: at(1), ID: "createPayment", Method: "POST", Path: "/payments", Parameters: params}
	op.Annotation = openapi.Annotation{Pos: at(3), Mode: openapi.Val[openapi.Mode]{Value: openapi.ModeObject, Set: true}}
	op.Annotation.Scope = set(openapi.Scope{Now: []openapi.ScopeTerm{{Dimension: "tenant", Pos: at(4)}}})
	if body != nil {
		op.Body = &openapi.Body{Pos: at(9), Required: true, Media: []openapi.Media{{Pos: at(10), Type: "application/json", Schema: body}}}
	}
	return op
}

// choose lists fields by hand: "body.amount=decimal", "body.a|absent", "body.b|materialise"; ignored and unknown follow a bar.
func choose(t testing.TB, op *openapi.Operation, fields, ignored, unknown string) *openapi.Operation {
	fp := openapi.Fingerprint{Mode: openapi.FingerprintFields}
	for _, f := range strings.Fields(fields) {
		f, trait, _ := strings.Cut(f, "|")
		text, as, _ := strings.Cut(f, "=")
		r := openapi.FieldRule{Path: path(t, text)}
		if as != "" {
			r.As = set(as)
		}
		switch trait {
		case "absent":
			r.Null = set("absent")
		case "materialise":
			r.Default = set("materialise")
		}
		fp.Fields = append(fp.Fields, r)
	}
	for _, text := range strings.Fields(ignored) {
		fp.Ignored = append(fp.Ignored, path(t, text))
	}
	if unknown != "" {
		fp.Unknown = set(unknown)
	}
	op.Annotation.Fingerprint = set(fp)
	return op
}

// uniqueOf is a business key.
func uniqueOf(t testing.TB, paths ...string) openapi.Val[[]openapi.FieldPath] {
	var out []openapi.FieldPath
	for _, text := range paths {
		out = append(out, path(t, text))
	}
	return set(out)
}

func document(ops ...*openapi.Operation) *openapi.Document {
	return &openapi.Document{File: "api.yaml", Version: "3.1.0", Operations: ops}
}

// mustBuild makes the only contract of op without any error.
func mustBuild(t testing.TB, op *openapi.Operation) *Contract {
	t.Helper()
	api, found := Build(document(op), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	require.Len(t, api.Contracts, 1)
	return api.Contracts[0]
}

func errorsOf(found diag.List) []string { return texts(found, diag.Error) }

func warningsOf(found diag.List) []string { return texts(found, diag.Warning) }

func texts(found diag.List, severity diag.Severity) []string {
	var out []string
	for _, d := range found.All() {
		if d.Severity == severity {
			out = append(out, string(d.Code)+" "+d.Message)
		}
	}
	return out
}

// fieldLines are the lock's lines of a version.
func fieldLines(v Version) []string {
	var out []string
	for _, f := range v.Fields {
		out = append(out, f.Path+": "+f.Rule)
	}
	return out
}

// canonical runs a request through the contract's nodes; the second text is the refusal.
func canonical(v Version, r *canon.Request) (text, refused string) {
	if r.ContentType == "" {
		r.ContentType = "application/json"
	}
	s := canon.Acquire()
	defer s.Release()
	s.Start(r)
	v.Scan(s)
	if _, err := s.Finish("test", v.ID); err != nil {
		return "", err.Error()
	}
	return string(s.AppendCanonical(nil)), ""
}
