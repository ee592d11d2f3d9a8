package diag_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

func text(t *testing.T, content string, d diag.Diagnostic) string {
	t.Helper()
	read := func(file string) ([]byte, error) {
		if file == "a.yaml" {
			return []byte(content), nil
		}
		return nil, errors.New("no such file")
	}
	var b strings.Builder
	require.NoError(t, diag.TextPrinter{Read: read}.Print(&b, []diag.Diagnostic{d}))
	return b.String()
}

func at(line, col int) diag.Pos { return diag.Pos{File: "a.yaml", Line: line, Col: col} }

func TestTextHasExcerptCaretHintAndRelatedPlaces(t *testing.T) {
	got := text(t, "a: 1\nb:\n  c: wrong # x\n", diag.Diagnostic{
		Pos: at(3, 6), End: at(3, 11), Code: diag.RefMissing, Message: "nothing there", Hint: "c: right\nd: too",
		Related: []diag.Related{{Pos: at(1, 1), Message: "the first one"}},
	})
	assert.Equal(t, `a.yaml:3:6: error: nothing there [IDG113]
    3 |   c: wrong # x
      |      ^~~~~
  hint:
    c: right
    d: too
  a.yaml:1:1: the first one
`, got)
}

func TestTextCaretLinesUp(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want string // excerpt and caret
	}{
		"plain":          {"ab X", "ab X\n   ^"},
		"tab":            {"\tX", "    X\n    ^"},
		"tab after text": {"ab\tX", "ab  X\n    ^"},
		"two bytes":      {"éé X", "éé X\n   ^"},
		"wide":           {"支付 X", "支付 X\n     ^"},
		"emoji":          {"💸 X", "💸 X\n   ^"},
		"combining":      {"e\u0301 X", "e\u0301 X\n  ^"},
		"escape":         {"\x1b[31m X", "\uFFFD[31m X\n      ^"},
		"carriage":       {"a X\r", "a X\n  ^"},
		"first":          {"X", "X\n^"},
	} {
		t.Run(name, func(t *testing.T) {
			got := text(t, c.line+"\nnext", diag.Diagnostic{
				Pos: at(1, strings.Index(c.line, "X")+1), Code: diag.Syntax, Message: "m"})
			want := strings.ReplaceAll("    1 | "+c.want, "\n", "\n      | ")
			assert.Equal(t, "a.yaml:1:"+strings.Split(got, ":")[2]+": error: m [IDG101]\n"+want+"\n", got)
		})
	}
}

func TestTextShowsAPartOfALongLine(t *testing.T) {
	line := strings.Repeat("é", 5000) + "X" + strings.Repeat("b", 5000)
	got := strings.Split(text(t, line, diag.Diagnostic{Pos: at(1, 10001), Code: diag.Syntax, Message: "m"}), "\n")
	assert.Less(t, len(got[1]), 300)
	assert.Equal(t, []rune(got[1])[len([]rune(got[2]))-1], 'X', "the caret stands below the X")
}

func TestTextWithoutExcerpt(t *testing.T) {
	for name, pos := range map[string]diag.Pos{
		"no place":        {},
		"file alone":      {File: "a.yaml"},
		"unknown file":    {File: "b.yaml", Line: 1, Col: 1},
		"line beyond end": at(9, 1),
	} {
		t.Run(name, func(t *testing.T) {
			got := text(t, "x", diag.Diagnostic{Pos: pos, Code: diag.Syntax, Message: "m"})
			assert.Equal(t, 1, strings.Count(got, "\n"), got)
			assert.Contains(t, got, "error: m [IDG101]")
		})
	}
	assert.Equal(t, "error: m [IDG101]\n", text(t, "x", diag.Diagnostic{Code: diag.Syntax, Message: "m"}))
	assert.Contains(t, text(t, "x", diag.Diagnostic{Pos: at(1, 99), Code: diag.Syntax, Message: "m"}), "^", "a column beyond the end")
	assert.NotContains(t, text(t, "x", diag.Diagnostic{Pos: at(1, 0), Code: diag.Syntax, Message: "m"}), "^", "no column, no caret")
}

func TestTextDoesNotCountAByteOrderMark(t *testing.T) {
	got := text(t, "\xEF\xBB\xBFab", diag.Diagnostic{Pos: at(1, 2), Code: diag.Syntax, Message: "m"})
	assert.Contains(t, got, "    1 | ab\n      |  ^\n")
}

func TestTextPaints(t *testing.T) {
	var b strings.Builder
	p := diag.TextPrinter{
		Read:  func(string) ([]byte, error) { return []byte("x"), nil },
		Paint: func(_ diag.Severity, text string) string { return "<" + text + ">" },
	}
	require.NoError(t, p.Print(&b, []diag.Diagnostic{{Pos: at(1, 1), Code: diag.Syntax, Message: "m"}}))
	assert.Equal(t, "a.yaml:1:1: <error>: m [IDG101]\n    1 | x\n      | <^>\n", b.String())
}

func TestShortIsOneLineEach(t *testing.T) {
	var b strings.Builder
	require.NoError(t, diag.ShortPrinter{}.Print(&b, []diag.Diagnostic{
		{Pos: at(1, 2), Code: diag.Syntax, Message: "a\nb\x1b", Hint: "h"},
		{Pos: at(3, 4), Code: diag.AnnotationSpelled, Message: "c"},
		{Pos: at(3, 4), Code: diag.RefMissing, Severity: diag.Warning, Message: "d"},
	}))
	assert.Equal(t, "a.yaml:1:2: error: a b\uFFFD [IDG101]\na.yaml:3:4: warning: c [IDG123]\na.yaml:3:4: warning: d [IDG113]\n", b.String())
}

func TestJSONIsStable(t *testing.T) {
	var b strings.Builder
	require.NoError(t, diag.JSONPrinter{}.Print(&b, []diag.Diagnostic{
		{Pos: at(1, 2), End: at(1, 5), Code: diag.RefMissing, Message: "<m>", Hint: "h",
			Related: []diag.Related{{Pos: at(7, 8), Message: "r"}}},
		{Code: diag.AnnotationSpelled, Message: "n"},
	}))
	assert.Equal(t, `{
  "version": 1,
  "diagnostics": [
    {
      "file": "a.yaml",
      "line": 1,
      "col": 2,
      "endLine": 1,
      "endCol": 5,
      "severity": "error",
      "code": "IDG113",
      "message": "<m>",
      "hint": "h",
      "related": [
        {
          "file": "a.yaml",
          "line": 7,
          "col": 8,
          "message": "r"
        }
      ]
    },
    {
      "file": "",
      "line": 0,
      "col": 0,
      "severity": "warning",
      "code": "IDG123",
      "message": "n",
      "hint": "",
      "related": []
    }
  ]
}
`, b.String())
	b.Reset()
	require.NoError(t, diag.JSONPrinter{}.Print(&b, nil))
	assert.True(t, json.Valid([]byte(b.String())))
	assert.Contains(t, b.String(), `"diagnostics": []`)
}

func TestNewPrinter(t *testing.T) {
	for _, f := range diag.Formats() {
		p, err := diag.NewPrinter(f, nil)
		require.NoError(t, err)
		require.NoError(t, p.Print(&strings.Builder{}, []diag.Diagnostic{{Pos: at(1, 1), Message: "m"}}))
	}
	_, err := diag.NewPrinter("xml", nil)
	assert.ErrorContains(t, err, `"xml"`)
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("disk full")

func TestPrintersReportWriteErrors(t *testing.T) {
	for _, f := range diag.Formats() {
		p, err := diag.NewPrinter(f, nil)
		require.NoError(t, err)
		assert.ErrorIs(t, p.Print(fullDisk{}, []diag.Diagnostic{{Message: "m"}}), errFull, string(f))
	}
}

func TestListSortsAndDropsEqualFindings(t *testing.T) {
	var ds diag.List
	ds.Add(diag.Diagnostic{Pos: at(2, 1), Code: diag.Syntax, Message: "b"})
	ds.Add(diag.Diagnostic{Pos: at(1, 9), Code: diag.AnnotationSpelled, Message: "a"})
	ds.Add(diag.Diagnostic{Pos: at(2, 1), Code: diag.Syntax, Message: "b"})
	all := ds.All()
	require.Len(t, all, 2)
	assert.Equal(t, "a", all[0].Message)
	assert.True(t, ds.HasErrors())
	assert.Equal(t, 3, ds.Len())
}
