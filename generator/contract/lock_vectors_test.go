package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
)

// What the document gives as an example, an enum or a default must not be where vectors come from.
func TestVectorsHoldNothingOfTheDocument(t *testing.T) {
	secret := with(typed("string"), func(s *openapi.Schema) { s.Enum = []string{`"sk_live_123"`} })
	api, found := Build(document(operationOf(closed(property("token!", withDefault(secret, `"sk_live_123"`))))), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	lock := string(EncodeLock(api))
	assert.Contains(t, lock, "body.token matters")
	assert.NotContains(t, lock, "sk_live")
}

func TestLockHoldsVectors(t *testing.T) {
	for _, name := range hostile {
		t.Run(name, func(t *testing.T) {
			op := operationOf(object(property(name+"!", typed("string")), property(name+"2", array(object(property(name, typed("number")))))),
				query(name+"q", typed("string")))
			api, found := Build(document(op), Options{Base: "payments"})
			require.Empty(t, errorsOf(found))
			v := &api.Contracts[0].Version
			require.NotEmpty(t, v.Vectors)
			text := EncodeLock(api)
			for i, b := range text {
				require.True(t, b < 0x80 || !strings.Contains(string(text[:i]), "vectors:"), "only ASCII stands in vectors")
			}
			lock, problems := ParseLock(text, "lock")
			require.Empty(t, problems.All(), string(text))
			locked := lock.Contracts["createPayment"].Versions[1]
			assert.Equal(t, v.Vectors, locked.Vectors)
			assert.Len(t, locked.VectorPos, len(v.Vectors))
			again, found := Build(document(op), Options{Base: "payments", Lock: lock})
			require.Empty(t, errorsOf(found))
			assert.Equal(t, string(text), string(EncodeLock(again)))
		})
	}
}

func TestLockFindingsAboutVectors(t *testing.T) {
	const head = "        vectors:\n          - name: typical\n            request: {body: '{}'}\n            canonical: '{\"body\":{}}'\n            sha256: 'SUM'\n"
	good := strings.Replace(paymentLock, "ID", "5d0c1f7a92b4e863", 1) + strings.Replace(head, "SUM", strings.Repeat("0a", 32), 1)
	_, found := ParseLock([]byte(good), "lock")
	require.Empty(t, found.All())
	change := func(old, new string) string {
		require.Contains(t, good, old)
		return strings.Replace(good, old, new, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"no list", change("vectors:\n          - ", "vectors:\n            "), "lock:23:13: IDG354 vectors is no list"},
		{"no vector", good + "          - typical\n", "lock:27:13: IDG354 a vector is no mapping"},
		{"no name", good + "          - {like: typical}\n", "lock:27:13: IDG353 a vector has no name"},
		{"unknown member", good + "          - {name: a, likes: typical}\n", `lock:27:23: IDG353 a vector has a member "likes" that this idemgen does not know`},
		{"unknown part", change("{body: ", "{boody: "), `lock:24:23: IDG353 a request has a member "boody" that this idemgen does not know`},
		{"no digest", change(strings.Repeat("0a", 32), "0A"), `lock:26:21: IDG354 sha256 cannot be "0A"`},
		{"no field path", good + "          - {name: a, like: typical, remove: [bodyx]}\n", `IDG354 remove cannot be "bodyx"`},
		{"set is a list", good + "          - {name: a, like: typical, set: [body.a]}\n", "IDG354 set is no mapping"},
		{"set to a mapping", good + "          - {name: a, like: typical, set: {body.a: {b: c}}}\n", `IDG354 what is set cannot be ""`},
		{"path is a text", change("{body: '{}'}", "{path: a}"), "lock:24:29: IDG354 path is no mapping"},
		{"unknown base", good + "          - {name: a, like: other}\n", `lock:23:11: IDG354 vectors: vector: expand "a": no earlier vector is called "other"`},
		{"set of what is not there", good + "          - {name: a, like: typical, set: {body.a.b: '1'}}\n", `IDG354 vectors: vector: expand "a": set body.a.b: it is not there`},
	} {
		t.Run(c.name, func(t *testing.T) {
			lock, found := ParseLock([]byte(c.text), "lock")
			assert.Nil(t, lock)
			var all []string
			for _, d := range found.All() {
				all = append(all, d.Pos.String()+": "+string(d.Code)+" "+d.Message)
			}
			assert.Contains(t, strings.Join(all, "\n"), c.want)
		})
	}
}

// The vectors of a version that the document has left are no concern of today's contract.
func TestVectorsOfAnotherVersionAreLeftAlone(t *testing.T) {
	op := operationOf(object(property("amount!", typed("number"))))
	api, found := Build(document(op), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	lock := func(old, new string) *Lock {
		text := string(EncodeLock(api))
		require.Contains(t, text, old)
		parsed, problems := ParseLock([]byte(strings.ReplaceAll(text, old, new)), "lock")
		require.Empty(t, problems.All())
		return parsed
	}
	_, found = Build(document(op), Options{Base: "payments", Lock: lock("25e-1", "26e-1")})
	assert.Len(t, errorsOf(found), 1)
	both := lock("25e-1", "26e-1")
	both.Contracts["createPayment"].Versions[1].ID = strings.Repeat("0", 16)
	_, found = Build(document(op), Options{Base: "payments", Lock: both, Released: &Lock{}})
	assert.Empty(t, errorsOf(found), "it is not released, and replaced")
}

func TestExpandGivesWholeRequests(t *testing.T) {
	api, found := Build(document(operationOf(object(property("amount!", typed("number"))))), Options{Base: "payments"})
	require.Empty(t, errorsOf(found))
	expanded, err := api.Contracts[0].Expand()
	require.NoError(t, err)
	require.Len(t, expanded, len(api.Contracts[0].Version.Vectors))
	for _, v := range expanded {
		assert.Equal(t, v.Refused != "", v.Result.Err != nil, v.Name)
		if v.Name == "body.amount matters" {
			assert.Equal(t, `{"amount":2.51}`, v.Whole.Body)
			assert.Equal(t, `{"body":{"amount":"2.51"}}`, v.Result.Canonical)
		}
	}
	api.Contracts[0].Version.Vectors[1].Like = "nobody"
	_, err = api.Contracts[0].Expand()
	assert.ErrorContains(t, err, "contract: expand vectors of createPayment: ")
}
