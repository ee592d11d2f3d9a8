package canon_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

func requireRefusal(t *testing.T, refusal *canon.Refusal, body []byte) {
	require.NotEmpty(t, refusal.Place)
	require.NotEmpty(t, refusal.Reason)
	require.True(t, utf8.ValidString(refusal.Place))
	require.LessOrEqual(t, refusal.Offset, len(body))
	require.GreaterOrEqual(t, refusal.Offset, -1)
}

// FuzzForm: a form and the JSON that it stands for have one canonical text where all leaves are strings, and net/url finds the same values.
func FuzzForm(f *testing.F) {
	f.Add([]byte(paymentForm))
	f.Add([]byte("a=1&a=2&b[]=&c[0][x]=%00&c[1][x]=+&%ff"))
	f.Add([]byte("a[b][c]=d&a[b][e]&=&&a[10]=;&a[9]=é"))
	f.Fuzz(func(t *testing.T, body []byte) {
		sent := slices.Clone(body)
		text, refusal := readForm(t, string(body), leaf(canon.Generic))
		r := &canon.Request{Body: body, ContentType: formType}
		asJSON, err := canon.BodyJSON(r, &everyBody, nil)
		_, _, lookupErr := canon.LookupBody(r, []string{"a", "b"})
		require.Equal(t, sent, body)
		_, other := readForm(t, string(body), scanPayment)
		if other != nil {
			requireRefusal(t, other, body)
		}
		if len(body) == 0 {
			return
		}
		if refusal != nil {
			requireRefusal(t, refusal, body)
			if refusal.Reason != "more than 128 levels of nesting" {
				require.Error(t, err)
				require.Error(t, lookupErr)
			}
			return
		}
		require.NoError(t, err)
		require.NoError(t, lookupErr)
		require.True(t, json.Valid(asJSON))
		fromJSON, refusal := read(t, string(asJSON), leaf(canon.Generic))
		require.Nil(t, refusal)
		require.Equal(t, fromJSON, text)
		require.Equal(t, string(rewrite(t, []byte(text))), text)
		requireSameValues(t, body, asJSON)
	})
}

// requireSameValues compares with net/url, which knows no brackets and refuses semicolons.
func requireSameValues(t *testing.T, body, asJSON []byte) {
	if bytes.ContainsAny(body, "[];") || bytes.Contains(bytes.ToLower(body), []byte("%5")) {
		return
	}
	want, err := url.ParseQuery(string(body))
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(asJSON, &got))
	require.Len(t, got, len(want))
	for name, values := range want {
		switch v := got[name].(type) {
		case string:
			require.Equal(t, values, []string{v})
		case []any:
			require.Len(t, v, len(values))
			for i := range v {
				require.Equal(t, values[i], v[i])
			}
		default:
			t.Fatalf("%q: %T", name, v)
		}
	}
}

// FuzzMultipart: whatever is accepted, mime/multipart accepts too, and it finds the same parts.
func FuzzMultipart(f *testing.F) {
	f.Add(multipartType, []byte(multipartOf(text("a", "x\r\n"), file("file", "f", "\x00\xff"), text("meta", `{"b":1}`))))
	f.Add(`multipart/form-data; boundary="a b"`, []byte("\r\n--a b \r\nContent-Disposition: form-data; name=\"x\\\"\"; filename*=UTF-8''a\r\n\r\n--a b--"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		if mediaType, _, _ := strings.Cut(contentType, ";"); mediaType != "multipart/form-data" {
			return
		}
		_, other := readAs(t, contentType, string(body), scanUpload)
		if other != nil {
			requireRefusal(t, other, body)
		}
		r := &canon.Request{Body: body, ContentType: contentType}
		_, _, _ = canon.LookupBody(r, []string{"a", "b"})
		_, _ = canon.BodyJSON(r, &everyBody, nil)
		digests, refusal := readParts(t, r)
		if refusal != nil || len(body) == 0 {
			return
		}
		if _, _, err := mime.ParseMediaType(contentType); err != nil && strings.Contains(err.Error(), "duplicate") {
			return
		}
		parts := partsOf(t, contentType, body)
		for name := range parts {
			if strings.ContainsAny(name, "[]") {
				return
			}
		}
		require.Equal(t, parts, digests)
	})
}

// readParts gives the digests of the parts of each name.
func readParts(t *testing.T, r *canon.Request) (map[string][]string, *canon.Refusal) {
	s := canon.Acquire()
	defer s.Release()
	s.Start(r)
	spec := canon.BodySpec{Accepts: []canon.Media{canon.Multipart}, Parts: []canon.Part{{Name: "file", Kind: canon.FilePart}}}
	if s.OpenBody(&spec) != canon.NoBody {
		aMap(aList(contentDigest))(s)
	}
	canonical, refusal := finish(t, s)
	digests := map[string][]string{}
	if refusal == nil {
		require.NoError(t, json.Unmarshal([]byte(canonical), &digests))
	}
	return digests, refusal
}

func partsOf(t *testing.T, contentType string, body []byte) map[string][]string {
	_, parameters, err := mime.ParseMediaType(contentType)
	require.NoError(t, err)
	reader := multipart.NewReader(bytes.NewReader(body), parameters["boundary"])
	parts := map[string][]string{}
	for {
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			return parts
		}
		require.NoError(t, err)
		content, err := io.ReadAll(part)
		require.NoError(t, err)
		parts[part.FormName()] = append(parts[part.FormName()], digestOf(string(content)))
	}
}

// FuzzUnion: looking ahead never panics, and what is accepted is JSON with one canonical text.
func FuzzUnion(f *testing.F) {
	f.Add([]byte(sources(3, 100)))
	f.Add([]byte(`{"x":{"type":"card"},"t\u0079pe":"\"l\"","of":[]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, value := range []func(*canon.Scanner){scanSource, scanKinds} {
			text, refusal := read(t, string(body), value)
			if refusal != nil {
				requireRefusal(t, refusal, body)
				continue
			}
			require.True(t, json.Valid(body))
			require.Equal(t, string(rewrite(t, []byte(text))), text)
		}
		_, refusal := readForm(t, string(body), scanSource)
		_ = refusal
	})
}

// FuzzPart: any content and any line of the header that is accepted leave the part what it is.
func FuzzPart(f *testing.F) {
	f.Add("file", "\x00\xff\r\n--", "X-Y: z")
	f.Add("no\\te\"é", "--b", `Content-Type: text/plain; charset="utf-8"`)
	f.Add("a", "\r\n--bx", `Content-Disposition: form-data; name="a"; filename="b"`)
	f.Fuzz(func(t *testing.T, name, content, line string) {
		quotedName := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name)
		body := "--b\r\nContent-Disposition: form-data; name=\"" + quotedName + "\"\r\n" + line + "\r\n\r\n" + content + "\r\n--b--"
		digests, refusal := readParts(t, &canon.Request{Body: []byte(body), ContentType: multipartType})
		if refusal != nil {
			requireRefusal(t, refusal, []byte(body))
			return
		}
		if line == "" || strings.ContainsAny(name, "[]") || strings.Contains(line, "\n") {
			return
		}
		require.Equal(t, map[string][]string{name: {digestOf(content)}}, digests)
		require.Equal(t, partsOf(t, multipartType, []byte(body)), digests)
	})
}
