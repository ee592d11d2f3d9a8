package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	cards "github.com/idemgen/idemgen/golden/pipeline/sensitive-fields/openapiidem"
	payments "github.com/idemgen/idemgen/golden/pipeline/unique-reference/openapiidem"
	"github.com/idemgen/idemgen/runtime/idem"
)

const quay = "../../golden/pipeline/unique-reference/openapi.yaml"

// payer serves the payments of the golden document on the desk's database, as a program does.
func (d *desk) payer(opts idem.Options) http.Handler {
	d.t.Helper()
	engine, err := payments.NewEngine(d.store, func(context.Context) (payments.Scope, error) { return payments.Scope{Tenant: "acme"}, nil }, opts)
	require.NoError(d.t, err)
	return payments.HandleCreatePayment(engine, func(context.Context, *idem.Execution[pgx.Tx], payments.CreatePaymentCommand) (idem.Response, error) {
		return idem.Response{Status: 201, Header: http.Header{"Location": {"/secret"}}, Body: []byte("secret")}, nil
	})
}

// explain sends a request's text through h unless that is nil, and explains it.
func (d *desk) explain(h http.Handler, document, operation, request string, args ...string) (stdout, stderr string) {
	d.t.Helper()
	if h != nil {
		head, body, _ := strings.Cut(request, "\n\n")
		lines := strings.Split(head, "\n")
		r := httptest.NewRequest(http.MethodPost, strings.Fields(lines[0])[1], strings.NewReader(body))
		for _, line := range lines[1:] {
			name, value, _ := strings.Cut(line, ": ")
			r.Header.Set(name, value)
		}
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	file := filepath.Join(d.t.TempDir(), "r.http")
	require.NoError(d.t, os.WriteFile(file, []byte(request), 0o600))
	var out, errs bytes.Buffer
	Main(append([]string{"explain", operation, document, "--request", file, "--database", d.url, "--scope", "tenant=acme"}, args...), strings.NewReader(""), &out, &errs)
	return out.String(), errs.String()
}

const account = "/v3/accounts/0195f0c1-7f3e-7000-8000-0000000000aa/payments"

func payment(key, body string) string {
	head := "POST " + account + "\nContent-Type: application/json\n"
	if key != "" {
		head += "Idempotency-Key: " + key + "\n"
	}
	return head + "\n" + body
}

func TestExplainShowsTheRecord(t *testing.T) {
	d := newDesk(t)
	h := d.payer(idem.Options{})
	ten := payment("k1", `{"amount":"10","order":{"reference":"r1"}}`)
	out, errs := d.explain(nil, quay, "createPayment", ten)
	require.Empty(t, errs)
	assert.Contains(t, out, "\nin the database\n  place      scope [\"acme\"], keyspace createPayment\n  record     none\n"+
		"  the answer runs: no record stands there; one that a transactional request makes right now cannot be seen\n")

	out, errs = d.explain(h, quay, "createPayment", ten)
	require.Empty(t, errs)
	for _, line := range []string{
		`  record     [0-9a-f-]{36}`, `  state      completed`, `  operation  createPayment, attempt 1`, `  created    20\S+Z`, `  completed  20\S+Z`, `  expires    20\S+Z`,
		`  contract   version 1, id [0-9a-f]{16}`, `  response   status 201, headers Location, body of 6 bytes`,
		`  the answer replay, 201, by version 1: the same command: the stored answer`,
	} {
		assert.Regexp(t, "(?m)^"+line+"$", out)
	}
	assert.NotContains(t, out, "secret", "nothing of the answer")

	out, _ = d.explain(nil, quay, "createPayment", strings.Replace(ten, "10", "11", 1))
	assert.Contains(t, out, "  the answer mismatch, 422 IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_REQUEST, by version 1: another command\n  differs    body.amount\n")
	out, _ = d.explain(nil, quay, "createPayment", payment("k2", `{"amount":"12","order":{"reference":"r1"}}`))
	assert.Contains(t, out, "  state      completed, found by its business key\n")
	assert.Contains(t, out, "IDEMPOTENCY_DUPLICATE_DIFFERS")
	assert.NotContains(t, out, "k1", "the key of somebody else")
	out, _ = d.explain(nil, quay, "createPayment", payment("k2", `{"amount":"10","order":{"reference":"r1"}}`), "--key", "free")
	assert.Contains(t, out, "  the answer replay, 201")
	out, _ = d.explain(nil, quay, "createPayment", payment("k2", `{"amount":"11"}`), "--key", "k1")
	assert.Contains(t, out, "  differs    body.amount\n", "the flag's key counts")
}

func TestExplainWithoutARecord(t *testing.T) {
	d := newDesk(t)
	out, _ := d.explain(nil, quay, "createPayment", payment("", `{"amount":"10"}`))
	assert.Contains(t, out, "  the answer unkeyed: the request has no key and needs none: it runs, and nothing is stored\n")
	out, _ = d.explain(nil, quay, "createPayment", payment(`"a`, `{"amount":"10"}`))
	assert.Contains(t, out, "  the answer refused, 400 IDEMPOTENCY_KEY_MALFORMED: The idempotency key in the header Idempotency-Key cannot be read: the closing quote is missing.\n")
	out, _ = d.explain(nil, quay, "createPayment", payment("k", `{"amount":1,"amount":2}`))
	assert.Contains(t, out, "  the answer refused, 400 IDEMPOTENCY_REQUEST_MALFORMED: ")
}

// The record as programs read it: states, names and sizes.
func TestExplainedRecordAsJSON(t *testing.T) {
	d := newDesk(t)
	keys, err := idem.NewAESSealer(1, map[uint32][]byte{1: bytes.Repeat([]byte("k"), 32)})
	require.NoError(t, err)
	out, errs := d.explain(d.payer(idem.Options{Sealer: keys}), quay, "createPayment", payment("k", `{"amount":"10","order":{"reference":"r"}}`), "--format", "json")
	require.Empty(t, errs)
	var e struct {
		Record struct {
			Answer string
			Status int
			Scope  []string
			Stored struct {
				State             string
				Sealed            bool
				Headers           []string
				BodySize, Attempt int
				Created, Expires  time.Time
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &e))
	r := e.Record
	assert.Equal(t, []any{"replay", 201, []string{"acme"}, "completed", true, []string(nil), 1},
		[]any{r.Answer, r.Status, r.Scope, r.Stored.State, r.Stored.Sealed, r.Stored.Headers, r.Stored.Attempt})
	assert.Greater(t, r.Stored.BodySize, len("secret"), "of the sealed body")
	assert.WithinDuration(t, r.Stored.Created.Add(24*time.Hour), r.Stored.Expires, time.Second, "the statement looks at the clock twice")
}

// Only a program with the secret key can compare what was keyed; values that are sensitive stay masked beside the record.
func TestExplainOfAKeyedRecord(t *testing.T) {
	d := newDesk(t)
	ring, err := idem.NewKeyRing(3, map[uint32][]byte{3: bytes.Repeat([]byte{1}, 32)})
	require.NoError(t, err)
	engine, err := cards.NewEngine(d.store, func(context.Context) (cards.Scope, error) { return cards.Scope{Tenant: "acme"}, nil }, idem.Options{Keys: ring})
	require.NoError(t, err)
	h := cards.HandleStoreCard(engine, func(context.Context, *idem.Execution[pgx.Tx], cards.StoreCardCommand) (idem.Response, error) {
		return idem.Response{Status: 201}, nil
	})
	out, errs := d.explain(h, "../../golden/pipeline/sensitive-fields/openapi.yaml", "storeCard",
		"POST /cards\nContent-Type: application/json\nIdempotency-Key: k\n\n{\"number\":\"4111\"}")
	require.Empty(t, errs)
	assert.Regexp(t, `(?m)^  contract   version 1, id [0-9a-f]{16}, keyed by 3$`, out)
	assert.Contains(t, out, "  the answer incomparable: the record's fingerprint is keyed: it can be compared by who has key 3 (--fingerprint-key)\n")
	assert.NotContains(t, out, "4111")

	secret := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(secret, []byte(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{1}, 32))+"\n"), 0o600))
	const document = "../../golden/pipeline/sensitive-fields/openapi.yaml"
	out, errs = d.explain(h, document, "storeCard",
		"POST /cards\nContent-Type: application/json\nIdempotency-Key: k\n\n{\"number\":\"4111\"}", "--fingerprint-key", "3="+secret)
	require.Empty(t, errs)
	assert.Contains(t, out, "  the answer replay, 201, by version 1: the same command: the stored answer\n")
	assert.NotContains(t, out, "4111")
	for _, c := range []struct{ given, want string }{
		{"x=" + secret, "--fingerprint-key x: the id is a number from 1 to 4294967295"},
		{"0=" + secret, "--fingerprint-key 0: the id is a number from 1 to 4294967295"},
		{"3=" + secret + "s", "--fingerprint-key 3: open "},
		{"3=/dev/null", "key 3 has 0 bytes"},
		{"3=explain_record_test.go", "--fingerprint-key 3: the file holds no base64 text"},
	} {
		_, errs = d.explain(nil, document, "storeCard", "POST /cards\nIdempotency-Key: k\n\n{}", "--fingerprint-key", c.given)
		assert.Contains(t, errs, c.want)
	}
}

func TestExplainOfALeasedRecord(t *testing.T) {
	d := newDesk(t)
	c := idem.Claim{
		Scope: `["acme"]`, Keyspace: "sendLetter", Key: "k", Operation: "sendLetter", Token: idem.NewUUID(), RecordID: idem.NewUUID(),
		Fingerprints: []byte{}, Retention: idem.Forever, LockTimeout: time.Second, Lease: time.Minute,
	}
	_, err := d.store.ClaimLease(context.Background(), c)
	require.NoError(t, err)
	const letters, request = "../../golden/pipeline/leased-charges/openapi.yaml", "POST /letters\nIdempotency-Key: k\n\n"
	out, errs := d.explain(nil, letters, "sendLetter", request, "--webhooks")
	require.Empty(t, errs)
	assert.Regexp(t, `(?m)^  lease      until 20\S+Z$`, out)
	assert.Contains(t, out, "  expires    never\n")
	assert.Contains(t, out, "  the answer incomparable, 503 IDEMPOTENCY_CONTRACT_UNKNOWN: the record was made under versions of the contract that the lock does not have\n")
}

func TestExplainRefusesWhatItCannotLookUp(t *testing.T) {
	d := newDesk(t)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no database":    {[]string{"--key", "k"}, "--key, --scope and --fingerprint-key are about a record that is looked up: give --database"},
		"two requests":   {[]string{"--request", "r.http", "--database", d.url}, "--database looks up one request, got 2"},
		"no scope":       {[]string{"--database", d.url}, "the scope of createPayment has tenant: say whose key it is with --scope tenant=VALUE"},
		"another scope":  {[]string{"--database", d.url, "--scope", "user=u"}, "no scope of the document has user"},
		"no such server": {[]string{"--database", "postgres://user:secret@127.0.0.1:1/none?connect_timeout=2", "--scope", "tenant=acme"}, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			document, err := filepath.Abs(quay)
			require.NoError(t, err)
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("r.http", []byte(payment("k", `{"amount":"10"}`)), 0o600))
			code, errs := run(append([]string{"explain", "createPayment", document, "--request", "r.http"}, c.args...)...)
			assert.Equal(t, 2, code)
			assert.Contains(t, errs, c.want)
			assert.NotContains(t, errs, "secret")
		})
	}
}
