package openapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
)

// annotationSchema is the schema as data.
func annotationSchema(t *testing.T) map[string]any {
	t.Helper()
	text, err := openapi.AnnotationSchema()
	require.NoError(t, err)
	var schema map[string]any
	require.NoError(t, json.Unmarshal(text, &schema))
	return schema
}

// membersOf finds the members that the object form of a schema has; nil where it has none.
func membersOf(schema map[string]any, of any) map[string]any {
	s, _ := of.(map[string]any)
	if name, ok := s["$ref"].(string); ok {
		return membersOf(schema, schema["$defs"].(map[string]any)[strings.TrimPrefix(name, "#/$defs/")])
	}
	if members, ok := s["properties"].(map[string]any); ok {
		return members
	}
	for _, word := range []string{"anyOf", "allOf"} {
		for _, one := range asList(s[word]) {
			if members := membersOf(schema, one); members != nil {
				return members
			}
		}
	}
	return membersOfRule(schema, s)
}

// membersOfRule are those of a field's rule, which stands under the field's path.
func membersOfRule(schema, s map[string]any) map[string]any {
	if rule, ok := s["additionalProperties"].(map[string]any); ok {
		return membersOf(schema, rule)
	}
	return nil
}

func asList(of any) []any {
	list, _ := of.([]any)
	return list
}

// The schema's objects have the members that the decoder knows, and no others.
func TestSchemaHasEveryMember(t *testing.T) {
	schema := annotationSchema(t)
	block := membersOf(schema, schema)
	require.NotEmpty(t, block)
	known := knownMembers(t)
	for object, members := range known {
		var has map[string]any
		switch object {
		case "the annotation":
			has = block
		case "the root's annotation":
			has = membersOf(schema, map[string]any{"$ref": "#/$defs/root"})
		case "a field's rule":
			has = membersOf(schema, map[string]any{"$ref": "#/$defs/rule"})
		default:
			has = membersOf(schema, block[object])
		}
		assert.ElementsMatch(t, members, slices.Collect(maps.Keys(has)), object)
	}
	for object, members := range block {
		if membersOf(schema, members) != nil {
			assert.NotEmpty(t, known[object], "the decoder is not asked for the members of %s", object)
		}
	}
	for object, of := range map[string]map[string]any{"the annotation": block, "errors": membersOf(schema, block["errors"])} {
		for name, member := range of {
			assert.NotEmpty(t, member.(map[string]any)["description"], "%s of %s has no description", name, object)
		}
	}
}

// collectDefaults gives the schema's defaults as an annotation writes them. The member replay, say, is the object of its members' defaults.
func collectDefaults(schema map[string]any, members map[string]any) map[string]any {
	out := map[string]any{}
	for name, member := range members {
		of := member.(map[string]any)
		if value, ok := of["default"]; ok {
			out[name] = value
		} else if inner := collectDefaults(schema, membersOf(schema, of)); len(inner) > 0 {
			out[name] = inner
		}
	}
	return out
}

// An annotation that writes every default of the schema makes the contract that one without any makes.
func TestSchemaDefaultsAreTheContractsDefaults(t *testing.T) {
	schema := annotationSchema(t)
	defaults := collectDefaults(schema, membersOf(schema, schema))
	for _, name := range []string{"key", "fingerprint", "retention", "execution", "lease", "takeover", "attempts", "concurrent", "keep", "replay", "errors"} {
		require.Contains(t, defaults, name)
	}
	for _, execution := range []string{"transactional", "leased"} {
		written := maps.Clone(defaults)
		if written["execution"] = execution; execution == "transactional" {
			for _, name := range []string{"lease", "takeover", "attempts"} {
				delete(written, name)
			}
		}
		short, long := contractOf(t, map[string]any{"execution": execution}), contractOf(t, written)
		assert.Equal(t, short, long)
		key := collectDefaults(schema, membersOf(schema, membersOf(schema, schema)["key"]))
		fingerprint := collectDefaults(schema, membersOf(schema, membersOf(schema, schema)["fingerprint"]))
		delete(fingerprint, "view") // there is none by default
		assert.Equal(t, short, contractOf(t, map[string]any{"execution": execution, "key": key, "fingerprint": fingerprint}))
	}
	rule := collectDefaults(schema, membersOf(schema, map[string]any{"$ref": "#/$defs/rule"}))
	require.Len(t, rule, 3)
	field := func(of any) map[string]any {
		return map[string]any{"fingerprint": map[string]any{"fields": []any{"path.accountId", of, "body.currency", "body"}, "ignored": []any{"query.expand"}, "unknown": "include"}}
	}
	assert.Equal(t, contractOf(t, field("body.note")), contractOf(t, field(map[string]any{"body.note": rule})))
}

// contractOf gives the lock's text of an operation with these members and a scope, and what the lock does not keep.
func contractOf(t *testing.T, members map[string]any) string {
	t.Helper()
	members = maps.Clone(members)
	members["scope"] = []string{"tenant"}
	text, err := json.Marshal(members)
	require.NoError(t, err)
	api, found := build(t, document("", "x-idempotency: "+string(text)), "")
	require.Empty(t, found.All(), string(text))
	c := api.Contracts[0]
	return fmt.Sprintf("%s\n%v %v %v", contract.EncodeLock(api), c.ReplayHeaders, c.ReplayMarker, c.Statuses)
}
