package contract

import (
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Limits of a key when nobody writes others.
const (
	defaultKeyHeader = "Idempotency-Key"
	defaultKeyMin    = 1
	defaultKeyMax    = 255
)

// part is a single value of the request, for keys and scopes.
type part struct {
	in, name string
	path     []string // below the body
	index    int
	text     string
	at       []*place // of the body: one in each branch of the unions on the way
	param    *param   // of others
	// inside are the places without parts, and the maps, that the value stands in.
	inside []*place
}

// singleValue finds the one value that path names, and reports a path that names none or several.
func (o *operation) singleValue(path openapi.FieldPath) (part, bool) {
	for _, step := range path.Segments {
		if step.Kind != openapi.SegName {
			o.valueMisfit(path, "names several values")
			return part{}, false
		}
	}
	switch path.In {
	case openapi.InHeader:
		return headerPart(path.Segments[0].Name), true
	case openapi.InBody:
		return o.bodyPart(path)
	case openapi.InPath, openapi.InQuery:
	}
	at, ok := o.locate(path)
	if !ok {
		return part{}, false
	}
	p := at[0].param
	if p.array || p.unsupported != "" {
		o.valueMisfit(path, "is no single value")
		return part{}, false
	}
	return part{in: path.In.String(), name: p.name, index: p.index, text: p.text, param: p}, true
}

func headerPart(name string) part {
	name = textproto.CanonicalMIMEHeaderKey(name)
	step := openapi.Segment{Kind: openapi.SegName, Name: name}
	path := openapi.FieldPath{In: openapi.InHeader, Segments: []openapi.Segment{step}}
	return part{in: "header", name: name, text: path.String()}
}

func (o *operation) bodyPart(path openapi.FieldPath) (part, bool) {
	if o.tree == nil || o.view() != "" {
		_, _ = o.locate(path) // reports it
		return part{}, false
	}
	found, miss := o.tree.resolve(path)
	if miss != nil {
		o.found.Add(miss.report(path))
		return part{}, false
	}
	out := part{in: "body", text: path.String()}
	for _, step := range path.Segments {
		out.path = append(out.path, step.Name)
	}
	if found.partial {
		o.someBranches(found, path)
	}
	for _, h := range found.hits {
		if len(h.rest) > 0 {
			out.inside = append(out.inside, h.place)
			continue
		}
		if k := h.place.kind(); len(path.Segments) == 0 || k != scalarKind && structured(h.place.merged) || h.place.file {
			o.valueMisfit(path, "is "+describe(h.place.merged)+", no single value")
			return part{}, false
		}
		out.at = append(out.at, h.place)
	}
	return out, true
}

func (o *operation) valueMisfit(path openapi.FieldPath, what string) {
	o.found.Add(diag.Diagnostic{Pos: path.Pos, Code: diag.ValueMisfit, Message: path.String() + " " + what})
}

// readKey reads where the key stands and what it may be.
func (o *operation) readKey() {
	a := &o.src.Annotation
	k := a.Key.Value
	o.key = Key{
		In: "header", Name: defaultKeyHeader, From: "header." + defaultKeyHeader, Required: orDefault(k.Required, true),
		MinLength: orDefault(k.MinLength, defaultKeyMin), MaxLength: orDefault(k.MaxLength, defaultKeyMax), Format: k.Format.Value,
	}
	switch a.Mode.Value {
	case openapi.ModeRequired:
		o.key.Required = true
	case openapi.ModeOptional:
		o.key.Required = false
	case openapi.ModeObject, openapi.ModeExempt:
	}
	o.keyPos = a.Pos
	if k.From.Set {
		o.keyPos = k.From.Pos
		p, ok := o.singleValue(k.From.Value)
		if !ok {
			return
		}
		o.key.In, o.key.Name, o.key.Path, o.key.Index, o.key.From = p.in, p.name, p.path, p.index, p.text
		o.keyInside = p.inside
		o.key.Numbers = slices.ContainsFunc(p.at, func(p *place) bool { return numeric(p.merged) })
	}
	o.choice.key = o.key.From
	if o.key.In == "header" {
		o.choice.key = strings.ToLower(o.key.From)
	}
	o.checkDeclaredKey()
}

// numeric reports whether the document declares numbers at m, alone or among others.
func numeric(m *merged) bool {
	declared := func(types []string) bool {
		return slices.Contains(types, "integer") || slices.Contains(types, "number")
	}
	return declared(m.types) || slices.ContainsFunc(m.branches, func(s *openapi.Schema) bool { return s != nil && declared(s.Types) })
}

// checkDeclaredKey compares the key with the parameter that the document declares for it.
func (o *operation) checkDeclaredKey() {
	for i := range o.src.Parameters {
		d := &o.src.Parameters[i]
		same := strings.EqualFold(d.Name, o.key.Name)
		place := d.In.String() == o.key.In
		switch {
		case same && place:
			o.checkKeyParameter(d)
		case same && o.key.In != "body":
			o.keyDiffers(d.Pos, fmt.Sprintf("the document declares %s as a %s parameter, the key is %s", d.Name, d.In, o.key.From))
		case place && looksLikeKey(d.Name):
			o.keyDiffers(d.Pos, fmt.Sprintf("the document declares %s, the key is %s", d.Name, o.key.From))
		}
	}
}

// looksLikeKey reports whether a parameter that is not the key calls itself one.
func looksLikeKey(name string) bool {
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	return strings.Contains(name, "idempotencykey") || strings.Contains(name, "idempotentkey")
}

func (o *operation) checkKeyParameter(d *openapi.Parameter) {
	if d.Required != o.key.Required {
		o.keyDiffers(d.Pos, fmt.Sprintf("%s is %s in the document and %s in the annotation", d.Name, requiredWord(d.Required), requiredWord(o.key.Required)))
	}
	s := d.Schema
	if s == nil {
		return
	}
	if s.MaxLength != nil && *s.MaxLength != uint64(o.key.MaxLength) || s.MinLength > 0 && s.MinLength != uint64(o.key.MinLength) {
		o.keyDiffers(d.Pos, fmt.Sprintf("%s has %s in the document and %d to %d in the annotation", d.Name, declaredLength(s), o.key.MinLength, o.key.MaxLength))
	}
	if s.Pattern == "" {
		return
	}
	if _, err := regexp.Compile(s.Pattern); err != nil {
		o.found.Add(diag.Diagnostic{Pos: s.Pos, Code: diag.PatternNotGo, Message: "the pattern of " + d.Name + " is not checked: Go's regexp does not know its syntax"})
	}
}

func declaredLength(s *openapi.Schema) string {
	switch {
	case s.MaxLength == nil:
		return fmt.Sprintf("at least %d characters", s.MinLength)
	case s.MinLength == 0:
		return fmt.Sprintf("up to %d characters", *s.MaxLength)
	}
	return fmt.Sprintf("%d to %d characters", s.MinLength, *s.MaxLength)
}

func (o *operation) keyDiffers(pos diag.Pos, message string) {
	o.found.Add(diag.Diagnostic{Pos: o.keyPos, Code: diag.KeyDeclaredOtherwise, Message: message,
		Related: []diag.Related{{Pos: pos, Message: "declared here"}}})
}

func requiredWord(required bool) string {
	if required {
		return "required"
	}
	return "optional"
}
