package idem

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

func TestPlacesNameNothingInsideOfSensitiveParts(t *testing.T) {
	v := &Version{Sensitive: []int{1, 4, 6, 8, 10, 13, 15}, Fields: []string{
		"body", "body.holder", "body.holder.name", "body.lines[]", "body.lines[].note", "body.lines[].sku", "body.tags[]",
		"body.names", "body.names.*", "body.method", "body.method{card,\"v}isa\"}.pan", "body.method{bank}.iban", "body.tree",
		"body.tree.secret", "body.tree.next", `body["odd/name.~[]\"x"]`, "body.note", "body.grid[][].x", "header.x-pin", "query.hint",
	}}
	n := namedBy(v)
	require.NotNil(t, n)
	for place, want := range map[string]string{
		"body":                          "body",
		"body/note":                     "body/note",
		"body/undeclared":               "body/undeclared",
		"body/undeclared/deep":          "body/undeclared",
		"body/holder":                   "body/holder",
		"body/holder/name":              "body/holder",
		"body/holder/4111/1":            "body/holder",
		"body/lines/3":                  "body/lines/3",
		"body/lines/3/sku":              "body/lines/3/sku",
		"body/lines/3/note":             "body/lines/3/note",
		"body/lines/3/note/x":           "body/lines/3/note",
		"body/lines/3/undeclared":       "body/lines/3/undeclared",
		"body/lines/3/undeclared/x":     "body/lines/3/undeclared",
		"body/lines/x":                  "body/lines",
		"body/tags/3":                   "body/tags",
		"body/names/4111":               "body/names",
		"body/method/pan/x":             "body/method/pan",
		"body/method/iban":              "body/method/iban",
		"body/tree/secret/x":            "body/tree/secret",
		"body/tree/next/secret":         "body/tree/next",
		"body/note/inside of free form": "body/note",
		`body/odd~1name.~0[]"x`:         `body/odd~1name.~0[]"x`,
		`body/odd~1name.~0[]"x/inside`:  `body/odd~1name.~0[]"x`,
		"body/grid/1/2/x":               "body/grid/1/2/x",
		"header.x-pin":                  "header.x-pin",
		"query.hint":                    "query.hint",
	} {
		assert.Equal(t, want, n.cut(place), place)
	}
	whole := namedBy(&Version{Sensitive: []int{0}, Fields: []string{"body"}})
	assert.Equal(t, "body", whole.cut("body/anything/below"))
	assert.Nil(t, namedBy(&Version{Fields: []string{"body.a"}}))
	assert.Nil(t, namedBy(&Version{Sensitive: []int{0}, Fields: []string{"query.a"}}), "of a parameter that is sensitive the name alone is told")
	assert.NotNil(t, namedBy(&Version{Sensitive: []int{1}, Fields: []string{"body[", "body.a", "body{", `body["`}}), "what it cannot read it leaves out")
}

func TestDiscreetErrors(t *testing.T) {
	p := &plan{named: namedBy(&Version{Sensitive: []int{0}, Fields: []string{"body.holder"}})}
	refusal := &canon.Refusal{Place: "body/holder/secret", Offset: 7, Reason: "r"}
	assert.Equal(t, &canon.Refusal{Place: "body/holder", Offset: 7, Reason: "r"}, p.discreet(fmt.Errorf("wrapped: %w", refusal)))
	other := errors.New("other")
	assert.Equal(t, other, p.discreet(other))
	require.NoError(t, p.discreet(nil))
	view := &ViewError{View: "v", Err: refusal}
	assert.Equal(t, view, p.discreet(view))
	assert.Equal(t, refusal, (&plan{}).discreet(refusal))
	assert.Equal(t, refusal, (*plan)(nil).discreet(refusal))
}
