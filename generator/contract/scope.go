package contract

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

// readScope reads whom a key belongs to, and whom it belonged to while that changes. Dimensions get their index when all operations are known.
func (o *operation) readScope() (now, before []ScopeTerm) {
	scope := o.src.Annotation.Scope
	if !scope.Set || len(scope.Value.Now) == 0 {
		o.found.Add(diag.Diagnostic{Pos: o.src.Annotation.Pos, Code: diag.ScopeMissing,
			Message: "nobody says whom a key of " + o.title() + " belongs to", Hint: o.memberHint(scope.Set, "scope: [tenant]")})
		return nil, nil
	}
	now = o.scopeTerms(scope.Value.Now)
	if !slices.ContainsFunc(scope.Value.Now, suppliedByServer) {
		with := []string{"tenant"}
		if now[0].Literal == "" { // global stands alone
			with = append(with, scopeTexts(now)...)
		}
		o.found.Add(diag.Diagnostic{Pos: scope.Value.Now[0].Pos, Code: diag.ScopeWithoutCaller,
			Message: "no part of the scope comes from the authenticated caller: whoever knows a key may read its answer", Hint: "scope: " + listText(with)})
	}
	before = o.scopeTerms(scope.Value.Before)
	if len(before) > 0 && slices.Equal(scopeTexts(now), scopeTexts(before)) { // in spellings that the decoder could not see through
		o.found.Add(diag.Diagnostic{Pos: scope.Value.Before[0].Pos, Code: diag.AnnotationScope, Hint: "scope: " + listText(scopeTexts(now)),
			Message: "scope.before is the same as scope.now; a record would be claimed twice"})
	}
	return now, before
}

// suppliedByServer reports whether a term comes from the authenticated caller.
func suppliedByServer(t openapi.ScopeTerm) bool {
	return t.Path == nil && t.Dimension != openapi.ScopeGlobal
}

func (o *operation) scopeTerms(terms []openapi.ScopeTerm) []ScopeTerm {
	var out []ScopeTerm
	for _, term := range terms {
		switch {
		case term.Path != nil:
			out = append(out, o.scopePart(*term.Path))
		case term.Dimension == openapi.ScopeGlobal:
			out = append(out, ScopeTerm{Text: openapi.ScopeGlobal, Dimension: -1, Literal: openapi.ScopeGlobal})
		default:
			out = append(out, ScopeTerm{Text: term.Dimension, Dimension: len(out)})
		}
	}
	return out
}

func (o *operation) scopePart(path openapi.FieldPath) ScopeTerm {
	t := ScopeTerm{Text: path.String(), Dimension: -1}
	if part, ok := o.singleValue(path); ok {
		t.In, t.Name, t.Path, t.Index = part.in, part.name, part.path, part.index
		t.Text, t.As = part.text, o.scopeNormaliser(part)
	}
	return t
}

// scopeNormaliser is what a part of the scope compares by. What fingerprint.fields asks for does not count: a scope that moved with it
// would lose its records.
func (o *operation) scopeNormaliser(p part) canon.Normaliser {
	var n canon.Normaliser
	declared := p.param
	if p.in == "header" {
		declared = o.param(openapi.FieldPath{In: openapi.InHeader, Segments: []openapi.Segment{{Kind: openapi.SegName, Name: strings.ToLower(p.name)}}})
	}
	switch {
	case declared != nil && !declared.array && declared.unsupported == "":
		n = paramNormaliser(declared.merged, 0)
	case len(p.at) > 0:
		n = defaultNormaliser(p.at[0].merged)
		for _, at := range p.at[1:] {
			if defaultNormaliser(at.merged) != n {
				return 0
			}
		}
	}
	if n == canon.Exact || n == canon.Generic {
		return 0
	}
	return n
}
