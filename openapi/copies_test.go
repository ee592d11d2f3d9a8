package openapi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a schema says of itself or null leads to the schema, and a discriminator's value says whether the mapping lists it.
func TestCopiesAndImpliedValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "api.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`openapi: 3.1.0
info: {title: T, version: "1"}
paths:
  /a:
    post:
      x-idempotency: {scope: [tenant]}
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Node"}}}}
      responses: {"200": {description: ok}}
components:
  schemas:
    Node:
      type: object
      properties:
        next: {oneOf: [{$ref: "#/components/schemas/MaybeNode"}, {type: "null"}]}
        kind:
          oneOf: [{$ref: "#/components/schemas/A"}, {$ref: "#/components/schemas/B"}]
          discriminator: {propertyName: t, mapping: {a: A}}
    MaybeNode: {anyOf: [{$ref: "#/components/schemas/Node"}, {type: "null"}]}
    A: {type: object, properties: {t: {type: string}}}
    B: {type: object, properties: {t: {type: string}}}
`), 0o600))
	doc, found, err := Load(file, Options{})
	require.NoError(t, err)
	require.Empty(t, found.All())
	node := doc.Operations[0].Body.Media[0].Schema
	require.Len(t, node.Properties, 2)
	next, kind := node.Properties[0].Schema, node.Properties[1].Schema
	assert.Nil(t, node.CopyOf)
	assert.Same(t, node, next.CopyOf, "through the copy in between")
	implied := map[string]bool{}
	for _, b := range kind.Discriminator.Mapping {
		implied[b.Value] = b.Implied
	}
	assert.Equal(t, map[string]bool{"A": true, "B": true, "a": false}, implied)
}
