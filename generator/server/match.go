package server

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Operation is an annotated operation that needs a method.
type Operation struct {
	Pos          diag.Pos // of the annotation
	Name         string   // for people
	ID           string   // operationId; empty where there is none
	Method, Path string
}

// Match gives each operation the method that serves it, in their order. An operation without one is an error at its annotation, and so is a
// method whose signature has no place for an execution.
func (p *Package) Match(operations []Operation) ([]*Method, diag.List) {
	var found diag.List
	out := make([]*Method, len(operations))
	for i, op := range operations {
		m, d := p.match(op)
		if d == nil {
			d = p.shape(op, m)
		}
		if d != nil {
			d.Pos, d.About = op.Pos, op.Name
			found.Add(*d)
			continue
		}
		out[i] = m
	}
	return out, found
}

// match finds the method of an operation: by route, or by name where the method has no route.
func (p *Package) match(op Operation) (*Method, *diag.Diagnostic) {
	byRoute := p.routed(op)
	switch {
	case len(byRoute) == 1:
		return byRoute[0], nil
	case len(byRoute) > 1:
		d := &diag.Diagnostic{Code: diag.MethodMissing, Message: fmt.Sprintf("%s has no method of its own in %s.%s: several are for %s %s", op.Name, p.Name, p.Interface, op.Method, op.Path)}
		d.Related = related(byRoute, "a method of this route")
		return nil, d
	}
	var byName []*Method
	for i := range p.Methods {
		if m := &p.Methods[i]; op.ID != "" && plain(m.Name) == plain(op.ID) {
			byName = append(byName, m)
		}
	}
	if len(byName) == 1 && byName[0].Path == "" {
		return byName[0], nil
	}
	d := &diag.Diagnostic{Code: diag.MethodMissing, Message: fmt.Sprintf("%s has no method in %s.%s: no method is for %s %s", op.Name, p.Name, p.Interface, op.Method, op.Path)}
	switch {
	case len(byName) == 1:
		d.Message += fmt.Sprintf(", and %s is for %s %s", byName[0].Name, byName[0].Verb, byName[0].Path)
	case len(byName) > 1:
		d.Message += ", and several have its name"
	}
	d.Related = related(byName, "the method of this name")
	return nil, d
}

// routed are the methods whose comments say that they serve the operation's route.
func (p *Package) routed(op Operation) []*Method {
	var out []*Method
	for i := range p.Methods {
		if m := &p.Methods[i]; m.Verb == op.Method && sameRoute(m.Path, op.Path) {
			out = append(out, m)
		}
	}
	return out
}

// related shows the methods whose places are known.
func related(methods []*Method, message string) (out []diag.Related) {
	for _, m := range methods {
		if m.Pos.IsValid() {
			out = append(out, diag.Related{Pos: m.Pos, Message: message})
		}
	}
	return out
}

var templateParam = regexp.MustCompile(`\{[^/{}]*\}`)

// sameRoute compares templates; what their parameters are called does not matter.
func sameRoute(a, b string) bool {
	return a != "" && templateParam.ReplaceAllString(a, "{}") == templateParam.ReplaceAllString(b, "{}")
}

// plain is a name without case and punctuation: createPayment, create_payment and CreatePayment are one.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r >= 0x80:
			return r
		}
		return -1
	}, name)
}

// shape says what is wrong with a method's signature.
func (p *Package) shape(op Operation, m *Method) *diag.Diagnostic {
	var starts []Type // what the parameters have to begin with
	results := false  // that have to end in an error
	switch {
	case p.Kind == Strict, p.Kind == Ogen:
		starts, results = []Type{{Kind: Named, Path: "context", Name: "Context"}}, true
	case p.Framework == NetHTTP:
		starts = []Type{{Kind: Named, Path: "net/http", Name: "ResponseWriter"}, {Kind: Pointer, Elem: &Type{Kind: Named, Path: "net/http", Name: "Request"}}}
	case p.Framework == Gin:
		starts = []Type{{Kind: Pointer, Elem: &Type{Kind: Named, Path: ginPath, Name: "Context"}}}
	case p.Framework == Echo:
		return p.echoShape(op, m)
	}
	ok := len(m.Params) >= len(starts) && !m.Variadic
	for i := 0; ok && i < len(starts); i++ {
		ok = equal(starts[i], m.Params[i].Type)
	}
	if results {
		ok = ok && len(m.Results) > 0 && len(m.Results) < 3 && m.Results[len(m.Results)-1].IsError()
	} else {
		ok = ok && len(m.Results) == 0
	}
	if ok {
		return nil
	}
	return p.misshapen(op, m)
}

// echoShape knows both contexts of echo: an interface up to version 4, a pointer from version 5 on.
func (p *Package) echoShape(op Operation, m *Method) *diag.Diagnostic {
	if len(m.Params) == 0 || m.Variadic || len(m.Results) != 1 || !m.Results[0].IsError() {
		return p.misshapen(op, m)
	}
	t := m.Params[0].Type.unaliased()
	if t.Kind == Pointer {
		t = t.Elem.unaliased()
	}
	if t.Kind != Named || t.Name != "Context" || !strings.HasPrefix(t.Path, echoPath) {
		return p.misshapen(op, m)
	}
	return nil
}

func (p *Package) misshapen(op Operation, m *Method) *diag.Diagnostic {
	d := &diag.Diagnostic{Code: diag.ServerShape, Message: fmt.Sprintf("%s: the signature of %s.%s.%s is none that is known, so an execution has no place in it", op.Name, p.Name, p.Interface, m.Name)}
	if m.Pos.IsValid() {
		d.Related = []diag.Related{{Pos: m.Pos, Message: "the method"}}
	}
	return d
}

// equal compares what types are, by whatever names.
func equal(a, b Type) bool {
	a, b = a.unaliased(), b.unaliased()
	same := func(a, b *Type) bool { return a == nil && b == nil || a != nil && b != nil && equal(*a, *b) }
	return a.Kind == b.Kind && a.Path == b.Path && a.Name == b.Name && a.Len == b.Len && same(a.Key, b.Key) && same(a.Elem, b.Elem) &&
		slices.EqualFunc(a.Args, b.Args, equal)
}
