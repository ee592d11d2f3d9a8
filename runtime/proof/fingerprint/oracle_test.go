package fingerprint_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/proof/fingerprint"
)

// canonical gives the canonical text of a payment.
func canonical(t require.TestingT, body []byte) (canon.Digest, []byte) {
	s := canon.Acquire()
	defer s.Release()
	digest, err := fingerprint.Payment(s, &canon.Request{Body: body, ContentType: "application/json"})
	require.NoError(t, err, "%s", body)
	return digest, s.AppendCanonical(nil)
}

// generic gives the canonical text of any JSON value.
func generic(t require.TestingT, body []byte) []byte {
	s := canon.Acquire()
	defer s.Release()
	s.Start(&canon.Request{Body: body})
	if s.Body(true, canon.JSON) == canon.JSON {
		s.Generic(-1)
	}
	_, err := s.Finish("generic", "0123456789abcdef")
	require.NoError(t, err, "%s", body)
	return s.AppendCanonical(nil)
}

// requireFixedPoint asks two independent RFC 8785 libraries, which must leave canonical text as it is.
func requireFixedPoint(t require.TestingT, text []byte) {
	value := jsontext.Value(append([]byte(nil), text...))
	require.NoError(t, value.Canonicalize())
	require.Equal(t, string(text), string(value), "jsontext")
	other, err := jcs.Transform(text)
	require.NoError(t, err)
	require.Equal(t, string(text), string(other), "gowebpki/jcs")
}

func TestFixedPoint(t *testing.T) {
	bodies := map[string][]byte{
		"small": fingerprint.Body(0), "items": fingerprint.Body(9), "large": fingerprint.Body(260), "long string": fingerprint.LongString(100_000),
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			_, text := canonical(t, body)
			requireFixedPoint(t, text)
			requireFixedPoint(t, generic(t, body))
		})
	}
}

// vectors is the folder of published vectors beside the workspace.
func vectors(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skip("no go.work above this folder, so shared/vectors/jcs cannot be found")
		}
		dir = parent
	}
	folder := filepath.Join(dir, "..", "shared", "vectors", "jcs")
	if _, err := os.Stat(folder); err != nil {
		t.Skipf("the published RFC 8785 vectors are not there: %v", err)
	}
	return folder
}

// The published documents, read under Generic and with the tags taken off again, have the published canonical form. Their numbers are
// printed by a library: numbers of ours are exact, those of RFC 8785 are doubles.
func TestPublishedDocuments(t *testing.T) {
	folder := vectors(t)
	for _, set := range []string{"cyberphone", "gowebpki"} {
		inputs, err := filepath.Glob(filepath.Join(folder, set, "input", "*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, inputs)
		for _, input := range inputs {
			name := filepath.Base(input)
			t.Run(set+"/"+name, func(t *testing.T) {
				body, err := os.ReadFile(input)
				require.NoError(t, err)
				want, err := os.ReadFile(filepath.Join(folder, set, "output", name))
				require.NoError(t, err)
				text := generic(t, body)
				requireFixedPoint(t, text)
				var tagged struct{ Body json.RawMessage }
				require.NoError(t, json.Unmarshal(text, &tagged))
				plain := jsontext.Value(untag(t, tagged.Body))
				require.NoError(t, plain.Canonicalize())
				assert.Equal(t, strings.TrimSpace(string(want)), string(plain))
				if !strings.ContainsAny(string(want), "0123456789") { // no numbers: the order of members and all bytes are ours
					assert.Equal(t, strings.TrimSpace(string(want)), string(untag(t, tagged.Body)))
				}
			})
		}
	}
}

// untag takes the tags off generic canonical text, keeping the order of members.
func untag(t *testing.T, text []byte) []byte {
	return untagValue(t, nil, jsontext.NewDecoder(bytes.NewReader(text)))
}

func untagValue(t *testing.T, dst []byte, d *jsontext.Decoder) []byte {
	kind := d.PeekKind()
	if kind == '{' {
		return untagObject(t, dst, d)
	}
	if kind != '[' {
		value, err := d.ReadValue()
		require.NoError(t, err)
		return append(dst, value...)
	}
	readToken(t, d)
	dst = append(dst, '[')
	for first := true; d.PeekKind() != ']'; first = false {
		if !first {
			dst = append(dst, ',')
		}
		dst = untagValue(t, dst, d)
	}
	readToken(t, d)
	return append(dst, ']')
}

// untagObject reads {"number":"5"} or {"object":{…}}.
func untagObject(t *testing.T, dst []byte, d *jsontext.Decoder) []byte {
	readToken(t, d)
	tag := readToken(t, d)
	if tag == "number" {
		dst = append(dst, readToken(t, d)...)
		readToken(t, d)
		return dst
	}
	require.Equal(t, "object", tag)
	readToken(t, d)
	dst = append(dst, '{')
	for first := true; d.PeekKind() != '}'; first = false {
		if !first {
			dst = append(dst, ',')
		}
		dst = append(canon.AppendJSONString(dst, readToken(t, d)), ':')
		dst = untagValue(t, dst, d)
	}
	readToken(t, d)
	readToken(t, d)
	return append(dst, '}')
}

func readToken(t *testing.T, d *jsontext.Decoder) string {
	token, err := d.ReadToken()
	require.NoError(t, err)
	return token.String()
}

// Each line is the bits of a double and its text by ECMAScript.
func TestPublishedNumbers(t *testing.T) {
	for _, name := range []string{"es6-numbers-10k.csv", "rfc8785-appendix-b.csv"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Open(filepath.Join(vectors(t), name))
			require.NoError(t, err)
			defer file.Close()
			lines := 0
			for scanner := bufio.NewScanner(file); scanner.Scan(); {
				hex, want, _ := strings.Cut(scanner.Text(), ",")
				bits, err := strconv.ParseUint(hex, 16, 64)
				if err != nil || !plainNumber(want) { // the heading, and what JSON cannot write
					continue
				}
				lines++
				for _, digits := range []int{17, 25} {
					sent := strconv.FormatFloat(math.Float64frombits(bits), 'e', digits-1, 64)
					got, err := canon.NormaliseText(canon.Double, sent)
					require.NoError(t, err)
					require.Equal(t, want, got, "%s as %s", hex, sent)
				}
			}
			assert.Greater(t, lines, 20)
		})
	}
}

func plainNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && !strings.ContainsAny(text, "NnIi")
}
