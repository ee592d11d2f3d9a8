package canon_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

var viewedBody = canon.BodySpec{Required: true, Accepts: []canon.Media{canon.Octets}, Types: []string{"application/xml", "application/jwt", "application/json"}}

// viewed gives the canonical text of a request whose body counts through a view, and holds the reference interpreter to it.
func viewed(t testing.TB, spec *canon.BodySpec, r *canon.Request) (string, *canon.Refusal) {
	t.Helper()
	s := canon.Acquire()
	defer s.Release()
	s.Start(r)
	if s.OpenView(spec) != canon.NoBody {
		s.Generic(-1)
	}
	text, refusal := finish(t, s)

	reference := &canon.Contract{Name: "test", ID: "0123456789abcdef", Accepts: spec.Accepts, Types: spec.Types, BodyRequired: spec.Required,
		Body: node(canon.Generic), View: "claims"}
	want, err := reference.Canonical(r)
	if err == nil {
		require.Nil(t, refusal, "%s", r.View)
		require.Contains(t, []string{`{"body":` + text + `}`, text}, string(want))
		return text, nil
	}
	var interpreted *canon.Refusal
	require.True(t, errors.As(err, &interpreted))
	require.NotNil(t, refusal, "%s: %v", r.View, interpreted)
	require.Equal(t, interpreted.Place, refusal.Place)
	require.Equal(t, interpreted.Offset, refusal.Offset)
	return text, refusal
}

func TestViewedBody(t *testing.T) {
	for _, c := range []struct{ name, contentType, body, view, want, refused string }{
		{"an object", "application/jwt", "a.b.c", `{"sub":"x","n":1.0}`, `{"object":{"n":{"number":"1"},"sub":"x"}}`, ""},
		{"spacing and order", "application/xml; charset=latin1", "\xff", ` {"n":10e-1, "sub":"\u0078"}`, `{"object":{"n":{"number":"1"},"sub":"x"}}`, ""},
		{"null is a value", "application/xml", "<a/>", `null`, `null`, ""},
		{"a body that is JSON itself", "application/json", `{"a":1,"a":2}`, `["b"]`, `["b"]`, ""},
		{"another media type", "text/plain", "a", `1`, "", "header.content-type: the media type is not accepted"},
		{"no media type", "", "a", `true`, `true`, ""},
		{"an absent body", "", "", `1`, "", "body: a body is required"},
		{"nothing", "application/xml", "a", "", "", "body: its view gives nothing"},
		{"a member twice", "application/xml", "a", `{"a":1,"\u0061":2}`, "", "body: what its view gives cannot be compared: the member stands here a second time"},
		{"a number that is too long", "application/xml", "a", `{"a":[1e999]}`, "", "body: what its view gives cannot be compared: an exponent beyond 38"},
		{"no UTF-8", "application/xml", "a", "\"\xff\"", "", "body: what its view gives cannot be compared: invalid UTF-8"},
		{"half of a pair", "application/xml", "a", `"\ud800"`, "", "body: what its view gives cannot be compared: a lone surrogate"},
		{"too deep", "application/xml", "a", strings.Repeat("[", 129), "", "body: what its view gives cannot be compared: more than 128 levels of nesting"},
		{"two values", "application/xml", "a", `1 2`, "", "body: what its view gives cannot be compared: data after the end of the JSON value"},
		{"no JSON", "application/xml", "a", `<a/>`, "", "body: what its view gives cannot be compared: a JSON value is expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, refusal := viewed(t, &viewedBody, &canon.Request{Body: []byte(c.body), ContentType: c.contentType, View: []byte(c.view)})
			if c.refused != "" {
				require.NotNil(t, refusal)
				assert.EqualError(t, refusal, c.refused)
				return
			}
			require.Nil(t, refusal)
			assert.Equal(t, c.want, text)
		})
	}
	optional := viewedBody
	optional.Required = false
	text, refusal := viewed(t, &optional, &canon.Request{View: []byte(`1`)})
	require.Nil(t, refusal)
	assert.Equal(t, `{}`, text, "without a body nothing counts, whatever stands in View")
	_, refusal = viewed(t, &viewedBody, &canon.Request{Body: []byte("a"), ContentType: "application/xml", View: bytes.Repeat([]byte{' '}, 1<<27+1)})
	assert.EqualError(t, refusal, "body: its view gives more than 128 MiB")

	s := canon.Acquire()
	defer s.Release()
	s.Start(&canon.Request{Body: []byte("a"), View: []byte("1")})
	assert.Equal(t, canon.Octets, s.OpenView(&viewedBody))
	s.Start(&canon.Request{Body: []byte(`{`), ContentType: "application/json"})
	s.Body(true, canon.JSON)
	s.Generic(-1)
	_, again := finish(t, s)
	assert.EqualError(t, again, "body (byte 1): the body ends too early", "a view leaves nothing behind in a scanner")
}

func TestTakes(t *testing.T) {
	for contentType, takes := range map[string]bool{"application/xml": true, "Application/JWT;x=y": true, "": true, "text/plain": false, "xml": false} {
		assert.Equal(t, takes, viewedBody.Takes(contentType), contentType)
	}
}

// A view's fields are tracked as a body's are.
func TestViewedBodyHasAFieldDigest(t *testing.T) {
	digest := func(view string) string {
		s := canon.Acquire()
		defer s.Release()
		s.TrackFields(1)
		s.Start(&canon.Request{Body: []byte("a"), View: []byte(view)})
		if s.OpenView(&viewedBody) != canon.NoBody {
			s.Generic(0)
		}
		_, refusal := finish(t, s)
		require.Nil(t, refusal)
		return string(s.AppendFieldDigests(nil))
	}
	assert.Equal(t, digest(`{"a":1}`), digest(` {"a":1.0}`))
	assert.NotEqual(t, digest(`{"a":1}`), digest(`{"a":2}`))
}

// FuzzView: whatever a view gives, scanner and reference interpreter agree on it, and a refusal says nothing of where it stands.
func FuzzView(f *testing.F) {
	f.Add([]byte(`{"b":[1.50,-0,"\ud83d\ude02",null,{}],"a":{"number":"5"}}`), "application/jwt")
	f.Add([]byte("\xef\xbb\xbf1"), "text/xml")
	f.Add([]byte(`{"a":1,"a":1}`), "")
	f.Fuzz(func(t *testing.T, view []byte, contentType string) {
		_, refusal := viewed(t, &viewedBody, &canon.Request{Body: []byte("x"), ContentType: contentType, View: view})
		if refusal != nil {
			require.Equal(t, -1, refusal.Offset)
			require.Contains(t, []string{"body", "header.content-type"}, refusal.Place)
		}
	})
}
