package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
)

func TestWhatAnAnnotationThatSaysNothingMeans(t *testing.T) {
	c := mustBuild(t, operationOf(nil))
	assert.Equal(t, Key{From: "header.Idempotency-Key", In: "header", Name: "Idempotency-Key", Required: true, MinLength: 1, MaxLength: 255}, c.Key)
	assert.Equal(t, []ScopeTerm{{Text: "tenant"}}, c.Scope)
	assert.Equal(t, "createPayment", c.Keyspace)
	assert.Equal(t, 24*time.Hour, c.Retention)
	assert.Equal(t, "transactional", c.Execution)
	assert.Equal(t, []int{408, 425, 429, 502, 503, 504}, c.KeepExcept)
	assert.Equal(t, []string{"Etag", "Location"}, c.ReplayHeaders)
	assert.Equal(t, "Idempotent-Replayed", c.ReplayMarker)
	assert.Equal(t, Statuses{Missing: 400, Malformed: 400, Mismatch: 422, InFlight: 409, Unknown: 409, Unavailable: 503}, c.Statuses)
	assert.True(t, c.Compare)
	assert.Equal(t, 1, c.Version.Number)
}

func TestWhatAnAnnotationSays(t *testing.T) {
	op := operationOf(nil)
	a := &op.Annotation
	a.Key = set(openapi.Key{From: set(path(t, "header.x-request-id")), Required: set(false), MinLength: set(36), MaxLength: set(36), Format: set("uuid")})
	a.Keyspace = set("payments")
	a.Retention = set(openapi.Retention{Forever: true})
	a.KeepExcept = set([]openapi.Val[int]{set(503), set(429), set(503)})
	a.Replay = openapi.Replay{Headers: set([]openapi.Val[string]{set("x-trace"), set("ETAG"), set("X-Trace")}), Marker: set("X-Replay")}
	a.Errors = openapi.Errors{Mismatch: set(409), Docs: set("https://example.com/docs")}
	c := mustBuild(t, op)
	assert.Equal(t, Key{From: "header.X-Request-Id", In: "header", Name: "X-Request-Id", MinLength: 36, MaxLength: 36, Format: "uuid"}, c.Key)
	assert.Equal(t, "payments", c.Keyspace)
	assert.Equal(t, Forever, c.Retention)
	assert.Equal(t, "forever", c.RetentionText)
	assert.Equal(t, []int{429, 503}, c.KeepExcept)
	assert.Equal(t, []string{"Etag", "X-Trace"}, c.ReplayHeaders)
	assert.Equal(t, "X-Replay", c.ReplayMarker)
	assert.Equal(t, 409, c.Statuses.Mismatch)
	assert.Equal(t, 400, c.Statuses.Missing)
	assert.Equal(t, "https://example.com/docs", c.Docs)
	a.KeepExcept = set([]openapi.Val[int]{})
	assert.Empty(t, mustBuild(t, op).KeepExcept, "an empty list says that every status is an outcome")
}

func TestShortFormsDecideWhetherAKeyIsRequired(t *testing.T) {
	for mode, want := range map[openapi.Mode]bool{openapi.ModeRequired: true, openapi.ModeOptional: false} {
		op := operationOf(nil)
		op.Annotation.Mode.Value = mode
		op.Annotation.Key = set(openapi.Key{Required: set(!want)}) // inherited
		assert.Equal(t, want, mustBuild(t, op).Key.Required)
	}
}

func TestScopeParts(t *testing.T) {
	op := operationOf(closed(property("shop", closed(property("id!", typed("integer"))))),
		openapi.Parameter{Name: "b", In: openapi.InPath, Required: true, Style: "simple", Schema: typed("string")},
		openapi.Parameter{Name: "a", In: openapi.InPath, Required: true, Style: "simple", Schema: typed("string")}, query("q", typed("string")))
	op.Path = "/{a}/{b}"
	other := operationOf(nil)
	other.ID, other.Path = "aOther", "/other"
	other.Annotation.Scope.Value.Now = []openapi.ScopeTerm{{Dimension: "user"}, {Dimension: "account"}}
	op.Annotation.Scope.Value.Now = []openapi.ScopeTerm{{Dimension: "user"}, {Path: fieldPath(path(t, "path.b"))}, {Path: fieldPath(path(t, "body.shop.id"))},
		{Path: fieldPath(path(t, "header.stripe-account"))}, {Path: fieldPath(path(t, "query.q"))}, {Dimension: "tenant"}}
	api, found := Build(document(op, other), Options{Base: "payments"})
	require.Empty(t, found.All())
	assert.Equal(t, []Dimension{{"account", "Account"}, {"tenant", "Tenant"}, {"user", "User"}}, api.Dimensions)
	assert.Equal(t, []ScopeTerm{
		{Text: "user", Dimension: 2},
		{Text: "path.b", Dimension: -1, In: "path", Name: "b", Index: 1},
		{Text: "body.shop.id", Dimension: -1, In: "body", Path: []string{"shop", "id"}, As: canon.Int},
		{Text: "header.Stripe-Account", Dimension: -1, In: "header", Name: "Stripe-Account"},
		{Text: "query.q", Dimension: -1, In: "query", Name: "q"},
		{Text: "tenant", Dimension: 1},
	}, api.Contracts[1].Scope)
	assert.Equal(t, []ScopeTerm{{Text: "user", Dimension: 2}, {Text: "account"}}, api.Contracts[0].Scope)
}

// The scope that an operation had is asked for like the one that it has.
func TestScopeBefore(t *testing.T) {
	op := operationOf(nil, query("shop", typed("integer")))
	other := operationOf(nil)
	other.ID, other.Path = "other", "/other"
	op.Annotation.Scope.Value = openapi.Scope{Now: []openapi.ScopeTerm{{Dimension: "tenant"}, {Dimension: "user"}},
		Before: []openapi.ScopeTerm{{Dimension: "account"}, {Path: fieldPath(path(t, "query.shop"))}, {Dimension: "user"}}}
	api, found := Build(document(op, other), Options{Base: "payments"})
	require.Empty(t, found.All())
	assert.Equal(t, []Dimension{{"account", "Account"}, {"tenant", "Tenant"}, {"user", "User"}}, api.Dimensions)
	assert.Equal(t, []ScopeTerm{{Text: "tenant", Dimension: 1}, {Text: "user", Dimension: 2}}, api.Contracts[0].Scope)
	assert.Equal(t, []ScopeTerm{{Text: "account"}, {Text: "query.shop", Dimension: -1, In: "query", Name: "shop", As: canon.Int}, {Text: "user", Dimension: 2}}, api.Contracts[0].Before)
	assert.Empty(t, api.Contracts[1].Before)

	global := operationOf(nil)
	global.Annotation.Scope.Value.Before = []openapi.ScopeTerm{{Dimension: openapi.ScopeGlobal}}
	assert.Equal(t, []ScopeTerm{{Text: "global", Dimension: -1, Literal: "global"}}, mustBuild(t, global).Before, "what was warned of then is none today")

	op.Annotation.Scope.Value = openapi.Scope{Now: []openapi.ScopeTerm{{Dimension: "tenant"}, {Path: fieldPath(path(t, "header.x-shop"))}},
		Before: []openapi.ScopeTerm{{Dimension: "tenant"}, {Path: fieldPath(path(t, "header.X-Shop"))}}}
	_, found = Build(document(op), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG221 scope.before is the same as scope.now; a record would be claimed twice"}, errorsOf(found))
	op.Annotation.Scope.Value.Before = []openapi.ScopeTerm{{Path: fieldPath(path(t, "body.gone"))}}
	_, found = Build(document(op), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG303 body.gone is not declared: the operation has no body"}, errorsOf(found))
}

func TestWait(t *testing.T) {
	op := operationOf(nil)
	assert.Zero(t, mustBuild(t, op).Wait)
	op.Annotation.Wait = set(time.Minute)
	assert.Equal(t, time.Minute, mustBuild(t, op).Wait)
	op.Annotation.Wait = set(time.Minute + time.Second)
	_, found := Build(document(op), Options{Base: "payments"})
	require.Equal(t, []string{"IDG327 a duplicate would wait 61s, longer than clients and proxies do; the most is 1m"}, errorsOf(found))
	assert.Equal(t, "wait: 1m", found.All()[0].Hint)
}

func TestLease(t *testing.T) {
	op := operationOf(nil)
	c := mustBuild(t, op)
	assert.Equal(t, []any{"transactional", time.Duration(0), "", 0}, []any{c.Execution, c.Lease, c.Takeover, c.Attempts})
	op.Annotation.Lease, op.Annotation.Takeover, op.Annotation.Attempts = set(time.Minute), set("hold"), set(2) // defaults of a root, for others
	c = mustBuild(t, op)
	assert.Equal(t, []any{"transactional", time.Duration(0), "", 0}, []any{c.Execution, c.Lease, c.Takeover, c.Attempts})
	op.Annotation.Execution = set("leased")
	c = mustBuild(t, op)
	assert.Equal(t, []any{"leased", time.Minute, "hold", 2}, []any{c.Execution, c.Lease, c.Takeover, c.Attempts})
	assert.Empty(t, c.Names.Recover)

	op = operationOf(nil, openapi.Parameter{Name: "x-tier", In: openapi.InHeader, Schema: typed("string")}, openapi.Parameter{Name: "Accept-Plan", In: openapi.InHeader, Schema: typed("string")})
	op.Annotation.Execution = set("leased")
	c = mustBuild(t, op)
	assert.Equal(t, []any{"leased", 30 * time.Second, "recover", 5}, []any{c.Execution, c.Lease, c.Takeover, c.Attempts})
	assert.Equal(t, []string{"Accept-Plan", "X-Tier"}, c.CommandHeaders, "of the command alone: a recovery has no request")
	assert.Equal(t, "RecoverCreatePayment", c.Names.Recover)
	op.Annotation.Takeover = set("retake")
	assert.Empty(t, mustBuild(t, op).CommandHeaders, "the next request has them")
	op.Method, op.Path, op.Webhook, op.Annotation.Takeover = "", "", "paid", set("recover")
	assert.Empty(t, mustBuild(t, op).Names.Recover, "a webhook has no place in the middleware")
}

func TestLeaseHasBounds(t *testing.T) {
	for lease, want := range map[time.Duration]string{
		5 * time.Second: "", time.Hour: "",
		4 * time.Second:         "IDG327 a lease of 4s would run out while its attempt lives; the least is 5s",
		time.Hour + time.Second: "IDG327 a lease of 3601s would hide for as long that its attempt has ended; the most is 1h",
	} {
		op := operationOf(nil)
		op.Annotation.Execution, op.Annotation.Lease = set("leased"), set(lease)
		_, found := Build(document(op), Options{Base: "payments"})
		if want == "" {
			assert.Empty(t, found.All(), lease)
			continue
		}
		assert.Equal(t, []string{want}, errorsOf(found))
	}
	op := operationOf(nil)
	op.Annotation.Execution, op.Annotation.Lease, op.Annotation.Retention = set("leased"), set(10*time.Minute), set(openapi.Retention{Duration: 5 * time.Minute})
	_, found := Build(document(op), Options{Base: "payments"})
	assert.Equal(t, []string{"IDG323 retention 5m is shorter than the lease 10m: a retry may come when the record of an attempt is gone already"}, warningsOf(found))
}

// A leased operation is found again by its key or by what it makes; the hint demands the key where it was said that it may be missing.
func TestLeasedOperationsAreProtected(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*openapi.Operation)
		line   int
		hint   string
	}{
		"key.required": {func(op *openapi.Operation) { op.Annotation.Key = set(openapi.Key{Required: set(false)}) }, 5, "required: true"},
		"optional": {func(op *openapi.Operation) {
			op.Annotation.Mode = openapi.Val[openapi.Mode]{Value: openapi.ModeOptional, Pos: at(8), Set: true}
		}, 8, "x-idempotency: required"},
	} {
		op := operationOf(object(property("reference", typed("string"))))
		op.Annotation.Execution = set("leased")
		c.change(op)
		_, found := Build(document(op), Options{Base: "payments"})
		require.Len(t, found.All(), 1, name)
		d := found.All()[0]
		assert.Equal(t, []any{diag.LeasedUnprotected, at(c.line), c.hint}, []any{d.Code, d.Pos, d.Hint}, name)
		op.Annotation.Unique = uniqueOf(t, "body.reference")
		mustBuild(t, op)
		op.Annotation.Unique = uniqueOf(t, "body.gone")
		_, found = Build(document(op), Options{Base: "payments"})
		assert.Equal(t, []string{"IDG303 body.gone is not declared"}, errorsOf(found), "one fault, one finding")
	}
}

// A number is a key only where the document says so: else 5 and "5" would be one key by accident.
func TestKeyIsANumberWhereTheDocumentDeclaresOne(t *testing.T) {
	for name, c := range map[string]struct {
		schema *openapi.Schema
		want   bool
	}{
		"string":            {typed("string"), false},
		"integer":           {typed("integer:int64"), true},
		"number":            {nullable(typed("number")), true},
		"string or integer": {&openapi.Schema{Types: []string{"string", "integer"}}, true},
		"a branch":          {&openapi.Schema{OneOf: []*openapi.Schema{typed("string"), typed("integer")}}, true},
		"branches of text":  {&openapi.Schema{OneOf: []*openapi.Schema{typed("string:uuid"), typed("string")}}, false},
		"behind allOf":      {&openapi.Schema{AllOf: []*openapi.Schema{typed("integer")}}, true},
		"anything":          {&openapi.Schema{}, false},
	} {
		op := operationOf(object(property("id!", c.schema)))
		op.Annotation.Key = set(openapi.Key{From: set(path(t, "body.id"))})
		api, found := Build(document(op), Options{Base: "payments"})
		require.Empty(t, errorsOf(found), name)
		assert.Equal(t, c.want, api.Contracts[0].Key.Numbers, name)
	}
	op := operationOf(nil, query("id!", typed("integer")))
	op.Annotation.Key = set(openapi.Key{From: set(path(t, "query.id"))})
	assert.False(t, mustBuild(t, op).Key.Numbers, "other places have text alone")
}

func TestKeyNeverCounts(t *testing.T) {
	for text, want := range map[string][]string{
		"body.options.key": {"body: object required", "body.options: object optional", "body.options.mode: exact/1 optional", "path.id: exact/1 required", "query.key: exact/1 optional"},
		"query.key":        {"body: object required", "body.options: object optional", "body.options.key: exact/1 optional", "body.options.mode: exact/1 optional", "path.id: exact/1 required"},
		"path.id":          {"body: object required", "body.options: object optional", "body.options.key: exact/1 optional", "body.options.mode: exact/1 optional", "query.key: exact/1 optional"},
	} {
		op := operationOf(object(property("options", object(property("key", typed("string")), property("mode", typed("string"))))), query("key", typed("string")))
		op.Path = "/{id}"
		op.Annotation.Key = set(openapi.Key{From: set(path(t, text))})
		api, found := Build(document(op), Options{Base: "payments"})
		require.Empty(t, errorsOf(found))
		assert.Equal(t, want, fieldLines(api.Contracts[0].Version), text)
		assert.Equal(t, []string{text}, api.Contracts[0].Version.Ignored)
	}
}

func TestBodyWithoutSchemaAndOptionalBody(t *testing.T) {
	op := operationOf(typed("string"))
	op.Body.Media[0].Schema = nil
	op.Body.Media[0].Type = "Application/Vnd.X+JSON; charset=utf-8"
	op.Body.Required = false
	c := mustBuild(t, op)
	assert.Equal(t, []string{"body: generic/1 optional"}, fieldLines(c.Version))
	assert.False(t, c.Version.Spec.Required)
	assert.Equal(t, TypeRaw, c.BodyType.Kind)

	c = mustBuild(t, operationOf(nil))
	assert.Nil(t, c.Version.Body)
	assert.Nil(t, c.BodyType)
	assert.Empty(t, c.Version.Spec.Accepts)
}

func TestUnsupportedOperationsAreLeftOut(t *testing.T) {
	ops := operations("one", "two", "three")
	ops[0].Body = &openapi.Body{Pos: at(9), Media: []openapi.Media{{Pos: at(10), Type: "multipart/mixed"}}}
	ops[0].Annotation.Scope = openapi.Val[openapi.Scope]{} // what else is wrong with it does not matter then
	ops[1].Unsupported = []openapi.Unsupported{{Pos: at(50), Message: "a trait", Code: diag.NotSupported}}
	api, found := Build(document(ops...), Options{Base: "payments", SkipUnsupported: true})
	require.Empty(t, errorsOf(found))
	assert.Equal(t, []string{"IDG340 POST /p: a body of type multipart/mixed is not supported by this version; the operation is left out", "IDG340 a trait; the operation is left out"}, warningsOf(found))
	require.Len(t, api.Contracts, 1)
	assert.Equal(t, "three", api.Contracts[0].Name)

	_, found = Build(document(ops...), Options{Base: "payments"})
	assert.Len(t, errorsOf(found), 3)
}

func TestNothingFollowsFromABrokenAnnotation(t *testing.T) {
	op := operationOf(object(property("a", typed("string"))))
	op.Annotation = openapi.Annotation{Pos: at(3), Broken: true}
	api, found := Build(document(op), Options{Base: "payments"})
	assert.Empty(t, found.All())
	assert.Empty(t, api.Contracts)
}

func TestTheMarkerHidesNoStoredHeader(t *testing.T) {
	op := operationOf(nil)
	op.Annotation.Replay.Marker = set("location")
	_, found := Build(document(op), Options{Base: "payments"})
	require.Equal(t, 1, found.Len())
	assert.Equal(t, diag.AnnotationTwice, found.All()[0].Code)
	op.Annotation.Replay.Headers = set([]openapi.Val[string]{})
	mustBuild(t, op)
}
