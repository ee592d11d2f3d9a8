package canon_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

func TestOpenBody(t *testing.T) {
	all := everyBody.Accepts
	tests := []struct {
		name, contentType string
		accepts           []canon.Media
		types             []string
		want              canon.Media
		why               string
	}{
		{"JSON", "application/json", all, nil, canon.JSON, ""},
		{"JSON before */*", "Application/Problem+JSON", all, []string{"*/*"}, canon.JSON, ""},
		{"JSON that only */* takes", "application/json", []canon.Media{canon.Octets}, []string{"*/*"}, canon.Octets, ""},
		{"form", "APPLICATION/x-www-form-urlencoded ; charset=UTF-8", all, nil, canon.Form, ""},
		{"text", "text/plain", all, nil, canon.Text, ""},
		{"a text type of an operation with text alone", "text/markdown", []canon.Media{canon.Text}, []string{"text/markdown"}, canon.Text, ""},
		{"a text type beside octets", "text/csv", all, []string{"text/csv"}, canon.Octets, ""},
		{"octets", "image/png", all, []string{"image/*"}, canon.Octets, ""},
		{"octets in another case", "IMAGE/PNG;q=1", all, []string{"image/png"}, canon.Octets, ""},
		{"octets, charset does not count", "image/png; charset=x", all, []string{"image/png"}, canon.Octets, ""},
		{"no type, one kind", "", []canon.Media{canon.Form}, nil, canon.Form, ""},
		{"no type, several kinds", "", all, nil, 0, "the media type is not accepted"},
		{"another kind", "text/plain", []canon.Media{canon.JSON, canon.Form}, nil, 0, "the media type is not accepted"},
		{"another octet type", "image/png", all, []string{"image/gif", "video/*"}, 0, "the media type is not accepted"},
		{"no media type", "image", all, []string{"*/*"}, 0, "the media type is not accepted"},
		{"a range", "image/*/x", all, []string{"image/*"}, 0, "the media type is not accepted"},
		{"octets without types", "image/png", []canon.Media{canon.Octets}, nil, 0, "the media type is not accepted"},
		{"another charset", "text/plain; charset=latin1", all, nil, 0, "the charset is not UTF-8"},
		{"a form in another charset", "application/x-www-form-urlencoded; charset=latin1", all, nil, 0, "the charset is not UTF-8"},
		{"no kind", "text/plain", nil, nil, 0, "the operation takes no body"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := canon.Acquire()
			defer s.Release()
			s.Start(&canon.Request{Body: []byte(`{}`), ContentType: tt.contentType})
			media := s.OpenBody(&canon.BodySpec{Accepts: tt.accepts, Types: tt.types})
			assert.Equal(t, tt.want, media)
			if tt.why != "" {
				_, refusal := finish(t, s)
				assert.EqualError(t, refusal, "header.content-type: "+tt.why)
			}
		})
	}
}

func TestAbsentBody(t *testing.T) {
	for _, contentType := range []string{"", formType, multipartType, "image/png"} {
		s := canon.Acquire()
		s.Start(&canon.Request{ContentType: contentType})
		assert.Equal(t, canon.NoBody, s.OpenBody(&canon.BodySpec{Accepts: everyBody.Accepts}))
		got, refusal := finish(t, s)
		require.Nil(t, refusal)
		assert.Equal(t, `{}`, got)
		s.Start(&canon.Request{ContentType: contentType})
		assert.Equal(t, canon.NoBody, s.OpenBody(&everyBody))
		_, refusal = finish(t, s)
		assert.EqualError(t, refusal, "body: a body is required")
		s.Release()
	}
}

func TestTextBody(t *testing.T) {
	tests := []struct {
		body  string
		value func(*canon.Scanner)
		want  string
	}{
		{" a\r\n\"b\"\x00é ", leaf(canon.Exact), `" a\r\n\"b\"\u0000é "`},
		{"10.00", leaf(canon.Decimal), `"10"`},
		{"true", leaf(canon.Boolean), `true`},
		{"null", leaf(canon.Generic), `"null"`},
		{"{}", leaf(canon.Generic), `"{}"`},
		{"abc", contentDigest, `"` + digestOfABC + `"`},
	}
	for _, tt := range tests {
		got, refusal := readAs(t, "text/plain", tt.body, tt.value)
		require.Nil(t, refusal)
		assert.Equal(t, tt.want, got)
	}
	_, refusal := readAs(t, "text/plain", "ab\xff", leaf(canon.Exact))
	assert.EqualError(t, refusal, "body (byte 2): invalid UTF-8")
	_, refusal = readAs(t, "text/plain", "ten", leaf(canon.Int))
	assert.EqualError(t, refusal, "body: an integer is expected")
}

func TestOctetBody(t *testing.T) {
	got, refusal := readAs(t, "image/png", "\x00\xff", contentDigest)
	require.Nil(t, refusal)
	assert.Equal(t, `"`+digestOf("\x00\xff")+`"`, got)
}

// A digest in JSON is that of the string's characters.
func TestContentDigest(t *testing.T) {
	got, refusal := read(t, `"a\u0062c"`, contentDigest)
	require.Nil(t, refusal)
	assert.Equal(t, `"`+digestOfABC+`"`, got)
	_, refusal = read(t, `5`, contentDigest)
	assert.EqualError(t, refusal, "body (byte 0): a string is expected")
}

func TestBodyJSON(t *testing.T) {
	tests := []struct{ contentType, body, want string }{
		{"application/json", ` {"a":1} `, ` {"a":1} `},
		{formType, "b[1]=x&a=%22&b[0]=y&c[]=1&d=1&d=2&e[f][g]=%00", `{"a":"\"","b":{"0":"y","1":"x"},"c":["1"],"d":["1","2"],"e":{"f":{"g":"\u0000"}}}`},
		{multipartType, multipartOf(file("file", "f", "\x00\xff"), text("note", "a\n"), text("meta", " [1] ")), `{"file":"AP8=","meta":[1],"note":"a\n"}`},
		{"text/plain", "a\"", `"a\""`},
		{"image/png", "\x00\xff", `"AP8="`},
		{"image/png", "", ``},
	}
	for _, tt := range tests {
		got, err := canon.BodyJSON(&canon.Request{Body: []byte(tt.body), ContentType: tt.contentType}, &everyBody, []byte("x"))
		require.NoError(t, err)
		assert.Equal(t, "x"+tt.want, string(got))
		assert.True(t, tt.want == "" || json.Valid(got[1:]))
	}
	var command struct{ File []byte }
	text, err := canon.BodyJSON(&canon.Request{Body: []byte(multipartOf(file("file", "f", "\x00\xff"))), ContentType: multipartType}, &everyBody, nil)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &command))
	assert.Equal(t, []byte("\x00\xff"), command.File)

	for contentType, why := range map[string]string{
		formType:      "body/a (byte 2): a percent sign without two hexadecimal digits",
		multipartType: "body (byte 0): a boundary is expected",
		"video/mpeg":  "header.content-type: the media type is not accepted",
	} {
		got, err := canon.BodyJSON(&canon.Request{Body: []byte("a=%"), ContentType: contentType}, &everyBody, []byte("x"))
		assert.EqualError(t, err, why)
		assert.Equal(t, "x", string(got))
	}
}

func TestLookupBody(t *testing.T) {
	json := "Content-Disposition: form-data; name=key\nContent-Type: application/json\n\n"
	tests := []struct {
		name, contentType, body, path, want string
		found                               canon.Found
	}{
		{"JSON", "application/json", `{"key":"k"}`, "key", "k", canon.FoundText},
		{"JSON without a type", "", `{"key":12}`, "key", "12", canon.FoundToken},
		{"no body", formType, ``, "key", "", canon.NotFound},
		{"form", formType, `x=1&key=k+%31`, "key", "k 1", canon.FoundText},
		{"form, empty", formType, `key`, "key", "", canon.FoundText},
		{"form, nested", formType, `a[b]=1&a[key]=k`, "a.key", "k", canon.FoundText},
		{"form, absent", formType, `a[b]=1`, "a.key", "", canon.NotFound},
		{"form, above it", formType, `a[key][x]=1`, "a.key", "", canon.FoundOther},
		{"form, twice", formType, `key=a&key=b`, "key", "", canon.FoundOther},
		{"form, another case", formType, `KEY=a`, "key", "", canon.NotFound},
		{"text part", multipartType, multipartOf(text("x", "1"), text("key", "k")), "key", "k", canon.FoundText},
		{"text part that looks like JSON", multipartType, multipartOf(text("key", `"k"`)), "key", `"k"`, canon.FoundText},
		{"JSON part", multipartType, multipartOf(json + `"k"`), "key", "k", canon.FoundText},
		{"null part", multipartType, multipartOf(json + `null`), "key", "", canon.FoundNull},
		{"in a JSON part", multipartType, multipartOf(text("a", `{"b":1,"key":12}`)), "a.key", "12", canon.FoundToken},
		{"nested part", multipartType, multipartOf(text("a[key]", `k`), text("a[b]", `k`)), "a.key", "k", canon.FoundText},
		{"file", multipartType, multipartOf(file("key", "k", "k")), "key", "", canon.FoundOther},
		{"beside bytes", multipartType, multipartOf(text("file", "\xff\x00"), text("key", `k`)), "key", "k", canon.FoundText},
		{"twice", multipartType, multipartOf(text("key", "k"), text("key", `k`)), "key", "", canon.FoundOther},
		{"no part", multipartType, multipartOf(), "key", "", canon.NotFound},
		{"the whole body", formType, "key=k", "", "", canon.FoundOther},
		{"the whole multipart body", multipartType, multipartOf(text("key", "k")), "", "", canon.FoundOther},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var path []string
			if tt.path != "" {
				path = strings.Split(tt.path, ".")
			}
			got, found, err := canon.LookupBody(&canon.Request{Body: []byte(tt.body), ContentType: tt.contentType}, path)
			require.NoError(t, err)
			assert.Equal(t, tt.found, found)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestLookupBodyRefused(t *testing.T) {
	tests := []struct{ contentType, body, why string }{
		{"application/json", `{"key":"k","key":"k"}`, "body/key (byte 11): the member stands here a second time"},
		{"image/png", `k`, "body (byte 0): a JSON value is expected"},
		{formType, `key=k&x=%`, "body/x (byte 8): a percent sign without two hexadecimal digits"},
		{formType, `key=k&key[a]=1`, "body/key: a name stands for a single value and for an object"},
		{formType + "; charset=x", `key=k`, "header.content-type: the charset is not UTF-8"},
		{"multipart/form-data", `key=k`, "header.content-type: a multipart body without a boundary of 1 to 70 characters"},
		{multipartType, multipartOf(text("key", "\xff")), "body/key (byte 51): invalid UTF-8"},
		{multipartType, multipartOf(text("key", "k")) + "x", "body (byte 61): data after the last boundary"},
	}
	for _, tt := range tests {
		_, found, err := canon.LookupBody(&canon.Request{Body: []byte(tt.body), ContentType: tt.contentType}, []string{"key"})
		assert.EqualError(t, err, tt.why)
		assert.Equal(t, canon.NotFound, found)
	}
	_, _, err := canon.LookupBody(&canon.Request{Body: []byte(multipartOf(text("a", `{"key":`))), ContentType: multipartType}, []string{"a", "key"})
	assert.EqualError(t, err, "body/a/key (byte 56): the body ends too early")
}

// A request is only read: what its body says does not change under a scanner.
func TestBodyIsNotChanged(t *testing.T) {
	for contentType, body := range map[string]string{formType: paymentForm, multipartType: multipartOf(text("note", "a"), file("file", "", "b"))} {
		sent := []byte(body)
		s := canon.Acquire()
		s.Start(&canon.Request{Body: sent, ContentType: contentType})
		s.OpenBody(&everyBody)
		s.Generic(-1)
		_, refusal := finish(t, s)
		require.Nil(t, refusal)
		assert.True(t, bytes.Equal(sent, []byte(body)))
		s.Release()
	}
}
