package canon_test

import (
	"crypto/sha256"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

func TestCanonicalForm(t *testing.T) {
	s := canon.Acquire()
	defer s.Release()
	body := `{"order":"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "note":null,"amount" : {"value":1.50e1,"x":[1,{"a":2}],"currency":"eur"},
		"labels":{"z":"1","\ud83d\ude02":"laugh","\ufb33":"dalet","gone":null,"a\n":"\u0041\/"},
		"items":[{"tags":["b","a","b"],"sku":"s","z":{"q":1,"b":[null,true,-0.0]},"quantity":"-0"},{"sku":""}],"sentAt":12,"rate":1e21,
		"at":"2024-03-01t00:30:00.120+01:00","meta":{}}`
	digest, err := fingerprintPayment(s, &canon.Request{
		Body: []byte(body), ContentType: "application/json; charset=UTF-8",
		Query: "expand=b+c&expand=%61&x=1&expand", Path: []string{"acc/1"},
		Header: map[string][]string{"Stripe-Account": {" acct_1 "}},
	})
	require.NoError(t, err)
	want := `{"body":{"amount":{"currency":"EUR","value":"15"},"at":"2024-02-29T23:30:00.12Z","flag":false,` +
		`"items":[{"quantity":"0","sku":"s","tags":["a","b"],"z":{"object":{"b":[null,true,{"number":"0"}],"q":{"number":"1"}}}},{"sku":""}],` +
		`"labels":{"a\n":"A/","z":"1","😂":"laugh","` + "\ufb33" + `":"dalet"},"meta":{"object":{}},"order":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11","rate":"1e+21"},` +
		`"header":{"stripe-account":"acct_1"},"path":{"accountId":"acc/1"},"query":{"expand":["b c","a",null]}}`
	assert.Equal(t, want, string(s.AppendCanonical(nil)))
	sum := sha256.Sum256([]byte("idempotency-fingerprint/1\ncreatePayment\n5d0c1f7a92b4e863\n" + want))
	assert.Equal(t, canon.Digest(sum), digest)
}
