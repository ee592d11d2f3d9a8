package clients

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const jsonLine = "Content-Type: application/json"

func post(target, body string) request {
	return request{method: "POST", target: target, lines: []string{jsonLine}, body: body}
}

// payment, refund and payout have their keys in a header; the last two share a keyspace.
var (
	payment = post("/accounts/a/payments", `{"amount":"1"}`)
	refund  = post("/refunds", `{"amount":"1"}`)
	payout  = post("/payouts", `{"amount":"1"}`)
)

func ordered(body string) request { return post("/orders", body) }
func batched(body string) request { return post("/batches", body) }

func charged(form string) request {
	return request{method: "POST", target: "/charges", lines: []string{"Content-Type: application/x-www-form-urlencoded"}, body: form}
}

// uploaded has the key in a part that is JSON.
func uploaded(meta, content string) request {
	const head = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
	const next = "\r\n--b\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n"
	return request{method: "POST", target: "/documents", lines: []string{"Content-Type: multipart/form-data; boundary=b"}, body: head + content + next + meta + "\r\n--b--\r\n"}
}

func job(query string) request { return request{method: "POST", target: "/jobs?" + query} }

// step is a request and what has to become of it.
type step struct {
	want verdict
	request
}

// sequence is one thing that the field got wrong: requests one after another, to a site of their own.
type sequence struct {
	name  string
	steps []step
}

func play(t *testing.T, sequences []sequence) {
	t.Helper()
	for _, c := range sequences {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			for _, step := range c.steps {
				s.expect(t, step.want, step.request)
			}
		})
	}
}

// How a key is spelled in its header.
func TestKeyInAHeader(t *testing.T) {
	const uuid = "7f9c2ba4-e88f-11ee-951e-325096b39f47"
	longest := strings.Repeat("k", 255)
	with := func(value string) request { return payment.with("Idempotency-Key: " + value) }
	play(t, []sequence{
		{"absent", []step{{noKey, payment}, {noKey, payment}}},
		{"empty", []step{{noKey, payment.with("Idempotency-Key:")}, {noKey, with("  ")}, {noKey, with(`""`)}}},
		{"blanks around", []step{{runs, with("  a \t")}, {replay, payment.with("Idempotency-Key:a")}, {replay, with(`  "a" `)}, {badKey, with(`" a"`)}}},
		{"quoted and bare spelling of one key", []step{{runs, with(uuid)}, {replay, with(`"` + uuid + `"`)}, {badKey, with(`"` + uuid)}, {badKey, with(uuid + `"`)}}},
		{"escapes in the quoted form", []step{
			{runs, with(`"a\"b"`)}, {replay, with(`"a\"b"`)}, {runs, with(`"a\\b"`)}, {replay, with(`a\b`)}, {badKey, with(`"a\nb"`)}, {badKey, with(`"a\"`)},
		}},
		{"parameters after it", []step{{badKey, with("a;v=1")}, {badKey, with(`"a";v=1`)}, {badKey, with(`"a" ; v`)}, {runs, with("a")}}},
		{"two header lines", []step{
			{badKey, with("a").with("Idempotency-Key: b")}, {badKey, with("a").with("Idempotency-Key: a")}, {badKey, with("a").with("idempotency-key: a")}, {badKey, with("a").with("Idempotency-Key:")},
			{runs, with("a")}, {badKey, with("a").with("Idempotency-Key: a")}, {replay, with("a")},
		}},
		{"comma list", []step{{badKey, with("a,b")}, {badKey, with("a, a")}, {badKey, with(`"a", "a"`)}, {badKey, with("a,")}, {runs, with(`"a,b"`)}, {runs, with("a")}}},
		{"a proxy doubled it, and an honest retry comes with one", []step{{badKey, with("a, a")}, {runs, with("a")}, {badKey, with("a, a")}, {replay, with("a")}}},
		{"255 and 256 characters", []step{{runs, with(longest)}, {replay, with(longest)}, {badKey, with(longest + "k")}, {replay, with(`"` + longest + `"`)}, {badKey, with(`"` + longest + `k"`)}}},
		{"control characters", []step{{badKey, with("\"a\tb\"")}, {badKey, with("a b")}, {bySending, with("a\x00b")}, {bySending, with("a\x1fb")}, {bySending, with("a\x7fb")}}},
		{"non-ASCII", []step{{badKey, with("schlüssel")}, {badKey, with(`"schlüssel"`)}, {badKey, with("a\xffb")}, {badKey, with("\u00a0a")}}},
		{"header name in any case", []step{{runs, payment.with("IDEMPOTENCY-KEY: a")}, {replay, payment.with("idempotency-key: a")}, {replay, payment.with("iDEMPOTENCY-kEY: a")}}},
		{"on an operation that is not annotated", []step{
			{runs, post("/pings", "").with("Idempotency-Key: a")}, {runs, post("/pings", "").with("Idempotency-Key: a")}, {runs, post("/pings", "").with("Idempotency-Key: a, b;")}, {runs, with("a")},
		}},
	})
}

// Where a key stands.
func TestKeyElsewhere(t *testing.T) {
	play(t, []sequence{
		{"in the body", []step{
			{noKey, ordered(`{"sku":"x"}`)}, {noKey, ordered(`{"requestId":"","sku":"x"}`)}, {noKey, ordered(`{"requestId":null,"sku":"x"}`)}, {badKey, ordered(`{"requestId":1,"sku":"x"}`)}, {badKey, ordered(`{"requestId":"a b","sku":"x"}`)},
			{runs, ordered(`{"requestId":"a","sku":"x"}`)}, {replay, ordered(`{"sku":"x","request\u0049d":"\u0061"}`)}, {mismatch, ordered(`{"requestId":"a","sku":"y"}`)}, {runs, ordered(`{"requestId":"b","sku":"x"}`)},
			{refused, ordered(`{"requestId":"c","requestId":"a","sku":"x"}`)}, {refused, ordered(`{"requestid":"a","requestId":"c","sku":"x"}`)},
		}},
		{"in the body, nested", []step{
			{noKey, batched(`{"requestId":"a","name":"x"}`)}, {noKey, batched(`{"meta":{},"name":"x"}`)}, {runs, batched(`{"meta":{"requestId":"a"},"name":"x"}`)}, {replay, batched(`{"name":"x","meta":{"requestId":"a"}}`)},
			{mismatch, batched(`{"meta":{"requestId":"a","source":"s"},"name":"x"}`)}, {runs, batched(`{"meta":{"requestId":"b"},"name":"x"}`)},
		}},
		{"in a form", []step{
			{noKey, charged("amount=1")}, {noKey, charged("requestId=&amount=1")}, {badKey, charged("requestId=a+b&amount=1")}, {badKey, charged("requestId=a&requestId=a&amount=1")},
			{runs, charged("requestId=a&amount=1")}, {replay, charged("amount=1.0&requestId=%61")}, {replay, post("/charges", `{"requestId":"a","amount":"1"}`)}, {mismatch, charged("requestId=a&amount=2")},
		}},
		{"in a JSON part of a multipart body", []step{
			{noKey, uploaded(`{}`, "x")}, {runs, uploaded(`{"requestId":"a"}`, "x")}, {replay, uploaded(` {"requestId":"\u0061"} `, "x")}, {mismatch, uploaded(`{"requestId":"a"}`, "y")}, {runs, uploaded(`{"requestId":"b"}`, "x")},
		}},
		{"in the query", []step{
			{noKey, job("kind=x")}, {noKey, job("kind=x&jobKey=")}, {badKey, job("jobKey=a&jobKey=a&kind=x")}, {badKey, job("jobKey=a+b&kind=x")}, {refused, job("jobKey=%zz&kind=x")},
			{runs, job("jobKey=a&kind=x")}, {replay, job("kind=x&job%4Bey=%61")}, {mismatch, job("jobKey=a&kind=y")}, {runs, job("jobKey=b&kind=x")},
		}},
		{"at both of two places, of which the contract names one", []step{
			{runs, ordered(`{"requestId":"a","sku":"x"}`).with("Idempotency-Key: h")}, {replay, ordered(`{"requestId":"a","sku":"x"}`).with("Idempotency-Key: other")}, {replay, ordered(`{"requestId":"a","sku":"x"}`)},
			{runs, ordered(`{"requestId":"b","sku":"x"}`).with("Idempotency-Key: h")}, {noKey, ordered(`{"sku":"x"}`).with("Idempotency-Key: h")}, {noKey, job("kind=x").with("Idempotency-Key: h")},
		}},
	})
}

// Which requests share a key.
func TestKeyOfSeveralRequests(t *testing.T) {
	play(t, []sequence{
		{"one key on two operations, with own keyspaces", []step{
			{runs, payment.with("Idempotency-Key: a")}, {runs, refund.with("Idempotency-Key: a")}, {replay, payment.with("Idempotency-Key: a")}, {replay, refund.with("Idempotency-Key: a")},
		}},
		{"one key on two operations, with a shared keyspace", []step{{runs, refund.with("Idempotency-Key: a")}, {mismatch, payout.with("Idempotency-Key: a")}, {replay, refund.with("Idempotency-Key: a")}}},
		{"two keys with equal bodies", []step{
			{runs, payment.with("Idempotency-Key: a")}, {runs, payment.with("Idempotency-Key: b")}, {replay, payment.with("Idempotency-Key: a")}, {replay, payment.with("Idempotency-Key: b")},
		}},
	})
}

// Whose a key is.
func TestKeyOfSeveralCallers(t *testing.T) {
	r := payment.with("Idempotency-Key: a")
	send := func(t *testing.T, s *site, tenant string, want verdict) string {
		t.Helper()
		got, body := s.send(t, tenant, r)
		assert.Equal(t, want, got, "%s: %s", tenant, body)
		return body
	}
	t.Run("the same key of two tenants", func(t *testing.T) {
		s := newSite(t)
		acme, other := send(t, s, "acme", runs), send(t, s, "other", runs)
		assert.NotEqual(t, acme, other)
		assert.Equal(t, acme, send(t, s, "acme", replay))
		assert.Equal(t, other, send(t, s, "other", replay))
	})
	t.Run("an empty tenant", func(t *testing.T) {
		s := newSite(t)
		send(t, s, "", noCaller)
		send(t, s, "", noCaller)
		send(t, s, "acme", runs)
	})
	t.Run("anonymous is no shared bucket", func(t *testing.T) {
		s := newSite(t)
		send(t, s, "anonymous", runs) // a tenant who calls itself so
		send(t, s, "", noCaller)
		send(t, s, "null", runs)
		send(t, s, "anonymous", replay)
	})
}
