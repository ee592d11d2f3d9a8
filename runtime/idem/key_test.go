package idem_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestParseKeyHeader(t *testing.T) {
	const missing, malformed = "missing", "malformed"
	cases := []struct {
		name  string
		lines []string
		want  string
		fails string
	}{
		{"absent", nil, "", missing},
		{"empty", []string{""}, "", missing},
		{"blanks only", []string{" \t "}, "", missing},
		{"empty string", []string{`""`}, "", missing},
		{"bare", []string{"abc"}, "abc", ""},
		{"bare uuid", []string{"7f9c2ba4-e88f-11ee-951e-325096b39f47"}, "7f9c2ba4-e88f-11ee-951e-325096b39f47", ""},
		{"quoted is the same key", []string{`"abc"`}, "abc", ""},
		{"blanks around", []string{" \tabc "}, "abc", ""},
		{"blanks around the quotes", []string{` "abc" `}, "abc", ""},
		{"every bare character", []string{"!#$%&'()*+-./09:<=>?@AZ[\\]^_`az{|}~"}, "!#$%&'()*+-./09:<=>?@AZ[\\]^_`az{|}~", ""},
		{"escaped quote", []string{`"a\"b"`}, `a"b`, ""},
		{"escaped backslash", []string{`"a\\b"`}, `a\b`, ""},
		{"bare backslash is itself", []string{`a\b`}, `a\b`, ""},
		{"comma and semicolon within quotes", []string{`"a,b;c"`}, "a,b;c", ""},
		{"other escape", []string{`"a\nb"`}, "", malformed},
		{"escape at the end", []string{`"a\`}, "", malformed},
		{"escaped closing quote", []string{`"a\"`}, "", malformed},
		{"not closed", []string{`"abc`}, "", malformed},
		{"a single quote mark", []string{`"`}, "", malformed},
		{"parameter after a string", []string{`"abc";a=1`}, "", malformed},
		{"parameter after a bare key", []string{"abc;a=1"}, "", malformed},
		{"two strings", []string{`"a", "b"`}, "", malformed},
		{"the same string twice", []string{`"a", "a"`}, "", malformed},
		{"comma list", []string{"a,b"}, "", malformed},
		{"comma list of one key", []string{"a, a"}, "", malformed},
		{"trailing comma", []string{"a,"}, "", malformed},
		{"text after the quotes", []string{`"a"b`}, "", malformed},
		{"blank and text after the quotes", []string{`"a" b`}, "", malformed},
		{"quote within a bare key", []string{`a"b`}, "", malformed},
		{"two lines", []string{"a", "b"}, "", malformed},
		{"two equal lines", []string{"a", "a"}, "", malformed},
		{"an empty second line", []string{"a", ""}, "", malformed},
		{"blank inside", []string{"a b"}, "", malformed},
		{"blank inside the quotes", []string{`" a"`}, "", malformed},
		{"tab inside the quotes", []string{"\"a\tb\""}, "", malformed},
		{"NUL", []string{"a\x00b"}, "", malformed},
		{"control character", []string{"a\x1fb"}, "", malformed},
		{"delete", []string{"a\x7fb"}, "", malformed},
		{"line break", []string{"a\r\nb"}, "", malformed},
		{"non-ASCII", []string{"schlüssel"}, "", malformed},
		{"non-ASCII in quotes", []string{`"schlüssel"`}, "", malformed},
		{"invalid UTF-8", []string{"a\xffb"}, "", malformed},
		{"no-break space is no blank", []string{"\u00a0abc"}, "", malformed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			key, err := idem.ParseKeyHeader(c.lines)
			switch c.fails {
			case missing:
				require.ErrorIs(t, err, idem.ErrKeyMissing)
			case malformed:
				require.ErrorIs(t, err, idem.ErrKeyMalformed)
				var reason *idem.KeyError
				require.ErrorAs(t, err, &reason)
				assert.NotEmpty(t, reason.Reason)
			default:
				require.NoError(t, err)
			}
			assert.Equal(t, c.want, key)
		})
	}
}

func FuzzParseKeyHeader(f *testing.F) {
	for _, seed := range []string{"", "abc", `"abc"`, `"a\"b\\"`, `"a";p`, "a,b", `"`, `"\`, " a ", "é", "a\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		key, err := idem.ParseKeyHeader([]string{line})
		if err != nil {
			if key != "" {
				t.Fatalf("a key beside the error %v", err)
			}
			return
		}
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Fatalf("%q gave the key %q", line, key)
		}
		// Whatever was accepted has a quoted spelling, and that one is the same key.
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
		if again, err := idem.ParseKeyHeader([]string{quoted}); err != nil || again != key {
			t.Fatalf("%q gave %q, its quoted form %q, %v", line, key, again, err)
		}
	})
}
