package canon_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

// FuzzPayment: whatever is sent, nothing panics; what is accepted has a canonical text that is the only spelling of itself, and
// encoding/json accepts it too; what is refused has a place and a reason.
func FuzzPayment(f *testing.F) {
	f.Add([]byte(busyBody), "expand=b+c&expand=%61&dry=true")
	f.Add([]byte(`{`+smallest+`}`), "")
	f.Fuzz(func(t *testing.T, body []byte, query string) {
		sent := slices.Clone(body)
		s := canon.Acquire()
		defer s.Release()
		r := &canon.Request{Body: body, ContentType: "application/json", Query: query, Path: []string{"acc"}}
		digest, err := fingerprintPayment(s, r)
		require.Equal(t, sent, body, "the request is never changed")
		valid := canon.Valid(body)
		if plain := utf8.Valid(body) && !bytes.Contains(body, []byte(`\u`)) && bytes.Count(body, []byte("["))+bytes.Count(body, []byte("{")) < 128; plain {
			require.Equal(t, json.Valid(body), valid)
		}
		if err != nil {
			var refusal *canon.Refusal
			require.ErrorAs(t, err, &refusal)
			require.NotEmpty(t, refusal.Place)
			require.NotEmpty(t, refusal.Reason)
			require.LessOrEqual(t, refusal.Offset, len(body))
			require.True(t, utf8.ValidString(refusal.Place))
			return
		}
		require.True(t, valid)
		require.True(t, json.Valid(body))
		text := s.AppendCanonical(nil)
		require.Equal(t, string(rewrite(t, text)), string(text))

		tracking := canon.Acquire()
		defer tracking.Release()
		tracking.TrackFields(paymentFields)
		again, err := fingerprintPayment(tracking, r)
		require.NoError(t, err)
		require.Equal(t, digest, again)
	})
}

// FuzzGeneric holds values without a contract to the same.
func FuzzGeneric(f *testing.F) {
	f.Add([]byte(`{"b":[1.50,-0,"\ud83d\ude02",null,{}],"a":{"number":"5"},"a\u0000":true}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		text, refusal := read(t, string(body), leaf(canon.Generic))
		if refusal == nil {
			require.True(t, json.Valid(body))
			require.Equal(t, string(rewrite(t, []byte(text))), text)
		}
		_, skipped := read(t, `{"a":`+string(body)+`}`, ignoreAll)
		if refusal == nil {
			require.Nil(t, skipped, "what counts is held to more than what is ignored")
		}
		_, _, err := canon.Lookup(body, []string{"a", "b"})
		if refusal == nil {
			require.NoError(t, err)
		}
	})
}

// rewrite is RFC 8785 once more, slowly, for texts without numbers.
func rewrite(t *testing.T, text []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	require.NoError(t, decoder.Decode(&value), "%q", text)
	return appendSlowly(t, nil, value)
}

func appendSlowly(t *testing.T, dst []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case string:
		return canon.AppendJSONString(dst, v)
	case []any:
		dst = append(dst, '[')
		for i, element := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendSlowly(t, dst, element)
		}
		return append(dst, ']')
	case map[string]any:
		var names []string
		for name := range v {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		dst = append(dst, '{')
		for i, name := range names {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendSlowly(t, append(canon.AppendJSONString(dst, name), ':'), v[name])
		}
		return append(dst, '}')
	}
	assert.Fail(t, "a number in canonical text", "%v", value)
	return dst
}
