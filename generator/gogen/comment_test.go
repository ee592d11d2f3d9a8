package gogen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// directive is what the Go tools act upon at the beginning of a comment.
var directive = regexp.MustCompile(`^(//(go:|line |export |extern |nolint|lint:)|// *\+build)`)

func TestCommentLineIsInert(t *testing.T) {
	for _, text := range []string{
		"", "plain", "//go:generate x", "go:build ignore", "+build ignore", "  +build ignore", "\n\n+build ignore", "a\nb\r\nc", "*/ x /*",
		"\u2028x\u2029y\u0085z", "\x00\x1b[0m", "\ufeff", "\u202etext\u2066", "\xff\xfe", strings.Repeat("x", 10_000), "line 3", "//line a.go:1",
		"\v\f\t", "\xc2\xad+build x", "\u200b+build x",
	} {
		line := commentLine(text)
		assert.True(t, line == "//" || strings.HasPrefix(line, "// "), "%q", line)
		assert.NotRegexp(t, directive, line)
		assert.True(t, utf8.ValidString(line))
		for _, r := range line {
			assert.False(t, r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' || r == '\u202e' || r == '\ufeff' || r == '\u2066', "%q in %q", r, line)
		}
	}
}

func FuzzCommentIsOneInertComment(f *testing.F) {
	f.Add("//go:generate x\n*/")
	f.Add("\u2028+build x")
	f.Fuzz(func(t *testing.T, text string) {
		for _, line := range []string{commentLine(text), commentLine("Amount (amount): " + excerpt(text))} {
			source := "package x\n\n" + line + "\nvar X int\n"
			parsed, err := parser.ParseFile(token.NewFileSet(), "x.go", source, parser.ParseComments)
			require.NoError(t, err)
			require.Len(t, parsed.Decls, 1)
			require.Len(t, parsed.Comments, 1)
			require.Len(t, parsed.Comments[0].List, 1)
			assert.NotRegexp(t, directive, line)
		}
	})
}

func TestExcerptIsOneShortLine(t *testing.T) {
	assert.Equal(t, "Create a payment, twice.", excerpt("  Create\n\ta payment,\u2028 twice.\n"))
	long := excerpt(strings.Repeat("é", 500))
	assert.Equal(t, excerptLimit+1, utf8.RuneCountInString(long))
	assert.True(t, strings.HasSuffix(long, "…"))
	assert.Equal(t, strings.Repeat("é", excerptLimit), excerpt(strings.Repeat("é", excerptLimit)))
	assert.Empty(t, excerpt("\x00\u202e \n"))
}

func TestMemberPathQuotesOddNames(t *testing.T) {
	assert.Equal(t, "body.dry_run-2", memberPath("body", "dry_run-2"))
	assert.Equal(t, `body["odd.name"]`, memberPath("body", "odd.name"))
	assert.Equal(t, `body[""]`, memberPath("body", ""))
	assert.Equal(t, `body["größe"]`, memberPath("body", "größe"))
}

// TestCommentsHaveOneDoor holds the rule that document text reaches comments through one helper: nothing else in this room calls
// jennifer's Comment, Commentf or the file's comment methods with anything that commentLine did not make.
func TestCommentsHaveOneDoor(t *testing.T) {
	paths, err := filepath.Glob("*.go")
	require.NoError(t, err)
	doors := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		parsed, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !strings.Contains(method.Sel.Name, "Comment") || strings.HasPrefix(method.Sel.Name, "Is") {
				return true
			}
			doors++
			inner, ok := call.Args[0].(*ast.CallExpr)
			require.True(t, ok, "%s: %s without commentLine", path, method.Sel.Name)
			name, ok := inner.Fun.(*ast.Ident)
			require.True(t, ok)
			assert.Contains(t, []string{"commentLine", "generatedBy"}, name.Name, path)
			return true
		})
	}
	assert.Equal(t, 3, doors, "doc, the header and the package comment")
}
