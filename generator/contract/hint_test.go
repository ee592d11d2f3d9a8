package contract

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

func hintOf(t *testing.T, op *openapi.Operation, opts Options, code diag.Code) string {
	t.Helper()
	_, found := Build(document(op), opts)
	for _, d := range found.All() {
		if d.Code == code {
			var node any
			require.NoError(t, yaml.Unmarshal([]byte(d.Hint), &node), "a hint is YAML: %s", d.Hint)
			return d.Hint
		}
	}
	t.Fatalf("no %s", code)
	return ""
}

func TestScopeHintHasAPlaceToGo(t *testing.T) {
	inherited := func(op *openapi.Operation) {
		op.Annotation.Key = set(openapi.Key{From: set(path(t, "header.X-Key")), MinLength: set(8), MaxLength: set(64), Format: set("uuid")})
	}
	for _, c := range []struct {
		name   string
		mode   openapi.Mode
		change func(*openapi.Operation)
		want   string
	}{
		{"long form", openapi.ModeObject, nil, "scope: [tenant]"},
		{"required", openapi.ModeRequired, nil, "x-idempotency: {scope: [tenant]}"},
		{"optional", openapi.ModeOptional, nil, "x-idempotency: {scope: [tenant], key: {required: false}}"},
		{"required, key inherited", openapi.ModeRequired, inherited, "x-idempotency: {scope: [tenant]}"},
		{"optional, key inherited", openapi.ModeOptional, inherited,
			"x-idempotency: {scope: [tenant], key: {from: header.X-Key, required: false, length: [8, 64], format: uuid}}"},
		{"required, optional key inherited", openapi.ModeRequired, func(op *openapi.Operation) {
			op.Annotation.Key = set(openapi.Key{Required: set(false)})
		}, "x-idempotency: {scope: [tenant], key: {required: true}}"},
		{"below operations at the root", openapi.ModeRequired, func(op *openapi.Operation) { op.Annotation.Entry = "create: payment" },
			"'create: payment': {scope: [tenant]}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			op := operationOf(nil)
			op.Annotation.Mode.Value, op.Annotation.Scope = c.mode, openapi.Val[openapi.Scope]{}
			if c.change != nil {
				c.change(op)
			}
			assert.Equal(t, c.want, hintOf(t, op, Options{Base: "payments"}, diag.ScopeMissing))
		})
	}
	op := operationOf(nil)
	op.Annotation.Mode.Value, op.Annotation.Scope = openapi.ModeRequired, openapi.Val[openapi.Scope]{}
	assert.Equal(t, "x-once: {scope: [tenant]}", hintOf(t, op, Options{Base: "payments", Extension: "x-once"}, diag.ScopeMissing))
}

func TestNameHintHasAPlaceToGo(t *testing.T) {
	for mode, want := range map[openapi.Mode]string{
		openapi.ModeObject: "name: postB", openapi.ModeOptional: "x-idempotency: {name: postB, key: {required: false}}",
	} {
		ops := operations("same", "same")
		ops[0].Path, ops[1].Path, ops[1].Annotation.Mode.Value = "/a", "/b", mode
		_, found := Build(document(ops...), Options{Base: "payments"})
		require.NotEmpty(t, found.All())
		assert.Equal(t, want, found.All()[0].Hint)
	}
}

func TestScopeWithoutCallerKeepsItsParts(t *testing.T) {
	op := operationOf(nil)
	op.Annotation.Scope.Value.Now = []openapi.ScopeTerm{{Path: fieldPath(path(t, "header.account"))}}
	assert.Equal(t, "scope: [tenant, header.Account]", hintOf(t, op, Options{Base: "payments"}, diag.ScopeWithoutCaller))
	op.Annotation.Scope.Value.Now = []openapi.ScopeTerm{{Dimension: openapi.ScopeGlobal}}
	assert.Equal(t, "scope: [tenant]", hintOf(t, op, Options{Base: "payments"}, diag.ScopeWithoutCaller))
}

// All hints of undecided parts can be pasted at once, each into the list that its reader chooses.
func TestHintsOfUndecidedPartsAreListEntries(t *testing.T) {
	op := operationOf(closed(property("a", typed("string")), property("b c: d", typed("string")), property("e", typed("string"))))
	_, found := Build(document(choose(t, op, "body.a", "", "")), Options{Base: "payments"})
	var pasted strings.Builder
	for _, d := range found.All() {
		assert.Contains(t, d.Hint, "in fields: ")
		assert.Contains(t, d.Hint, "in ignored: ")
		pasted.WriteString(d.Hint + "\n")
	}
	var list []string
	require.NoError(t, yaml.Unmarshal([]byte(pasted.String()), &list), pasted.String())
	assert.Equal(t, []string{"body.e", `body["b c: d"]`}, list)
}

func TestHintAboutWhatIsIgnoredFitsTheFingerprint(t *testing.T) {
	big := func() *openapi.Operation {
		var props []openapi.Property
		for i := range maxLines {
			props = append(props, property("p"+strconv.Itoa(i), typed("string")))
		}
		return operationOf(object(property("note", typed("string")), property("all", object(props...))))
	}
	assert.Equal(t, "fingerprint: {ignored: [body.all]}", hintOf(t, big(), Options{}, diag.SchemaTooLarge))
	op := big()
	op.Annotation.Fingerprint = set(openapi.Fingerprint{Mode: openapi.FingerprintAll, Unknown: set("reject")})
	assert.Equal(t, "ignored: [body.all]", hintOf(t, op, Options{}, diag.SchemaTooLarge))
	op.Annotation.Fingerprint.Value.Ignored = []openapi.FieldPath{path(t, "body.note")}
	assert.Equal(t, "- body.all   # in ignored", hintOf(t, op, Options{}, diag.SchemaTooLarge))
	assert.Contains(t, hintOf(t, choose(t, big(), "body.all body.note", "", "reject"), Options{}, diag.SchemaTooLarge), "- body.all: generic   # in fields")
}

func TestDisagreeingMediaTypesAreLeftOut(t *testing.T) {
	op := operationOf(object(property("a", typed("string"))))
	op.Body.Media = append(op.Body.Media, openapi.Media{Pos: at(11), Type: "application/vnd.x+json", Schema: object(property("b", typed("string")))})
	const message = "IDG312 POST /payments: application/vnd.x+json leads to other fields than application/json"
	_, found := Build(document(op), Options{Base: "payments"})
	assert.Equal(t, []string{message}, errorsOf(found))
	api, found := Build(document(op), Options{Base: "payments", SkipUnsupported: true})
	assert.Empty(t, errorsOf(found))
	assert.Equal(t, []string{message + "; the operation is left out"}, warningsOf(found))
	assert.Empty(t, api.Contracts)
}
