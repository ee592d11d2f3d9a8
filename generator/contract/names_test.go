package contract

import (
	"go/token"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
)

func field(t testing.TB, typ *Type, name string) TypeField {
	t.Helper()
	i := slices.IndexFunc(typ.Fields, func(f TypeField) bool { return f.Name == name })
	require.GreaterOrEqual(t, i, 0, name)
	return typ.Fields[i]
}

func TestExportedNames(t *testing.T) {
	for text, want := range map[string]string{
		"accountId": "AccountID", "account_id": "AccountID", "accountIds": "AccountIDs", "paymentIDs": "PaymentIDs", "URLs": "URLs", "iban": "IBAN", "HTTPServer": "HTTPServer",
		"dry_run": "DryRun", "3ds": "X3ds", "": "X", "$filter": "Filter", "@type": "Type", "+1": "Plus1", "-1": "Minus1", "type": "Type", "größe": "Größe", "日本": "X日本",
		"e\u0301": "E", "a.b[c]": "ABC", "X-Request-Id": "XRequestID", "uuid4": "Uuid4", "sha256Sum": "Sha256Sum", "PAYMENT": "PAYMENT", "ids": "IDs", "is": "Is", "😀": "X",
	} {
		assert.Equal(t, want, exported(text), text)
		assert.True(t, token.IsIdentifier(want) && token.IsExported(want), want)
	}
	assert.Equal(t, "httpServer", unexported("HTTPServer"))
	assert.Equal(t, "id", unexported("ID"))
	assert.Equal(t, "createPayment", unexported("CreatePayment"))
	assert.Equal(t, "x3ds", unexported("X3ds"))
}

func TestPackageName(t *testing.T) {
	for base, want := range map[string]string{"payments": "paymentsidem", "Payments-v2": "paymentsv2idem", "2fa": "x2faidem", "größe": "greidem", "ÄÖÜ": "xidem"} {
		assert.Equal(t, want, packageName(base))
		assert.True(t, validPackage(want))
	}
	for _, name := range []string{"func", "main", "_", "a b", "9a", ""} {
		assert.False(t, validPackage(name), name)
	}
}

// operations are POSTs without bodies, one for each operationId.
func operations(ids ...string) []*openapi.Operation {
	var out []*openapi.Operation
	for i, id := range ids {
		op := operationOf(nil)
		op.ID, op.Path = id, "/p"+strings.Repeat("x", i)
		out = append(out, op)
	}
	return out
}

// What only some operations declare is kept free for them, and for nobody else.
func TestNamesThatOnlySomeOperationsNeed(t *testing.T) {
	build := func(change func(*openapi.Operation)) []string {
		ops := operations("create", "businessKeyCreate", "recoverCreate")
		ops[0].Parameters = []openapi.Parameter{query("q", typed("string"))}
		change(ops[0])
		api, found := Build(document(ops...), Options{Base: "payments"})
		require.Empty(t, errorsOf(found))
		var names []string
		for _, c := range api.Contracts {
			names = append(names, c.GoName)
		}
		return names
	}
	assert.Equal(t, []string{"BusinessKeyCreate", "Create", "RecoverCreate"}, build(func(*openapi.Operation) {}))
	assert.Equal(t, []string{"BusinessKeyCreate", "Create2", "RecoverCreate"}, build(func(op *openapi.Operation) { op.Annotation.Unique = uniqueOf(t, "query.q") }))
	assert.Equal(t, []string{"BusinessKeyCreate", "Create", "RecoverCreate2"}, build(func(op *openapi.Operation) { op.Annotation.Execution = set("leased") }))
	assert.Equal(t, []string{"BusinessKeyCreate", "Create", "RecoverCreate"}, build(func(op *openapi.Operation) {
		op.Annotation.Execution, op.Annotation.Takeover = set("leased"), set("hold")
	}))
}

func TestOperationsThatWouldShareIdentifiers(t *testing.T) {
	api, found := Build(document(operations("create-payment", "create_payment", "createPayment", "CreatePayment", "scope", "contract", "Contract", "new engine", "scan", "decode payment", "func",
		"create_windows_arm64_test", "日本", "語")...), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	used, files := map[string]bool{}, map[string]bool{"contract": true}
	for _, c := range api.Contracts {
		for _, name := range append(c.Names.list(), c.GoName) {
			assert.False(t, used[name], name)
			assert.True(t, token.IsIdentifier(name), name)
			used[name] = true
		}
		assert.False(t, files[c.FileName], c.FileName)
		assert.Regexp(t, "^[a-z0-9]+$", c.FileName)
		files[c.FileName] = true
		for _, prefix := range emittedPrefixes() {
			assert.False(t, strings.HasPrefix(c.Names.Params, prefix), c.Names.Params)
		}
	}
	for _, name := range []string{"Scope", "NewEngine", "Contract"} {
		assert.False(t, used[name], name)
	}
	names := map[string]string{}
	for _, c := range api.Contracts {
		names[c.Name] = c.GoName
	}
	assert.Equal(t, "CreatePayment", names["CreatePayment"], "by name, capitals first")
	assert.Equal(t, "CreatePayment2", names["create-payment"])
	assert.Equal(t, "NewEngine2", names["new engine"])
}

func TestNamesWithoutOperationID(t *testing.T) {
	ops := operations("", "")
	ops[0].Path, ops[1].Path, ops[1].Method = "/payments/{paymentId}/capture", "/", "DELETE"
	api, found := Build(document(ops...), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	require.Len(t, api.Contracts, 2)
	assert.Equal(t, []string{"delete", "postPaymentsPaymentIDCapture"}, []string{api.Contracts[0].Name, api.Contracts[1].Name})
}

func TestTypesOfACommand(t *testing.T) {
	money := with(object(property("value!", typed("string:decimal")), property("currency!", typed("string"))), func(s *openapi.Schema) { s.Name = "money" })
	op := operationOf(object(
		property("price!", money), property("tip", nullable(with(object(), func(s *openapi.Schema) { s.Properties = money.Properties; s.Name = "tip" }))), property("fee", money),
		property("count", typed("integer:int32")), property("big", typed("integer:uint64")), property("any", &openapi.Schema{}), property("at", typed("string:date-time")),
		property("raw", typed("string:byte")), property("ok", typed("boolean")), property("labels", mapOf(typed("integer"))), property("names", array(nullable(typed("string")))),
		property("lines", array(object(property("sku", typed("string")), property("type", typed("string")), property("Type", typed("string"))))),
		property("id", readOnly(typed("string"))), property("secret", typed("string")), property("scaled", typed("integer")),
	), query("limit", typed("integer")), query("tags!", array(typed("string"))), query("limit_", typed("string")),
		openapi.Parameter{Name: "Idempotency-Key", In: openapi.InHeader, Required: true, Style: "simple", Schema: typed("string")})
	choose(t, op, "body body.scaled=decimal query.limit query.tags", "body.secret query.limit_", "ignore")
	c := mustBuild(t, op)
	body := c.BodyType
	assert.Equal(t, "CreatePaymentBody", body.GoName)
	kinds := map[string]TypeKind{}
	for _, f := range body.Fields {
		kinds[f.Name] = f.Type.Kind
	}
	assert.Equal(t, map[string]TypeKind{"price": TypeStruct, "tip": TypeStruct, "fee": TypeStruct, "count": TypeInt32, "big": TypeNumber, "any": TypeRaw, "at": TypeInstant, "raw": TypeBytes,
		"ok": TypeBool, "labels": TypeMap, "names": TypeList, "lines": TypeList, "secret": TypeString, "scaled": TypeNumber}, kinds, "readOnly is left out, ignored is not")
	price := field(t, body, "price")
	assert.Equal(t, "CreatePaymentMoney", price.Type.GoName)
	assert.Same(t, price.Type, field(t, body, "fee").Type, "one structure, one type")
	assert.Equal(t, TypeNumber, field(t, price.Type, "value").Type.Kind)
	assert.False(t, price.Optional)
	tip := field(t, body, "tip")
	assert.True(t, tip.Nullable && tip.Optional)
	assert.Equal(t, TypeRaw, field(t, body, "names").Type.Elem.Kind, "an element may be null")
	line := field(t, body, "lines").Type.Elem
	assert.Equal(t, "CreatePaymentBodyLinesItem", line.GoName)
	assert.Equal(t, []string{"Type", "SKU", "Type2"}, []string{line.Fields[0].GoName, line.Fields[1].GoName, line.Fields[2].GoName})
	assert.Equal(t, []CommandParam{
		{Name: "limit", GoName: "Limit", Type: &Type{Kind: TypeInt64}},
		{Name: "limit_", GoName: "Limit2", Type: &Type{Kind: TypeString}},
		{Name: "tags", GoName: "Tags", Type: &Type{Kind: TypeList, Elem: &Type{Kind: TypeString}}, Required: true},
	}, c.QueryParams)
	assert.Equal(t, "IdempotencyKey", c.HeaderParams[0].GoName)
}

func TestANormaliserGivesAStructOfItsOwn(t *testing.T) {
	money := func() *openapi.Schema {
		return with(object(property("value", typed("integer"))), func(s *openapi.Schema) { s.Name = "Money" })
	}
	shared := money()
	op := choose(t, operationOf(object(property("a", shared), property("b", shared), property("c", shared))), "body body.b.value=decimal", "", "reject")
	body := mustBuild(t, op).BodyType
	a, b, c := field(t, body, "a").Type, field(t, body, "b").Type, field(t, body, "c").Type
	assert.Same(t, a, c)
	assert.Equal(t, TypeInt64, a.Fields[0].Type.Kind)
	assert.Equal(t, TypeNumber, b.Fields[0].Type.Kind)
	assert.Equal(t, []string{"CreatePaymentMoney", "CreatePaymentMoney2"}, []string{a.GoName, b.GoName})
}

// TestOrderDecidesNothing builds one document in many orders of its operations, properties and parameters.
func TestOrderDecidesNothing(t *testing.T) {
	build := func(r *rand.Rand) (*API, string) {
		money := object(property("value!", typed("string:decimal")), property("currency!", typed("string")))
		props := []openapi.Property{property("a", money), property("b", money), property("c", nullable(typed("string"))), property("A", typed("string")), property("m", mapOf(money))}
		params := []openapi.Parameter{query("x", typed("string")), query("X", typed("string")), query("y", typed("string"))}
		ops := operations("create-payment", "createPayment", "other")
		if r != nil {
			r.Shuffle(len(props), func(i, j int) { props[i], props[j] = props[j], props[i] })
			r.Shuffle(len(params), func(i, j int) { params[i], params[j] = params[j], params[i] })
		}
		for i, op := range ops {
			op.Annotation.Scope.Value.Now = []openapi.ScopeTerm{{Dimension: []string{"user", "tenant", "account"}[i]}}
			op.Parameters = params
			op.Body = operationOf(object(props...)).Body
		}
		if r != nil {
			r.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
		}
		api, found := Build(document(ops...), Options{Base: "payments"})
		require.Empty(t, errorsOf(found))
		return api, string(EncodeLock(api))
	}
	want, lock := build(nil)
	for seed := range uint64(20) {
		got, text := build(rand.New(rand.NewPCG(seed, 1)))
		require.Equal(t, want, got)
		require.Equal(t, lock, text)
	}
}
