package clients

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	api "github.com/idemgen/idemgen/golden/pipeline/what-clients-send/openapiidem"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

const paid = `{"amount":"1"}`

// at is a command whose every spelling is the target of a payment.
func at(targets ...string) []request {
	var out []request
	for _, target := range targets {
		out = append(out, post(target, paid))
	}
	return out
}

func TestTarget(t *testing.T) {
	const p = "/accounts/a/payments"
	tell(t, []difference{
		{name: "repeated query names, and order within them", commands: [][]request{
			at(p+"?expand=x&expand=y", p+"?expand=x&utm=1&expand=%79", p+"?&expand=x&&expand=y&"), at(p + "?expand=y&expand=x"), at(p+"?expand=x", p+"?e%78pand=x"), at(p + "?expand=x&expand=x"), at(p),
		}},
		{name: "order between query names", commands: [][]request{at(p+"?expand=x&note=n&dryRun=false", p+"?dryRun=false&note=n&expand=x", p+"?note=n&dryRun=false&expand=x&utm=1")}, refused: at(p + "?note=n&note=n")},
		{name: "+ and %20", commands: [][]request{at(p+"?note=a+b", p+"?note=a%20b"), at(p+"?note=a%2Bb", p+"?note=a%2bb"), at(p + "?note=ab")}, refused: at(p+"?note=%zz", p+"?note=%2", p+"?note=%ff")},
		{name: "a, a= and absent", commands: [][]request{at(p, p+"?"), at(p + "?note"), at(p + "?note="), at(p + "?note=null")}},
		{name: "a dry-run query flag", commands: [][]request{at(p), at(p+"?dryRun=true", p+"?dryRun=tru%65"), at(p + "?dryRun=false")}, refused: at(p+"?dryRun=1", p+"?dryRun=TRUE", p+"?dryRun=true&dryRun=true")},
		{name: "query names that nobody declared", commands: [][]request{at(p, p+"?utm_source=mail", p+"?DryRun=true&Note=n")}},
		{name: "path values with %2F", commands: [][]request{at("/accounts/a%2Fb/payments", "/accounts/a%2fb/payments", "/accounts/%61%2Fb/payments"), at("/accounts/a%252Fb/payments"), at("/accounts/ab/payments"), at("/accounts/A%2Fb/payments")}},
	})
}

// uploadedParts is a multipart body of the parts file, title and meta in an order.
func uploadedParts(boundary, filename, content string, order ...string) request {
	parts := map[string]string{
		"file":  "Content-Disposition: form-data; name=\"file\"; filename=\"" + filename + "\"\r\nContent-Type: application/octet-stream\r\n\r\n" + content,
		"title": "content-disposition: form-data; name=title\r\n\r\nT",
		"meta":  "Content-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json; charset=utf-8\r\n\r\n{\"requestId\":\"k\",\"owner\":\"o\"}",
	}
	var b strings.Builder
	for _, name := range order {
		b.WriteString("--" + boundary + "\r\n" + parts[name] + "\r\n")
	}
	return request{method: "POST", target: "/documents", lines: []string{`Content-Type: multipart/form-data; boundary="` + boundary + `"`}, body: b.String() + "--" + boundary + "--\r\n"}
}

func TestMultipart(t *testing.T) {
	first := uploadedParts("b", "a.txt", "x\r\n--c\r\n\x00\xff", "file", "title", "meta")
	play(t, []sequence{
		{"the boundary does not count", []step{{runs, first}, {replay, uploadedParts("----WebKitFormBoundary7MA4", "a.txt", "x\r\n--c\r\n\x00\xff", "file", "title", "meta")}}},
		{"the order of parts does not count", []step{{runs, first}, {replay, uploadedParts("b", "a.txt", "x\r\n--c\r\n\x00\xff", "meta", "title", "file")}}},
		{"file names do not count", []step{{runs, first}, {replay, uploadedParts("b", "other.bin", "x\r\n--c\r\n\x00\xff", "file", "title", "meta")}}},
		{"file content counts", []step{{runs, first}, {mismatch, uploadedParts("b", "a.txt", "x\r\n--c\r\n\x00\xfe", "file", "title", "meta")}, {mismatch, uploadedParts("b", "a.txt", "", "file", "title", "meta")}, {replay, first}}},
		{"a part that is missing counts", []step{{runs, first}, {mismatch, uploadedParts("b", "a.txt", "x\r\n--c\r\n\x00\xff", "file", "meta")}}},
		{"a body that was cut off is refused", []step{
			{refused, request{method: first.method, target: first.target, lines: first.lines, body: strings.TrimSuffix(first.body, "--b--\r\n")}}, {refused, uploadedParts("b", "a.txt", "x", "file", "file", "meta")}, {runs, first},
		}},
	})
}

func zipped(t *testing.T, r request) request {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(r.body))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	r.body = b.String()
	return r.with("Content-Encoding: gzip")
}

func TestEncodings(t *testing.T) {
	as := func(contentType string) request {
		return request{method: "POST", target: payment.target, body: paid, lines: []string{"Content-Type: " + contentType}}
	}
	key := "Idempotency-Key: a"
	whole := zipped(t, payment)
	half := whole
	half.body = half.body[:len(half.body)/2]
	play(t, []sequence{
		{"gzip request body", []step{
			{refused, half.with(key)}, {refused, payment.with("Content-Encoding: gzip", key)}, {encoding, payment.with("Content-Encoding: br", key)}, {encoding, whole.with("Content-Encoding: gzip", key)},
			{runs, whole.with(key)}, {replay, payment.with(key)}, {replay, payment.with("Content-Encoding: identity", key)}, {mismatch, zipped(t, post(payment.target, `{"amount":"2"}`)).with(key)},
		}},
		{"media type parameters", []step{
			{encoding, as("application/json; charset=iso-8859-1").with(key)}, {encoding, as("text/plain").with(key)}, {encoding, as("application/jsonx").with(key)},
			{runs, as("application/json; charset=utf-8").with(key)}, {replay, as("application/json").with(key)}, {replay, as("Application/JSON;charset=\"UTF-8\"").with(key)}, {replay, as("application/json; profile=x").with(key)},
			{replay, as("application/vnd.api+json").with(key)}, {replay, as("").with(key)},
		}},
	})
}

// A proxy or a client library may drop or add a body where few expect one.
func TestBodyOfOtherMethods(t *testing.T) {
	get := func(body string) request {
		return request{method: "GET", target: "/reports", lines: []string{jsonLine}, body: body}
	}
	remove := func(body string) request {
		return request{method: "DELETE", target: "/sessions/s", lines: []string{jsonLine}, body: body}
	}
	tell(t, []difference{
		{name: "GET with a body", commands: [][]request{{get(""), {method: "GET", target: "/reports"}}, {get(`{"month":"2026-01"}`), get(` {"month" : "2026-01"}`)}, {get(`{"month":"2026-02"}`)}}, refused: []request{get(`{"month":1}`)}},
		{name: "DELETE with a body", commands: [][]request{{remove(""), {method: "DELETE", target: "/sessions/%73"}}, {remove(`{"reason":"r"}`)}, {remove(`{"reason":"q"}`)}, {{method: "DELETE", target: "/sessions/t"}}}, refused: []request{remove(`{"reason":"r"`)}},
	})
}

// The key stands in the body and is no part of the command: a client that sends its command again under a new key sends the same command.
func TestKeyIsNoPartOfTheFingerprint(t *testing.T) {
	for _, c := range []struct {
		name         string
		op           *idem.Operation
		first, again request
	}{
		{"body key excluded from the hash", &api.CreateOrderOperation, ordered(`{"requestId":"a","sku":"x"}`), ordered(`{"sku":"x","requestId":"b"}`)},
		{"nested body key excluded from the hash", &api.CreateBatchOperation, batched(`{"meta":{"requestId":"a","source":"s"}}`), batched(`{"meta":{"requestId":"b","source":"s"}}`)},
		{"form key excluded from the hash", &api.CreateChargeOperation, charged("requestId=a&amount=1"), charged("amount=1&requestId=b")},
		{"key in a part excluded from the hash", &api.CreateDocumentOperation, uploaded(`{"requestId":"a"}`, "x"), uploaded(`{"requestId":"b"}`, "x")},
		{"query key excluded from the hash", &api.CreateJobOperation, job("jobKey=a&kind=x"), job("jobKey=b&kind=x")},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, canonicalOf(t, c.op, c.first), canonicalOf(t, c.op, c.again))
			s := newSite(t)
			s.expect(t, runs, c.first)
			s.expect(t, runs, c.again)
		})
	}
}

// Members stand in the order of their UTF-16 code units, whatever a locale, a fold of case or the order of UTF-8 says.
func TestKeyOrder(t *testing.T) {
	body := `{"requestId":"a","\ufb33":1,"z":2,"Ä":3,"A":4,"😂":5,"a":6,"é":7,"_":8,"sku":"x","aa":9,"I":10,"İ":11,"ı":12,"i":13}`
	assert.Equal(t, `{"body":{"A":{"number":"4"},"I":{"number":"10"},"_":{"number":"8"},"a":{"number":"6"},"aa":{"number":"9"},"i":{"number":"13"},"sku":"x","z":{"number":"2"},`+
		`"Ä":{"number":"3"},"é":{"number":"7"},"İ":{"number":"11"},"ı":{"number":"12"},"😂":{"number":"5"},"\ufb33":{"number":"1"}}}`, strings.ReplaceAll(canonicalOf(t, &api.CreateOrderOperation, ordered(body)), "\ufb33", `\ufb33`))
}

// canonicalOf gives the canonical text of a request.
func canonicalOf(t *testing.T, op *idem.Operation, r request) string {
	t.Helper()
	_, query, _ := strings.Cut(r.target, "?")
	in := &canon.Request{Body: []byte(r.body), Query: query}
	for _, line := range r.lines {
		if value, ok := strings.CutPrefix(line, "Content-Type: "); ok {
			in.ContentType = value
		}
	}
	s := canon.Acquire()
	defer s.Release()
	_, err := op.Versions[0].Fingerprint(s, in)
	require.NoError(t, err)
	return string(s.AppendCanonical(nil))
}
