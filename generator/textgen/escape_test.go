package textgen

import (
	"html"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var hostile = []string{
	"", " ", "plain", "a b", " led", "`", "``", "a`b``c", `back\`, `\|`, "a|b", "<b>", "</code>", "&lt;", "new\nline", "# heading\n", "\r\n\r\n- item", "\u2028", "\u202e",
	"\x00", "*/", "**bold**", "[x](javascript:1)", "![x](y)", "https://evil.example", "日本", "\U0001F600", "e\u0301", "$x$", "{{.}}", "~~x~~", "@user", "---",
}

func FuzzCodeIsOneSpan(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := string(code(s))
		if inside, ok := strings.CutPrefix(got, "`"); ok {
			inside = strings.TrimSuffix(inside, "`")
			assert.Equal(t, s, inside)
			assert.NotContains(t, inside, "`")
			assert.NotContains(t, inside, "|", "a table would end the cell")
			return
		}
		inside := strings.TrimSuffix(strings.TrimPrefix(got, "<code>"), "</code>")
		assert.Equal(t, shown(s), html.UnescapeString(inside))
		for _, r := range inside {
			require.True(t, strings.ContainsRune("&#;", r) || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r), "%q", r)
		}
	})
}

func FuzzProseIsPlain(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := string(prose(s))
		rest := strings.NewReplacer(`\*`, "", `\_`, "", `\[`, "", `\]`, "", `\#`, "").Replace(got)
		assert.NotContains(t, rest, "://")
		for _, r := range rest {
			require.False(t, strings.ContainsRune("\\`*_[]<>|~!@$^={}", r), "%q in %q", r, got)
			require.True(t, unicode.IsPrint(r), "%q", r)
		}
		if strings.TrimSpace(s) != "" {
			assert.NotEmpty(t, got)
		}
	})
}

func TestFencesAreLongerThanWhatTheyHold(t *testing.T) {
	assert.Equal(t, markdown("```sh\ncurl\n```"), fenced("sh", "curl\n"))
	assert.Equal(t, markdown("`````sh\na````b\n`````"), fenced("sh", "a````b"))
}

func TestShellWords(t *testing.T) {
	assert.Equal(t, `'it'\''s'`, shell("it's"))
	assert.Equal(t, `'aU+000Ab'`, shell("a\nb"))
	assert.Equal(t, `"\u0000\ud83d\ude00\"\\a"`, quote("\x00\U0001F600\"\\a"))
	assert.Equal(t, "/a%20b/%C3%A9/x:run%27", escapePath("/a b/é/x:run'"))
}
