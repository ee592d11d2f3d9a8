package storetest

import (
	"bytes"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func replayCases[Tx any]() []testCase[Tx] {
	return []testCase[Tx]{
		{"record comes back as it was", recordRoundTrip[Tx]},
		{"body bytes come back as they were", bodyBytes[Tx]},
		{"body of one mebibyte", bigBody[Tx]},
		{"header lines come back as they were", headerLines[Tx]},
		{"response without header and body", bareResponse[Tx]},
		{"replay cannot be written into", replayIsACopy[Tx]},
	}
}

func recordRoundTrip[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newClaim("k")
	f.complete(t, f.hold(t, c), completed(`{"b":1, "a":2}`))
	want := idem.Prior{
		State: idem.StateCompleted, Operation: c.Operation, RecordID: c.RecordID, Token: c.Token, Attempt: 1,
		Fingerprints: c.Fingerprints, Fields: c.Fields, Response: completed(`{"b":1, "a":2}`).Response,
		Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key,
	}
	assert.Equal(t, want, f.find(t, newClaim("k")))
	assert.Equal(t, want, f.find(t, newClaim("k")), "a replay changes nothing")
	assert.Equal(t, want, f.lookup(t, c))
}

func bodyBytes[Tx any](t *testing.T, f *fixture[Tx]) {
	for key, body := range map[string]string{
		"nul":      "a\x00b\x00",
		"not utf8": "\xff\xfe\x80{}",
		"escapes":  `\x41 \000 \\ '' "`,
		"blanks":   " \r\n{ }\n ",
		"text":     "ключ 🔑",
	} {
		f.complete(t, f.hold(t, newClaim(key)), completed(body))
		assert.Equal(t, []byte(body), f.find(t, newClaim(key)).Response.Body, key)
	}
}

func bigBody[Tx any](t *testing.T, f *fixture[Tx]) {
	body := bytes.Repeat([]byte("0123456789abcde\x00"), 1<<16)
	c := completed("")
	c.Response.Body = body
	f.complete(t, f.hold(t, newClaim("k")), c)
	require.True(t, bytes.Equal(body, f.find(t, newClaim("k")).Response.Body))
}

func headerLines[Tx any](t *testing.T, f *fixture[Tx]) {
	header := http.Header{
		"Link":          {`<a>; rel="next", <b>; rel="prev"`, "<c>"},
		"Warning":       {"199 - one", "", "199 - two, with a comma"},
		"X-Latin":       {"caf\xe9"},
		"X-Empty":       {""},
		"x-odd-Name":    {"kept as it was written"},
		"Etag":          {`"abc:def"`},
		"X-Blanks":      {"  two before", "tab\tinside"},
		"Content-Type":  {"application/json; charset=utf-8"},
		"X-Many":        {"1", "2", "3", "3", "2"},
		"X-Long-Header": {string(bytes.Repeat([]byte("v"), 5000))},
	}
	c := completed("{}")
	c.Response.Header = header.Clone()
	f.complete(t, f.hold(t, newClaim("k")), c)
	assert.Equal(t, header, f.find(t, newClaim("k")).Response.Header)
}

func bareResponse[Tx any](t *testing.T, f *fixture[Tx]) {
	for key, body := range map[string][]byte{"nil": nil, "empty": {}} {
		c := idem.Completion{State: idem.StateCompleted, Response: idem.Response{Status: 204, Body: body}}
		f.complete(t, f.hold(t, newClaim(key)), c)
		prior := f.find(t, newClaim(key))
		assert.Equal(t, idem.StateCompleted, prior.State, key)
		assert.Equal(t, 204, prior.Response.Status, key)
		assert.Empty(t, prior.Response.Header, key)
		assert.Empty(t, prior.Response.Body, key)
	}
}

func replayIsACopy[Tx any](t *testing.T, f *fixture[Tx]) {
	c := newClaim("k")
	done := completed("body")
	f.complete(t, f.hold(t, c), done)
	done.Response.Body[0] = 'X'
	done.Response.Header.Set("Content-Type", "X")
	prior := f.find(t, newClaim("k"))
	prior.Response.Body[1] = 'X'
	prior.Fields[0] = 'X'
	prior.Response.Header.Set("Content-Type", "X")
	again := f.find(t, newClaim("k"))
	assert.Equal(t, "body", string(again.Response.Body))
	assert.Equal(t, "application/json", again.Response.Header.Get("Content-Type"))
	assert.Equal(t, c.Fields, again.Fields)
}
