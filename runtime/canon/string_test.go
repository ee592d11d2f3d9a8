package canon_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Each string stands at several distances from the end of the body, because its reader works on eight bytes at a time.
func TestStringSpelling(t *testing.T) {
	tests := []struct{ name, sent, want string }{
		{"empty", `""`, `""`},
		{"plain", `"abc defg hijk lmno"`, `"abc defg hijk lmno"`},
		{"short escapes", `"\"\\\/\b\f\n\r\t"`, `"\"\\/\b\f\n\r\t"`},
		{"control characters", `"\u0000\u0008\u000B\u001f"`, `"\u0000\b\u000b\u001f"`},
		{"needless escapes", `"\u0041\u00e9\u20AC\u007f"`, "\"Aé€\x7f\""},
		{"escaped quote and backslash", `"\u0022\u005c"`, `"\"\\"`},
		{"surrogate pair", `"\ud83d\ude02\uD83D\uDE02"`, `"😂😂"`},
		{"last character", `"\udbff\udfff"`, "\"\U0010ffff\""},
		{"literal beyond ASCII", `"é€😂` + "\u2028\u2029\ufeff\uffff" + `"`, `"é€😂` + "\u2028\u2029\ufeff\uffff" + `"`},
		{"nothing for HTML", `"<>&'/"`, `"<>&'/"`},
		{"composed", "\"\u00e9\"", "\"\u00e9\""},
		{"decomposed", "\"e\u0301\"", "\"e\u0301\""},
		{"white space stays", "\"  a\u00a0 \"", "\"  a\u00a0 \""},
		{"escape after eight", `"12345678\n12345678"`, `"12345678\n12345678"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, space := range []string{"", " ", "        "} {
				for _, as := range []canon.Normaliser{canon.Exact, canon.Generic} {
					got, refusal := read(t, space+tt.sent+space, leaf(as))
					require.Nil(t, refusal)
					assert.Equal(t, tt.want, got)
				}
			}
		})
	}
}

func TestStringRefused(t *testing.T) {
	tests := []struct {
		name, sent string
		offset     int // within sent
		reason     string
	}{
		{"lone high surrogate", `"a\ud83d"`, 2, "a lone surrogate"},
		{"lone low surrogate", `"\ude02a"`, 1, "a lone surrogate"},
		{"reversed surrogates", `"\ude02\ud83d"`, 1, "a lone surrogate"},
		{"high before text", `"\ud83dabcdefg"`, 1, "a lone surrogate"},
		{"high before another escape", `"\ud83d\n12345"`, 1, "a lone surrogate"},
		{"high before a character after the surrogates", `"\ud83d\ue000"`, 1, "a lone surrogate"},
		{"two high", `"\ud83d\ud83d"`, 1, "a lone surrogate"},
		{"high before a broken escape", `"\ud83d\ude0"`, 1, "a lone surrogate"},
		{"unknown escape", `"abcdefghij\x41"`, 11, "an unknown escape sequence"},
		{"upper-case escape", `"\N"`, 1, "an unknown escape sequence"},
		{"few hexadecimal digits", `"\u00e"`, 1, "an escape sequence without four hexadecimal digits"},
		{"bad hexadecimal digit", `"\u00g0"`, 1, "an escape sequence without four hexadecimal digits"},
		{"invalid byte", "\"abc\xff\"", 4, "invalid UTF-8"},
		{"Latin-1", "\"gr\xfcn und mehr\"", 3, "invalid UTF-8"},
		{"overlong", "\"\xc0\xaf\"", 1, "invalid UTF-8"},
		{"encoded surrogate", "\"abcdefgh\xed\xa0\x80\"", 9, "invalid UTF-8"},
		{"beyond Unicode", "\"\xf4\x90\x80\x80\"", 1, "invalid UTF-8"},
		{"cut character", "\"\xe2\x82\"", 1, "invalid UTF-8"},
		{"cut by an escape", "\"\xe2\x82\\n\"", 1, "invalid UTF-8"},
		{"line feed", "\"abcdefghijkl\nm\"", 13, "a control character in a string"},
		{"NUL", "\"\x00\"", 1, "a control character in a string"},
		{"unfinished", `"abcdefghijkl`, 13, "the body ends too early"},
		{"unfinished escape", `"abc\`, 5, "the body ends too early"},
		{"single quotes", `'a'`, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pad := "        "
			if strings.HasPrefix(tt.name, "unfinished") {
				pad = ""
			}
			// Ignored parts are held to the same rules; only where no value begins do the reasons differ.
			for as, reason := range map[canon.Normaliser]string{canon.Exact: "a string is expected", canon.Generic: "a JSON value is expected"} {
				if tt.reason != "" {
					reason = tt.reason
				}
				_, refusal := read(t, "  "+tt.sent+pad, leaf(as))
				if assert.NotNil(t, refusal) {
					assert.Equal(t, canon.Refusal{Place: "body", Offset: tt.offset + 2, Reason: reason}, *refusal)
				}
			}
			_, refusal := read(t, `{"skipped":[`+tt.sent+pad, ignoreAll)
			require.NotNil(t, refusal)
			assert.Equal(t, tt.offset+12, refusal.Offset)
			assert.Equal(t, "body/skipped/0", refusal.Place)
			_, refusal = read(t, `{`+tt.sent+pad, leaf(canon.Generic)) // as a name
			require.NotNil(t, refusal)
			assert.Equal(t, tt.offset+1, refusal.Offset)
			assert.False(t, canon.Valid([]byte(tt.sent+pad)))
		})
	}
}

var ignoring = canon.Shape{Unknown: canon.IgnoreUnknown}

// ignoreAll reads an object of which nothing counts.
func ignoreAll(s *canon.Scanner) {
	o := s.Object(&ignoring, nil)
	for s.Next(&o) {
		s.Unknown(&o)
	}
}

// Every control character is found at every place of a word.
func TestControlCharacters(t *testing.T) {
	for c := range byte(0x20) {
		for at := range 16 {
			body := []byte(`"abcdefghijklmnopqrstuvwxyz"` + strings.Repeat(" ", 8))
			body[1+at] = c
			_, refusal := read(t, string(body), leaf(canon.Exact))
			assert.Equal(t, &canon.Refusal{Place: "body", Offset: 1 + at, Reason: "a control character in a string"}, refusal, "%#x", c)
		}
	}
}

func TestAppendJSONString(t *testing.T) {
	got := canon.AppendJSONString([]byte("x"), "\x00\b\t\n\v\f\r\x1f \"/\\<>&\x7f\u2028é😂")
	assert.Equal(t, `x"\u0000\b\t\n\u000b\f\r\u001f \"/\\<>&`+"\x7f\u2028é😂\"", string(got))
}

func TestCompareNames(t *testing.T) {
	// RFC 8785 section 3.2.3, and what tells UTF-16 order from code point order.
	ascending := []string{"", "\r", "1", "a", "aa", "ab", "b", "\u0080", "ö", "€", "\ud7ff", "😂", "\U0010ffff", "\ue000", "\ufb33", "\uffff", "\uffffa"}
	for i, a := range ascending {
		for j, b := range ascending {
			got := canon.CompareNames(a, b)
			switch {
			case i < j:
				assert.Negative(t, got, "%q %q", a, b)
			case i > j:
				assert.Positive(t, got, "%q %q", a, b)
			default:
				assert.Zero(t, got, "%q", a)
			}
		}
	}
}
