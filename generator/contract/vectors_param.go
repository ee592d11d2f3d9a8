package contract

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

// params gives the parameters that count, or those of them that are required. Variables of the path that do not count have a value too.
func (m *vectorMaker) params(minimal bool) vector.Request {
	var r vector.Request
	for _, name := range templateNames(m.template) {
		if !slices.ContainsFunc(r.Path, func(v vector.Value) bool { return v.Name == name }) {
			r.Path = append(r.Path, vector.Value{Name: name, Text: "x"})
		}
	}
	for i := range m.contract.Params {
		p := &m.contract.Params[i]
		switch {
		case minimal && !p.Required:
		case p.In == canon.InPath:
			r.Path = setValue(r.Path, p.Name, joined(p, paramTexts(p, i)))
		case p.In == canon.InHeader:
			r.Header = append(r.Header, vector.Value{Name: p.Name, Text: joined(p, paramTexts(p, i))})
		case p.In == canon.InQuery:
			r.Query = withPiece(r.Query, piece(p, paramTexts(p, i)...))
		}
	}
	return r
}

func setValue(values []vector.Value, name, text string) []vector.Value {
	for i := range values {
		if values[i].Name == name {
			values[i].Text = text
		}
	}
	return values
}

// paramTexts are the values of a parameter: one, or the elements of an array.
func paramTexts(p *canon.Param, i int) []string {
	first := paramSample(p, i, "")
	if p.Array == 0 {
		return []string{first}
	}
	return []string{first, paramSample(p, i, "2")}
}

// paramSample takes another value than the default.
func paramSample(p *canon.Param, i int, second string) string {
	count := i + 1 + len(second)*50
	text := sample(p.As, word(p.Name)+second, count)
	if p.As == canon.Generic {
		return word(p.Name) + second // the characters count
	}
	if p.Array == 0 && p.Default != "" && canonicalOf(&canon.Node{Kind: canon.LeafNode, As: p.As}, text) == p.Default {
		text = variantsOf(p.As, text).differs
	}
	return textOf(text)
}

// joined is how the elements stand in one value.
func joined(p *canon.Param, texts []string) string {
	if p.Split == 0 {
		return strings.Join(texts, ",") // a single one, or a query's, which are repeated instead
	}
	return strings.Join(texts, string(rune(p.Split)))
}

// piece is a parameter's part of the query.
func piece(p *canon.Param, texts ...string) string {
	name := url.QueryEscape(p.Name) + "="
	if p.Array != 0 && p.Split != 0 {
		texts = []string{joined(p, texts)}
	}
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = name + url.QueryEscape(text)
	}
	return strings.Join(out, "&")
}

func withPiece(query, piece string) string {
	if query == "" {
		return piece
	}
	return query + "&" + piece
}

// paramVectors changes the parameters of the typical request.
func (m *vectorMaker) paramVectors() {
	typical := m.params(false)
	if typical.Query != "" {
		pieces := strings.Split(typical.Query, "&")
		slices.SortStableFunc(pieces, func(a, b string) int { return strings.Compare(nameOf(b), nameOf(a)) }) // repeated names keep their order
		m.add(rankWhole, vector.Vector{Name: "query in another order, with an undeclared name", Like: typicalName,
			Request: vector.Request{Query: "undeclared=1&" + strings.Join(pieces, "&")}})
	}
	for i := range m.contract.Params {
		if p := &m.contract.Params[i]; len(p.Name) <= longestPath {
			m.param(p, i)
		}
	}
}

func nameOf(piece string) string {
	name, _, _ := strings.Cut(piece, "=")
	return name
}

// paramPath is the parameter's line in the lock, without what tells arrays.
func paramPath(p *canon.Param) string {
	in := map[canon.In]openapi.In{canon.InHeader: openapi.InHeader, canon.InPath: openapi.InPath, canon.InQuery: openapi.InQuery}[p.In]
	return openapi.FieldPath{In: in, Segments: []openapi.Segment{{Kind: openapi.SegName, Name: p.Name}}}.String()
}

// param adds what changes one parameter.
func (m *vectorMaker) param(p *canon.Param, i int) {
	path, texts := paramPath(p), paramTexts(p, i)
	send := func(r rank, compare relation, name string, texts ...string) {
		v := vector.Vector{Name: path + " " + name, Request: m.instead(p, piece(p, texts...), joined(p, texts))}
		compare(&v)
		m.add(r, v)
	}
	v := paramVariants(p, texts[0])
	rest := texts[1:]
	send(rankDiffers, unlike(typicalName), "matters", append([]string{v.differs}, rest...)...)
	if v.equal != "" {
		send(rankEqual, like(typicalName), "spelled otherwise", append([]string{v.equal}, rest...)...)
	} else if p.In == canon.InQuery {
		m.escapedPiece(p, path, texts)
	}
	if v.refused != "" {
		send(rankRefused, refused(), "is no "+v.is, append([]string{v.refused}, rest...)...)
	}
	if len(texts) == 2 {
		order := like(typicalName)
		if p.Array == canon.List {
			order = unlike(typicalName)
		}
		send(rankEqual, order, "in another order", texts[1], texts[0])
	}
	m.paramPresence(p, path, send)
}

// instead replaces one parameter of the typical request.
func (m *vectorMaker) instead(p *canon.Param, piece, text string) vector.Request {
	value := []vector.Value{{Name: p.Name, Text: text}}
	switch p.In {
	case canon.InHeader:
		return vector.Request{Header: value}
	case canon.InPath:
		return vector.Request{Path: value}
	case canon.InQuery:
	}
	var r vector.Request
	own := url.QueryEscape(p.Name)
	for old := range strings.SplitSeq(m.params(false).Query, "&") {
		if nameOf(old) != own {
			r.Query = withPiece(r.Query, old)
		}
	}
	r.Query = withPiece(r.Query, piece)
	return r
}

// escapedPiece spells the first character of a query value as an escape.
func (m *vectorMaker) escapedPiece(p *canon.Param, path string, texts []string) {
	name, value, _ := strings.Cut(piece(p, texts...), "=")
	if value == "" || value[0] == '%' {
		return
	}
	escaped := name + "=" + fmt.Sprintf("%%%02X", value[0]) + value[1:]
	m.add(rankEqual, vector.Vector{Name: path + " spelled otherwise", Like: typicalName, Request: m.instead(p, escaped, "")})
}

// paramVariants are those of a text: what JSON tells apart, 5 and "5", is one there.
func paramVariants(p *canon.Param, text string) variants {
	if p.As == canon.Generic {
		return variants{differs: text + "x"}
	}
	v := variantsOf(p.As, sampleJSON(p.As, text))
	out := variants{equal: textOf(v.equal), differs: textOf(v.differs), refused: textOf(v.refused), is: v.is}
	if out.equal == text {
		out.equal = ""
	}
	switch {
	case isText(p.As):
		out.refused = "" // every text is one
	case p.As == canon.Boolean:
		out.refused = "yes"
	case p.As == canon.Double:
		out.refused = "NaN"
	}
	return out
}

// sampleJSON is the JSON text that a parameter's sample was made of.
func sampleJSON(as canon.Normaliser, text string) string {
	switch as {
	case canon.Int, canon.Decimal, canon.Double, canon.Boolean:
		return text
	case canon.Exact, canon.Instant, canon.UUID, canon.Base64, canon.ContentDigest, canon.ASCIILower, canon.ASCIIUpper, canon.ASCIITrim, canon.Generic:
	}
	return quoteJSON(text)
}

// paramPresence adds what tells absent, bare, empty and default apart.
func (m *vectorMaker) paramPresence(p *canon.Param, path string, send func(rank, relation, string, ...string)) {
	if p.In == canon.InPath {
		return
	}
	gone := vector.Vector{Name: path + " absent", Remove: []string{path}}
	base := typicalName
	if p.Required {
		refused()(&gone)
	} else {
		base = gone.Name
		unlike(typicalName)(&gone)
	}
	m.add(rankAbsent, gone)
	if p.In == canon.InQuery && isText(p.As) && p.Array == 0 {
		const bare = " without a value"
		m.add(rankNull, vector.Vector{Name: path + bare, Unlike: base, Request: m.instead(p, url.QueryEscape(p.Name), "")})
		send(rankEmpty, unlike(base), "empty", "")
	}
	if texts := defaultTexts(p); p.Default != "" && len(texts) > 0 {
		send(rankDefault, like(base), "as its default", texts...)
	}
}

// defaultTexts spells the default of a parameter out.
func defaultTexts(p *canon.Param) []string {
	if p.Array == 0 {
		return []string{textOf(p.Default)}
	}
	var elements []json.RawMessage
	if json.Unmarshal([]byte(p.Default), &elements) != nil {
		return nil
	}
	texts := make([]string, len(elements))
	for i, e := range elements {
		texts[i] = textOf(string(e))
	}
	return texts
}
