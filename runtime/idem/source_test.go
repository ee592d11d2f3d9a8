package idem_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// bare is an operation that compares nothing, so that only the key decides.
func bare(f *fixture, _ *idem.Options) {
	f.op.Versions = nil
	f.op.Path = "/payments"
}

func keyed(key idem.KeySource) setting {
	return func(f *fixture, _ *idem.Options) {
		if key.MaxLength == 0 {
			key.MinLength, key.MaxLength = 1, 255
		}
		f.op.Key = key
	}
}

// keySeen runs one request and gives the key that its handler saw, or the problem's code.
func keySeen(t *testing.T, key idem.KeySource, c call) (seen string, code idem.Code) {
	t.Helper()
	f := newFixture(t, bare, keyed(key), func(f *fixture, _ *idem.Options) {
		if key.In == idem.KeyInPath {
			f.op.Path = "/payments/{paymentId}"
		}
	})
	ran := false
	h := authenticated(idem.Handle(f.engine, f.op, func(*canon.Request) (struct{}, error) { return struct{}{}, nil },
		func(_ ctx, ex *execution, _ struct{}) (idem.Response, error) {
			ran, seen = true, ex.Key()
			return idem.Response{Status: 200}, nil
		}))
	if c.path == "" {
		c.path = "/payments"
	}
	a := send(h, c)
	if !ran {
		return "", a.code()
	}
	require.Equal(t, 200, a.status)
	return seen, ""
}

func TestKeyInHeader(t *testing.T) {
	header := idem.KeySource{In: idem.KeyInHeader, Name: "Idempotency-Key", Required: true}
	cases := []struct {
		name  string
		lines []string
		want  string
		code  idem.Code
	}{
		{"255 characters", []string{strings.Repeat("k", 255)}, strings.Repeat("k", 255), ""},
		{"256 characters", []string{strings.Repeat("k", 256)}, "", idem.CodeKeyMalformed},
		{"255 characters in quotes", []string{`"` + strings.Repeat("k", 255) + `"`}, strings.Repeat("k", 255), ""},
		{"255 characters with escapes", []string{`"` + strings.Repeat(`\\`, 255) + `"`}, strings.Repeat(`\`, 255), ""},
		{"two lines", []string{"a", "b"}, "", idem.CodeKeyMalformed},
		{"missing", []string{}, "", idem.CodeKeyMissing},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			key, code := keySeen(t, header, call{header: http.Header{"Idempotency-Key": c.lines}})
			assert.Equal(t, c.want, key)
			assert.Equal(t, c.code, code)
		})
	}
}

func TestKeyLengthAndFormat(t *testing.T) {
	const lower, upper = "7f9c2ba4-e88f-11ee-951e-325096b39f47", "7F9C2BA4-E88F-11EE-951E-325096B39F47"
	cases := []struct {
		name       string
		min, max   int
		format     idem.KeyFormat
		sent, want string
		code       idem.Code
	}{
		{"shorter than the least", 8, 64, idem.AnyKey, "1234567", "", idem.CodeKeyMalformed},
		{"the least", 8, 64, idem.AnyKey, "12345678", "12345678", ""},
		{"longer than the most", 1, 4, idem.AnyKey, "12345", "", idem.CodeKeyMalformed},
		{"uuid", 1, 255, idem.UUIDKey, lower, lower, ""},
		{"uuid in capitals is the same key", 1, 255, idem.UUIDKey, upper, lower, ""},
		{"uuid in quotes", 1, 255, idem.UUIDKey, `"` + upper + `"`, lower, ""},
		{"uuid in braces", 1, 255, idem.UUIDKey, "{" + lower + "}", "", idem.CodeKeyMalformed},
		{"uuid as urn", 1, 255, idem.UUIDKey, "urn:uuid:" + lower, "", idem.CodeKeyMalformed},
		{"uuid without hyphens", 1, 255, idem.UUIDKey, strings.ReplaceAll(lower, "-", ""), "", idem.CodeKeyMalformed},
		{"uuid with a wrong hyphen", 1, 255, idem.UUIDKey, "7f9c2ba4e-88f-11ee-951e-325096b39f47", "", idem.CodeKeyMalformed},
		{"uuid with a letter beyond f", 1, 255, idem.UUIDKey, "7f9c2ba4-e88f-11ee-951e-325096b39fg7", "", idem.CodeKeyMalformed},
		{"capitals of another format stay", 1, 255, idem.AnyKey, upper, upper, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			key, code := keySeen(t, idem.KeySource{In: idem.KeyInHeader, Name: "X-Request-Id", Required: true,
				MinLength: c.min, MaxLength: c.max, Format: c.format}, call{header: http.Header{"X-Request-Id": {c.sent}}})
			assert.Equal(t, c.want, key)
			assert.Equal(t, c.code, code)
		})
	}
}

func TestKeyInQuery(t *testing.T) {
	query := idem.KeySource{In: idem.KeyInQuery, Name: "request id", Required: true}
	cases := []struct {
		name, query, want string
		code              idem.Code
	}{
		{"absent", "", "", idem.CodeKeyMissing},
		{"empty", "request+id=", "", idem.CodeKeyMissing},
		{"no equals sign", "request+id", "", idem.CodeKeyMissing},
		{"plain", "request+id=abc", "abc", ""},
		{"name spelled otherwise", "request%20id=abc", "abc", ""},
		{"value is taken as it is", "request+id=%22a%2Cb%3B%22", `"a,b;"`, ""},
		{"among others", "a=1&request+id=abc&b", "abc", ""},
		{"repeated", "request+id=a&request+id=a", "", idem.CodeKeyMalformed},
		{"blank", "request+id=a+b", "", idem.CodeKeyMalformed},
		{"non-ASCII", "request+id=%C3%A9", "", idem.CodeKeyMalformed},
		{"bad escape", "request+id=%zz", "", idem.CodeRequestMalformed},
		{"name in another case", "Request+Id=abc", "", idem.CodeKeyMissing},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			key, code := keySeen(t, query, call{path: "/payments?" + c.query})
			assert.Equal(t, c.want, key)
			assert.Equal(t, c.code, code)
		})
	}
}

func TestKeyInBody(t *testing.T) {
	body := idem.KeySource{In: idem.KeyInBody, Path: []string{"meta", "key"}, Required: true}
	cases := []struct {
		name, body, want string
		code             idem.Code
	}{
		{"string", `{"meta":{"key":"abc"}}`, "abc", ""},
		{"escapes", `{"meta":{"\u006bey":"a\u0062c"}}`, "abc", ""},
		{"string is taken as it is", `{"meta":{"key":"\"a\",b;"}}`, `"a",b;`, ""},
		{"number", `{"meta":{"key":5}}`, "", idem.CodeKeyMalformed},
		{"true", `{"meta":{"key":true}}`, "", idem.CodeKeyMalformed},
		{"object", `{"meta":{"key":{}}}`, "", idem.CodeKeyMalformed},
		{"array", `{"meta":{"key":["a"]}}`, "", idem.CodeKeyMalformed},
		{"null", `{"meta":{"key":null}}`, "", idem.CodeKeyMissing},
		{"empty", `{"meta":{"key":""}}`, "", idem.CodeKeyMissing},
		{"absent", `{"meta":{}}`, "", idem.CodeKeyMissing},
		{"nothing on the way", `{"key":"abc"}`, "", idem.CodeKeyMissing},
		{"control character", `{"meta":{"key":"a\u0000"}}`, "", idem.CodeKeyMalformed},
		{"duplicate", `{"meta":{"key":"a","key":"b"}}`, "", idem.CodeRequestMalformed},
		{"no JSON", `{"meta":`, "", idem.CodeRequestMalformed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			key, code := keySeen(t, body, call{body: c.body})
			assert.Equal(t, c.want, key)
			assert.Equal(t, c.code, code)
		})
	}
}

// Where the document declares a number, the key is the text that was sent.
func TestKeyInBodyThatIsANumber(t *testing.T) {
	body := idem.KeySource{In: idem.KeyInBody, Path: []string{"key"}, Required: true, Numbers: true}
	for _, c := range []struct {
		name, body, want string
		code             idem.Code
	}{
		{"number as it was sent", `{"key":12345678901234567890}`, "12345678901234567890", ""},
		{"spelled otherwise it is another key", `{"key":1e2}`, "1e2", ""},
		{"string", `{"key":"abc"}`, "abc", ""},
		{"true", `{"key":true}`, "", idem.CodeKeyMalformed},
		{"null", `{"key":null}`, "", idem.CodeKeyMissing},
		{"array", `{"key":[5]}`, "", idem.CodeKeyMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			key, code := keySeen(t, body, call{body: c.body})
			assert.Equal(t, c.want, key)
			assert.Equal(t, c.code, code)
		})
	}
}

func TestKeyInPath(t *testing.T) {
	path := idem.KeySource{In: idem.KeyInPath, Name: "paymentId", Required: true}
	key, _ := keySeen(t, path, call{path: "/any/prefix/payments/a%2Fb", noKey: true})
	assert.Equal(t, "a/b", key)
	_, code := keySeen(t, path, call{path: "/payments/a%20b", noKey: true})
	assert.Equal(t, idem.CodeKeyMalformed, code)
}

func TestOptionalKey(t *testing.T) {
	f := newFixture(t, func(f *fixture, _ *idem.Options) { f.op.Key.Required = false })
	runs := 0
	h := f.handler(f.pay(&runs))
	for range 2 {
		a := send(h, call{noKey: true})
		require.Equal(t, 201, a.status)
		assert.False(t, a.replayed())
	}
	assert.Equal(t, 2, runs)
	assert.Len(t, f.ledger.all(), 2, "each commits its writes")
	assert.Equal(t, []idem.EventKind{idem.EventUnkeyed, idem.EventCompleted, idem.EventUnkeyed, idem.EventCompleted}, f.events.kinds())

	assert.Equal(t, idem.CodeKeyMalformed, send(h, call{key: "a,b"}).code(), "a malformed key is not a missing one")
	malformed := send(h, call{noKey: true, body: `{"amount":"1","amount":"2","currency":"EUR"}`})
	assert.Equal(t, idem.CodeRequestMalformed, malformed.code(), "what is accepted does not depend on a key")
}
