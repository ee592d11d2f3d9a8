package contract

import (
	"cmp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// rebuilt builds before, writes its lock, and builds after against that lock.
func rebuilt(t *testing.T, before, after *openapi.Operation) (*API, *Lock, []diag.Diagnostic) {
	t.Helper()
	first, found := Build(document(before), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	lock, found := ParseLock(EncodeLock(first), "lock")
	require.Empty(t, found.All())
	api, found := Build(document(after), Options{Base: "payments", Lock: lock})
	return api, lock, found.All()
}

func payment(changes ...func(*openapi.Operation)) *openapi.Operation {
	op := operationOf(object(property("amount!", typed("number")), property("id", typed("string"))))
	for _, change := range changes {
		change(op)
	}
	return op
}

// Each change is told once, at the member that changed, with a hint that takes it back, or lets both programs find their records.
func TestChangesThatForgetRecords(t *testing.T) {
	placed := func(line int, to *diag.Pos) { *to = at(line) }
	key := func(text string) func(*openapi.Operation) {
		return func(op *openapi.Operation) {
			op.Annotation.Key = set(openapi.Key{From: set(path(t, text))})
			placed(41, &op.Annotation.Key.Value.From.Pos)
		}
	}
	required := func(op *openapi.Operation) { op.Annotation.Mode.Value = openapi.ModeRequired }
	optional := func(op *openapi.Operation) { op.Annotation.Mode.Value = openapi.ModeOptional }
	keyspace := func(op *openapi.Operation) { op.Annotation.Keyspace = set("shared: a") }
	retention := func(op *openapi.Operation) {
		op.Annotation.Retention = set(openapi.Retention{Duration: 48 * time.Hour})
	}
	unique := func(paths ...string) func(*openapi.Operation) {
		return func(op *openapi.Operation) { op.Annotation.Unique = uniqueOf(t, paths...) }
	}
	businessID := func(paths ...string) string { return string(mustBuild(t, payment(unique(paths...))).Unique.Version.ID) }
	for _, c := range []struct {
		name          string
		before, after func(*openapi.Operation)
		at            int
		message, hint string
	}{
		{"scope", func(op *openapi.Operation) {
			op.Annotation.Scope.Value.Now = []openapi.ScopeTerm{{Dimension: "tenant"}, {Path: fieldPath(path(t, "header.account"))}}
		}, nil, 5, "the scope is [tenant, header.Account] in the lock and [tenant] now: " + unrecognised,
			"scope: {now: [tenant], before: [tenant, header.Account]}"},
		{"order of the scope", func(op *openapi.Operation) {
			op.Annotation.Scope.Value.Now = []openapi.ScopeTerm{{Dimension: "a"}, {Dimension: "b"}}
		}, func(op *openapi.Operation) {
			op.Annotation.Scope.Value.Now = []openapi.ScopeTerm{{Dimension: "b"}, {Dimension: "a"}}
		}, 5, "the scope is [a, b] in the lock and [b, a] now: " + unrecognised, "scope: {now: [b, a], before: [a, b]}"},
		{"a scope that was none of the two", scopes("a", "b"), scopes("c", "d"), 5,
			"the scope is [a] in the lock and [c] now: " + unrecognised, "scope: {now: [c], before: [a]}"},
		{"unique", unique("body.id"), unique("body.amount"), 5,
			"the business key is " + businessID("body.id") + " in the lock and " + businessID("body.amount") + " now: " + undetected, "unique: [body.id]"},
		{"unique taken away", unique("body.id", "body.amount"), nil, 3,
			"the business key is " + businessID("body.id", "body.amount") + " in the lock and none now: " + undetected, "unique: [body.amount, body.id]"},
		{"unique taken away for a short form", unique("body.id"), required, 3,
			"the business key is " + businessID("body.id") + " in the lock and none now: " + undetected, "x-idempotency: {unique: [body.id]}"},
		{"keyspace written", nil, keyspace, 5, "the keyspace is createPayment in the lock and shared: a now: " + unrecognised, "keyspace: createPayment"},
		{"keyspace taken away", keyspace, nil, 3, "the keyspace is shared: a in the lock and createPayment now: " + unrecognised, "keyspace: 'shared: a'"},
		{"keyspace taken away for a short form", keyspace, optional, 3, "the keyspace is shared: a in the lock and createPayment now: " + unrecognised,
			"x-idempotency: {keyspace: 'shared: a', key: {required: false}}"},
		{"name", nil, func(op *openapi.Operation) { op.Annotation.Name = set("pay") }, 5,
			"the name is createPayment in the lock and pay now: " + unrecognised, "name: createPayment"},
		{"name in a shared keyspace", keyspace, func(op *openapi.Operation) { keyspace(op); op.Annotation.Name = set("pay") }, 5,
			"the name is createPayment in the lock and pay now: " + otherCommand, "name: createPayment"},
		{"place of the key", nil, key("body.id"), 41, "the key is header.Idempotency-Key in the lock and body.id now: " + unrecognised, "key: header.Idempotency-Key"},
		{"name of the key", key("header.X-Id"), key("header.X-Request-Id"), 41, "the key is header.X-Id in the lock and header.X-Request-Id now: " + unrecognised, "key: header.X-Id"},
		{"key taken away", key("header.X-Id"), nil, 3, "the key is header.X-Id in the lock and header.Idempotency-Key now: " + unrecognised, "key: header.X-Id"},
		{"key taken away for required", key("header.X-Id"), required, 3, "the key is header.X-Id in the lock and header.Idempotency-Key now: " + unrecognised, "x-idempotency: {key: header.X-Id}"},
		{"key taken away for optional", key("header.X-Id"), optional, 3, "the key is header.X-Id in the lock and header.Idempotency-Key now: " + unrecognised,
			"x-idempotency: {key: {from: header.X-Id, required: false}}"},
		{"key in the long form", nil, func(op *openapi.Operation) {
			key("header.X-Id")(op)
			op.Annotation.Key.Value.Required = set(true)
		}, 41, "the key is header.Idempotency-Key in the lock and header.X-Id now: " + unrecognised, "from: header.Idempotency-Key"},
		{"format of the key", nil, func(op *openapi.Operation) { op.Annotation.Key = set(openapi.Key{Format: set("uuid")}) }, 5,
			"the format of the key is any in the lock and uuid now: keys of earlier requests that have capital letters are no longer recognised, so a retry of one runs again", "take format away"},
		{"retention", retention, nil, 3, "the retention is 2d in the lock and 24h now: a retry that comes later than that runs again", "retention: 2d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, after := payment(), payment()
			if c.before != nil {
				c.before(before)
			}
			if c.after != nil {
				c.after(after)
			}
			_, _, found := rebuilt(t, before, after)
			require.Len(t, found, 1)
			require.Len(t, found[0].Related, 1)
			assert.Regexp(t, `^if that is wanted: --accept (createPayment|pay)\.[a-z-]+ --reason WHY$`, found[0].Related[0].Message)
			found[0].Related = nil
			assert.Equal(t, diag.Diagnostic{Pos: at(c.at), Code: diag.RecordsForgotten, Severity: diag.Error,
				Message: "POST /payments: " + c.message, Hint: c.hint, About: cmp.Or(after.Annotation.Name.Value, "createPayment")}, found[0])
			_, _, found = rebuilt(t, after, after)
			assert.Empty(t, found, "what the lock has is no change")
		})
	}
}

// scopes is a change of scope from before to now.
func scopes(now, before string) func(*openapi.Operation) {
	return func(op *openapi.Operation) {
		op.Annotation.Scope = set(openapi.Scope{Now: []openapi.ScopeTerm{{Dimension: now}}, Before: []openapi.ScopeTerm{{Dimension: before}}})
	}
}

const undetected = "a duplicate of an earlier request that comes with another key, or with none, runs again"

// The values of the business key are the same, but not their spellings: there is nothing to put back.
func TestBusinessKeyThatIsReadOtherwise(t *testing.T) {
	before, after := payment(), payment()
	before.Annotation.Unique, after.Annotation.Unique = uniqueOf(t, "body.id"), uniqueOf(t, "body.id")
	choose(t, after, "body.id=ascii-lower body.amount", "", "reject")
	_, _, found := rebuilt(t, before, after)
	require.Len(t, found, 1)
	assert.Contains(t, found[0].Message, "the business key is")
	assert.Empty(t, found[0].Hint)
}

func TestChangesThatForgetNothing(t *testing.T) {
	for name, c := range map[string]struct{ before, after func(*openapi.Operation) }{
		"operationId":               {nil, func(op *openapi.Operation) { op.ID = "pay" }},
		"path":                      {nil, func(op *openapi.Operation) { op.Path = "/v2/payments" }},
		"key not required":          {nil, func(op *openapi.Operation) { op.Annotation.Key = set(openapi.Key{Required: set(false)}) }},
		"longer retention":          {nil, func(op *openapi.Operation) { op.Annotation.Retention = set(openapi.Retention{Forever: true}) }},
		"fields":                    {nil, func(op *openapi.Operation) { choose(t, op, "body.amount", "body.id", "reject") }},
		"scope with the one before": {nil, scopes("user", "tenant")},
		"scope that has changed":    {scopes("user", "tenant"), scopes("user", "account")},
		"scope that changes back":   {scopes("user", "tenant"), nil},
		"a wait":                    {nil, func(op *openapi.Operation) { op.Annotation.Wait = set(time.Second) }},
		"unique for the first time": {nil, func(op *openapi.Operation) { op.Annotation.Unique = uniqueOf(t, "body.id") }},
		"another order of unique": {func(op *openapi.Operation) { op.Annotation.Unique = uniqueOf(t, "body.id", "body.amount") },
			func(op *openapi.Operation) { op.Annotation.Unique = uniqueOf(t, "body.amount", "body.id") }},
	} {
		before, after := payment(), payment()
		if c.before != nil {
			c.before(before)
		}
		if c.after != nil {
			c.after(after)
		}
		_, _, found := rebuilt(t, before, after)
		assert.Empty(t, found, name)
	}
}

// A path may have another contract's name now: then the operation decides, since its clients' retries are what is forgotten.
func TestOperationDecidesBeforeTheName(t *testing.T) {
	first := operations("one", "two")
	first[1].Path = "/q"
	api, _ := Build(document(first...), Options{Base: "payments"})
	lock, found := ParseLock(EncodeLock(api), "lock")
	require.Empty(t, found.All())
	swapped := operations("one", "two")
	swapped[1].Path = "/q"
	swapped[0].Annotation.Name, swapped[1].Annotation.Name = set("two"), set("one")
	_, found = Build(document(swapped...), Options{Base: "payments", Lock: lock})
	assert.Equal(t, []string{
		"IDG357 POST /p: the name is one in the lock and two now: " + unrecognised,
		"IDG357 POST /q: the name is two in the lock and one now: " + unrecognised,
	}, errorsOf(found))
}

func TestWhatCouldNotBeReadIsNotCompared(t *testing.T) {
	_, _, found := rebuilt(t, payment(), payment(func(op *openapi.Operation) {
		op.Annotation.Key = set(openapi.Key{From: set(path(t, "body.gone"))})
	}))
	require.Len(t, found, 1)
	assert.Equal(t, diag.PathUnknown, found[0].Code)
}

func TestNotes(t *testing.T) {
	id := func(op *openapi.Operation) string { return string(mustBuild(t, op).Version.ID) }
	less := func(op *openapi.Operation) { choose(t, op, "body.amount", "body.id", "reject") }
	none := func(op *openapi.Operation) {
		op.Annotation.Fingerprint = set(openapi.Fingerprint{Mode: openapi.FingerprintNone})
	}
	for _, c := range []struct {
		name          string
		before, after func(*openapi.Operation)
		want          []string
	}{
		{"nothing", nil, nil, nil},
		{"a field less", nil, less, []string{"createPayment: version 2, id " + id(payment(less)) +
			", is new; version 1 stays live: retries of earlier requests are recognised by it"}},
		{"comparison switched on", none, nil, []string{"createPayment: version 1, id " + id(payment()) +
			": requests are compared from now on; of earlier ones nothing is known, and their retries are answered 503 until they expire"}},
		{"switched on with its own status", none, func(op *openapi.Operation) { op.Annotation.Errors.Unavailable = set(500) },
			[]string{"createPayment: version 1, id " + id(payment()) +
				": requests are compared from now on; of earlier ones nothing is known, and their retries are answered 500 until they expire"}},
		{"comparison switched off", nil, none, nil},
		{"another operationId", nil, func(op *openapi.Operation) { op.ID = "pay" }, []string{"name createPayment is kept from the lock (operationId pay)"}},
		{"no operationId", nil, func(op *openapi.Operation) { op.ID = "" }, []string{"name createPayment is kept from the lock (without an operationId)"}},
		{"explicit name taken away", func(op *openapi.Operation) { op.Annotation.Name = set("pay") }, nil,
			[]string{"name pay is kept from the lock (operationId createPayment)"}},
		{"another name", nil, func(op *openapi.Operation) { op.Annotation.Name = set("pay") }, nil}, // a warning tells it
		{"leased no more", func(op *openapi.Operation) { op.Annotation.Execution = set("leased") }, nil,
			[]string{"createPayment: execution leased → transactional: attempts that were cut off before are answered 409 until somebody resolves them"}},
		{"leased from now on", nil, func(op *openapi.Operation) { op.Annotation.Execution = set("leased") }, nil},
		{"a new operation", nil, func(op *openapi.Operation) { op.ID, op.Path = "new", "/new" }, nil},
	} {
		before, after := payment(), payment()
		if c.before != nil {
			c.before(before)
		}
		if c.after != nil {
			c.after(after)
		}
		api, lock, _ := rebuilt(t, before, after)
		assert.Equal(t, c.want, Notes(api, lock), c.name)
	}
	api, _ := Build(document(payment()), Options{Base: "payments"})
	assert.Empty(t, Notes(api, nil))
}
