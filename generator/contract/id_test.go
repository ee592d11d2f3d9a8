package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

func TestIDIsTheHashOfItsDocument(t *testing.T) {
	op := operationOf(object(property("amount!", typed("number")), property("a", object(property("x", typed("string")))), property("a-b", typed("string")), property("c", closed(property("y", typed("string"))))))
	choose(t, op, "body.amount body.a body.c", "body.a-b body.a.x body.c.y", "include")
	c := mustBuild(t, op)
	document := `{"fields":{"body":"object required","body.a":"object optional","body.amount":"decimal/1 required","body.c":"object optional unknown=reject"},` +
		`"ignored":["body.a-b","body.a.x"],` +
		`"scheme":"idempotency-fingerprint/1","unknown":"include"}`
	sum := sha256.Sum256([]byte(document))
	assert.Equal(t, canon.ContractID(hex.EncodeToString(sum[:8])), c.Version.ID)
}

// base is the payment that the variants below change in one point each.
func base(t testing.TB) *openapi.Operation {
	op := operationOf(object(
		property("amount!", typed("number")),
		property("currency", withDefault(typed("string"), `"EUR"`)),
		property("lines", array(object(property("sku!", typed("string"))))),
		property("note", nullable(typed("string"))),
		property("sentAt", typed("string")),
	), query("dry_run", typed("boolean")), query("tags", array(typed("string"))))
	return choose(t, op, "body.amount body.currency body.lines[] body.note query.dry_run query.tags", "body.sentAt", "reject")
}

func bodyOf(op *openapi.Operation) *openapi.Schema { return op.Body.Media[0].Schema }

func propAt(op *openapi.Operation, i int) *openapi.Property { return &bodyOf(op).Properties[i] }

func TestWhatKeepsTheID(t *testing.T) {
	id := mustBuild(t, base(t)).Version.ID
	for name, change := range map[string]func(*openapi.Operation){
		"order of properties": func(op *openapi.Operation) {
			p := bodyOf(op).Properties
			p[0], p[4] = p[4], p[0]
		},
		"order of parameters": func(op *openapi.Operation) {
			op.Parameters[0], op.Parameters[1] = op.Parameters[1], op.Parameters[0]
		},
		"a schema moved behind a reference": func(op *openapi.Operation) {
			propAt(op, 0).Schema = &openapi.Schema{Name: "Amount", AllOf: []*openapi.Schema{propAt(op, 0).Schema}, Pos: at(99)}
		},
		"a body split into allOf": func(op *openapi.Operation) {
			s := bodyOf(op)
			one, two := *s, *s
			one.Properties, two.Properties = s.Properties[:2], s.Properties[2:]
			op.Body.Media[0].Schema = &openapi.Schema{AllOf: []*openapi.Schema{&one, &two}}
		},
		"null as a branch of anyOf": func(op *openapi.Operation) {
			propAt(op, 3).Schema = &openapi.Schema{AnyOf: []*openapi.Schema{typed("string"), {Nullable: true}}, Nullable: true}
		},
		"a description": func(op *openapi.Operation) { propAt(op, 0).Schema.Description = "what is paid" },
		"a limit":       func(op *openapi.Operation) { propAt(op, 3).Schema.Pattern = "^[a-z]+$" },
		"an enum of strings": func(op *openapi.Operation) {
			propAt(op, 1).Schema.Enum = []string{`"EUR"`, `"USD"`}
		},
		"a default that is not materialised": func(op *openapi.Operation) { propAt(op, 1).Schema.Default = `"USD"` },
		"retention": func(op *openapi.Operation) {
			op.Annotation.Retention = set(openapi.Retention{Duration: 48 * time.Hour})
		},
		"scope": func(op *openapi.Operation) {
			op.Annotation.Scope.Value.Now = append(op.Annotation.Scope.Value.Now, openapi.ScopeTerm{Dimension: "user"})
		},
		"operationId":     func(op *openapi.Operation) { op.ID = "pay" },
		"another ignored": func(op *openapi.Operation) { propAt(op, 4).Name = "sent"; reIgnore(t, op, "body.sent") },
		"readOnly member": func(op *openapi.Operation) {
			bodyOf(op).Properties = append(bodyOf(op).Properties, property("id!", readOnly(typed("string"))))
		},
		"an undeclared header that nobody lists": func(op *openapi.Operation) {
			op.Parameters = append(op.Parameters, openapi.Parameter{Name: "X-Trace", In: openapi.InHeader, Schema: typed("string")})
		},
		"closed by the schema as by the author": func(op *openapi.Operation) { bodyOf(op).Additional = openapi.Additional{Set: true} },
	} {
		t.Run(name, func(t *testing.T) {
			op := base(t)
			change(op)
			assert.Equal(t, id, mustBuild(t, op).Version.ID)
		})
	}
}

func reIgnore(t testing.TB, op *openapi.Operation, text string) {
	op.Annotation.Fingerprint.Value.Ignored = []openapi.FieldPath{path(t, text)}
}

func fieldRule(op *openapi.Operation, i int) *openapi.FieldRule {
	return &op.Annotation.Fingerprint.Value.Fields[i]
}

func TestWhatChangesTheID(t *testing.T) {
	seen := map[canon.ContractID]string{mustBuild(t, base(t)).Version.ID: "the base"}
	for name, change := range map[string]func(*openapi.Operation){
		"normaliser":   func(op *openapi.Operation) { fieldRule(op, 1).As = set("ascii-upper") },
		"type":         func(op *openapi.Operation) { propAt(op, 0).Schema = typed("integer") },
		"format":       func(op *openapi.Operation) { propAt(op, 3).Schema = nullable(typed("string:uuid")) },
		"required":     func(op *openapi.Operation) { propAt(op, 1).Required = true },
		"nullable":     func(op *openapi.Operation) { propAt(op, 3).Schema = typed("string") },
		"null: absent": func(op *openapi.Operation) { fieldRule(op, 3).Null = set("absent") },
		"default":      func(op *openapi.Operation) { fieldRule(op, 1).Default = set("materialise") },
		"another default": func(op *openapi.Operation) {
			fieldRule(op, 1).Default = set("materialise")
			propAt(op, 1).Schema.Default = `"USD"`
		},
		"set":      func(op *openapi.Operation) { fieldRule(op, 2).As = set("set") },
		"multiset": func(op *openapi.Operation) { fieldRule(op, 2).As = set("multiset") },
		"a field more": func(op *openapi.Operation) {
			bodyOf(op).Properties[4].Name = "x"
			choose(t, op, "body query.dry_run query.tags", "", "reject")
		},
		"a field renamed":  func(op *openapi.Operation) { propAt(op, 0).Name = "sum"; fieldRule(op, 0).Path = path(t, "body.sum") },
		"unknown: ignore":  func(op *openapi.Operation) { op.Annotation.Fingerprint.Value.Unknown = set("ignore") },
		"unknown: include": func(op *openapi.Operation) { op.Annotation.Fingerprint.Value.Unknown = set("include") },
		"ignored, included": func(op *openapi.Operation) {
			op.Annotation.Fingerprint.Value.Unknown = set("include")
			propAt(op, 4).Name = "x"
			reIgnore(t, op, "body.x")
		},
		"readOnly, included": func(op *openapi.Operation) {
			op.Annotation.Fingerprint.Value.Unknown = set("include")
			bodyOf(op).Properties = append(bodyOf(op).Properties, property("id", readOnly(typed("string"))))
		},
		"one object closed": func(op *openapi.Operation) {
			op.Annotation.Fingerprint.Value.Unknown = set("include")
			propAt(op, 2).Schema.Items.Additional = openapi.Additional{Set: true}
		},
		"nested array":     func(op *openapi.Operation) { propAt(op, 2).Schema.Items = array(typed("string")) },
		"nullable element": func(op *openapi.Operation) { propAt(op, 2).Schema.Items = nullable(propAt(op, 2).Schema.Items) },
		"map": func(op *openapi.Operation) {
			propAt(op, 2).Schema = mapOf(typed("string"))
			fieldRule(op, 2).Path = path(t, "body.lines")
		},
		"union": func(op *openapi.Operation) {
			propAt(op, 3).Schema = &openapi.Schema{OneOf: []*openapi.Schema{typed("string"), typed("integer")}}
		},
		"body optional": func(op *openapi.Operation) { op.Body.Required = false },
		"no body":       func(op *openapi.Operation) { op.Body = nil; choose(t, op, "query.dry_run query.tags", "", "reject") },
		"separator":     func(op *openapi.Operation) { op.Parameters[1].Explode = false },
		"another separator": func(op *openapi.Operation) {
			op.Parameters[1].Explode, op.Parameters[1].Style = false, "pipeDelimited"
		},
		"query required": func(op *openapi.Operation) { op.Parameters[0].Required = true },
		"query ignored": func(op *openapi.Operation) {
			choose(t, op, "body.amount body.currency body.lines[] body.note query.tags", "body.sentAt query.dry_run", "reject")
		},
	} {
		op := base(t)
		change(op)
		id := mustBuild(t, op).Version.ID
		require.Empty(t, seen[id], "%s has the id of %s", name, seen[id])
		seen[id] = name
	}
}

func TestIgnoredMemberOfAMapDecidesTheID(t *testing.T) {
	build := func(name string) canon.ContractID {
		op := operationOf(with(mapOf(typed("string")), func(s *openapi.Schema) { s.Properties = []openapi.Property{property(name, typed("string"))} }))
		return mustBuild(t, choose(t, op, "body", "body."+name, "reject")).Version.ID
	}
	assert.NotEqual(t, build("a"), build("b"), "what is not ignored by name is an entry, and counts")
}

func TestIgnoredParametersNeverDecideTheID(t *testing.T) {
	build := func(ignored string) canon.ContractID {
		op := operationOf(object(property("amount!", typed("number"))), query("a", typed("string")), query("b", typed("string")))
		return mustBuild(t, choose(t, op, "body.amount query."+map[string]string{"a": "b", "b": "a"}[ignored], "query."+ignored, "include")).Version.ID
	}
	assert.NotEqual(t, build("a"), build("b"), "b counts instead of a")
	one := operationOf(object(property("amount!", typed("number"))), query("a", typed("string")))
	two := operationOf(object(property("amount!", typed("number"))))
	assert.Equal(t, mustBuild(t, choose(t, two, "body.amount", "", "include")).Version.ID, mustBuild(t, choose(t, one, "body.amount", "query.a", "include")).Version.ID)
}
