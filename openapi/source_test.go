package openapi

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// short gives the findings as lines.
func short(ds diag.List) string {
	var b strings.Builder
	for _, d := range ds.All() {
		fmt.Fprintln(&b, d)
	}
	return b.String()
}

// tree writes nodes as kind, value and place, so that two readers can be compared.
func tree(n *yaml.Node, places bool) string {
	var b strings.Builder
	var walk func(n *yaml.Node, depth int)
	walk = func(n *yaml.Node, depth int) {
		fmt.Fprintf(&b, "%*s%s %q", depth*2, "", n.ShortTag(), n.Value)
		if places {
			fmt.Fprintf(&b, " %d:%d", n.Line, n.Column)
		}
		b.WriteByte('\n')
		for _, c := range n.Content {
			walk(c, depth+1)
		}
	}
	walk(n, 0)
	return b.String()
}

func TestParseSourceReadsJSONAsRFC8259(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"\ud83d\ude00"}`:       "😀",
		`{"a":"\/x\/"}`:              "/x/",
		`{"a":"\u00e9\n\t\"\\"}`:     "é\n\t\"\\",
		`{"a":"\ud83dx"}`:            "\uFFFDx",
		`{"a":"\ude00"}`:             "\uFFFD",
		"{\"a\":\"\u2028\u0085\"}":   "\u2028\u0085",
		`{"a":"yes # no"}`:           "yes # no",
		`{"a":12345678901234567890}`: "12345678901234567890",
		`{"a":1.50e+3}`:              "1.50e+3",
	} {
		for _, file := range []string{"a.json", "a.yaml"} {
			s, ds := parseSource(file, []byte(text))
			require.Empty(t, short(ds), text)
			assert.Equal(t, want, s.root.Content[1].Value, text)
		}
	}
}

func TestParseSourceGivesJSONTheNodesOfYAML(t *testing.T) {
	const text = "{\n  \"a\": {\"b\": [1, -2.5, true, false, null, \"x\"]},\n\t\"c\" : {},\n \"d\":[ ]\n}\n"
	j, ds := parseSource("a.json", []byte(text))
	require.Empty(t, short(ds))
	y, _, err := readYAML([]byte(text))
	require.NoError(t, err)
	assert.Equal(t, tree(y, true), tree(j.root, true))
}

func TestParseSourceRefusesBrokenText(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, c := range map[string]struct{ file, text, want string }{
		"empty":                 {"a.yaml", "", "a.yaml:1:1: error: the file is empty [IDG101]"},
		"blank":                 {"a.json", " \n\n", "a.json:1:1: error: the file is empty [IDG101]"},
		"comment":               {"a.yaml", "# nothing\n", "a.yaml:1:1: error: the file is empty [IDG101]"},
		"byte order mark alone": {"a.yaml", "\xEF\xBB\xBF", "a.yaml:1:1: error: the file is empty [IDG101]"},
		"two documents":         {"a.yaml", "---\na: 1\n---\nb: 2\n", "a.yaml:4:1: error: the file holds a second YAML document; only one is read [IDG101]"},
		"utf-16":                {"a.yaml", "\xFF\xFEa\x00", "a.yaml:1:1: error: the file is UTF-16; save it as UTF-8 [IDG101]"},
		"no utf-8":              {"a.yaml", "a: é\nb: \xff", "a.yaml:2:4: error: the file is not UTF-8 here [IDG101]"},
		"control character":     {"a.yaml", "a: 1\nb: \x01", "a.yaml:2:4: error: the control character U+0001 is not allowed [IDG101]"},
		"yaml syntax":           {"a.yaml", "é: b: c\n", "a.yaml:1:6: error: mapping values are not allowed in this context [IDG101]"},
		"yaml end":              {"a.yaml", "a: 1\nb: [\n\n", "a.yaml:2:5: error: did not find expected node content while parsing a flow node [IDG101]"},
		"unknown anchor":        {"a.yaml", "a: *b\n", "a.yaml:1:4: error: unknown anchor 'b' referenced [IDG101]"},
		"anchor in itself":      {"a.yaml", "a: &x\n  b: [*x]\n", "a.yaml:2:7: error: the alias *x stands inside its own anchor [IDG101]"},
		"duplicate":             {"a.yaml", "a: 1\nb: {c: 1, c: 2}\na: 3\n", "a.yaml:2:11: error: the member \"c\" is written twice [IDG102]\na.yaml:3:1: error: the member \"a\" is written twice [IDG102]"},
		"duplicate in json":     {"a.json", `{"a":1,"\u0061":2}`, `a.json:1:8: error: the member "a" is written twice [IDG102]`},
		"name is no text":       {"a.yaml", "? [a]\n: b\n{{x}}: y\n", "a.yaml:1:3: error: a member's name is text, not a list [IDG101]\na.yaml:3:1: error: a member's name is text, not an object [IDG101]\na.yaml:3:2: error: a member's name is text, not an object [IDG101]"},
		"merge of text":         {"a.yaml", "a:\n  <<: x\n", "a.yaml:2:7: error: << takes an object or a list of objects, not \"x\" [IDG101]"},
		"merge of list of text": {"a.yaml", "a:\n  <<: [x]\n", "a.yaml:2:8: error: << takes objects, not \"x\" [IDG101]"},
		"json comma":            {"a.json", "{\n \"a\": 1,\n}", "a.json:3:1: error: a comma is not allowed before } [IDG101]"},
		"json end":              {"a.json", "{\"a\": ", "a.json:1:6: error: the document ends where a value is expected [IDG101]"},
		"json open string":      {"a.json", "{\"a", "a.json:1:4: error: a string does not end [IDG101]"},
		"json comment":          {"a.json", "{\"a\": 1 // x\n}", "a.json:1:9: error: a comma or } is expected here [IDG101]"},
		"json tail":             {"a.json", "{} {}", "a.json:1:4: error: something follows the end of the document [IDG101]"},
		"json name":             {"a.json", "{a: 1}", "a.json:1:2: error: a member's name in double quotes is expected here [IDG101]"},
		"json escape":           {"a.json", `{"a": "\x"}`, `a.json:1:8: error: \x is no escape of JSON [IDG101]`},
		"json half escape":      {"a.json", `{"a": "\u12"}`, `a.json:1:8: error: \u is no escape of JSON [IDG101]`},
		"json line break":       {"a.json", "{\"a\": \"x\ny\"}", "a.json:1:9: error: a string cannot hold the control character U+000A; it is written as an escape [IDG101]"},
		"json number":           {"a.json", `{"a": 1.}`, "a.json:1:9: error: a digit is expected here [IDG101]"},
		"json leading zero":     {"a.json", `{"a": 01}`, "a.json:1:8: error: a comma or } is expected here [IDG101]"},
		"json word":             {"a.json", `{"a": nul}`, "a.json:1:7: error: a value is expected here [IDG101]"},
		"json depth":            {"a.json", `{"a":` + deep(1500) + "}", "a.json:1:1006: error: values are nested deeper than 1000 levels [IDG103]"},
		"yaml depth":            {"a.yaml", `a: ` + deep(1500), "a.yaml:1:1004: error: values are nested deeper than 1000 levels [IDG103]"},
		"yaml extreme depth":    {"a.yaml", `a: ` + deep(200_000), "a.yaml:1:10004: error: exceeded max depth of 10000 while increasing flow level [IDG103]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, ds := parseSource(c.file, []byte(c.text))
			assert.Equal(t, c.want+"\n", short(ds))
		})
	}
}

func TestParseSourceRefusesExponentialAliases(t *testing.T) {
	var b strings.Builder
	b.WriteString("a: &a [x, x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c <= 'z'; c++ {
		p := string(c - 1)
		fmt.Fprintf(&b, "%c: &%c [*%s, *%s, *%s, *%s, *%s, *%s, *%s, *%s]\n", c, c, p, p, p, p, p, p, p, p)
	}
	s, ds := parseSource("a.yaml", []byte(b.String()))
	assert.Nil(t, s)
	assert.Contains(t, short(ds), "error: repeating anchors adds more than 500000 values [IDG103]")
}

func TestParseSourceRefusesHugeFiles(t *testing.T) {
	s, ds := parseSource("a.yaml", make([]byte, maxFileBytes+1))
	assert.Nil(t, s)
	assert.Contains(t, short(ds), "a.yaml:1:1: error: the file has 67108865 bytes; up to 67108864 are read [IDG103]")
}

func TestParseSourceMakesAPlainTree(t *testing.T) {
	s, ds := parseSource("a.yaml", []byte(`base: &base {a: 1, b: {c: 2}}
more: &more {a: 9, d: 3}
use:
  <<: *base
  b: own
list:
  <<: [*more, *base]
copy: *base
`))
	require.Empty(t, short(ds))
	use, list, again := s.root.Content[5], s.root.Content[7], s.root.Content[9]
	assert.Equal(t, "!!map \"\" 4:3\n  !!str \"b\" 5:3\n  !!str \"own\" 5:6\n  !!str \"a\" 1:14\n  !!int \"1\" 1:17\n", tree(use, true))
	assert.Equal(t, []string{"a", "9", "d", "3", "b"}, values(list.Content[:5]))
	assert.Equal(t, tree(s.root.Content[1], true), tree(again, true), "a copy keeps the anchor's place")
	again.Content[1].Value = "changed"
	assert.Equal(t, "1", s.root.Content[1].Content[1].Value, "a copy is one's own")
}

func values(ns []*yaml.Node) (out []string) {
	for _, n := range ns {
		out = append(out, n.Value)
	}
	return out
}

func TestParseSourceKeepsTheFirstOfTwoMembers(t *testing.T) {
	for _, file := range []string{"a.yaml", "a.json"} {
		s, _ := parseSource(file, []byte(`{"a": 1, "b": 2, "a": 3}`))
		assert.Equal(t, []string{"a", "1", "b", "2"}, values(s.root.Content), file)
	}
}

func TestParseSourceFindsRepeatedNamesInLargeObjects(t *testing.T) {
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	b.WriteString("k3: 2\nk99: 2\n")
	_, ds := parseSource("a.yaml", []byte(b.String()))
	assert.Equal(t, "a.yaml:101:1: error: the member \"k3\" is written twice [IDG102]\na.yaml:102:1: error: the member \"k99\" is written twice [IDG102]\n", short(ds))
}

func TestPlacesCountBytesAndLineFeeds(t *testing.T) {
	for name, text := range map[string]string{
		"two bytes":           "é: 'ü' # x\nk: {ä: X}\n",
		"carriage returns":    "a: é\r\nb:\r\n  - X\r\n",
		"line separator":      "a: \"p\u2028q\"\nk: X\n",
		"next line":           "a: \"p\u0085q\"\n\nk: X\n",
		"wide":                "k: {支付: 1, 💸: X}\n",
		"byte order mark":     "\xEF\xBB\xBFé: 1\nk: X\n",
		"anchored non-ASCII":  "é: &a {ö: X}\nb: *a\n",
		"old Mac line breaks": "a: 1\rb: X\r",
	} {
		t.Run(name, func(t *testing.T) {
			s, ds := parseSource("a.yaml", []byte(text))
			require.Empty(t, short(ds))
			lines := strings.Split(strings.TrimPrefix(text, "\xEF\xBB\xBF"), "\n")
			found := 0
			var walk func(n *yaml.Node)
			walk = func(n *yaml.Node) {
				if n.Value == "X" {
					found++
					assert.Equal(t, "X", lines[n.Line-1][n.Column-1:n.Column])
				}
				for _, c := range n.Content {
					walk(c)
				}
			}
			walk(s.root)
			assert.Positive(t, found)
		})
	}
}

// The plain tree must mean what the YAML reader itself makes of a document.
func TestParseSourceAgreesWithTheYAMLReader(t *testing.T) {
	for _, file := range []string{"openai-1.2.0-anchors.yaml", "museum.yaml", "aws-amplifyuibuilder.json"} {
		data, err := os.ReadFile(filepath.Join(specs(t), file))
		require.NoError(t, err)
		s, ds := parseSource(file, data)
		require.Empty(t, short(ds))
		var want, got any
		require.NoError(t, yaml.Unmarshal(data, &want))
		require.NoError(t, s.root.Decode(&got))
		assert.Equal(t, want, got)
	}
}

// specs is the folder of public documents beside the repository; the test is skipped where it is absent.
func specs(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if at := filepath.Join(dir, "..", "shared", "specs"); isDir(at) && isDir(filepath.Join(dir, "openapi")) {
			return at
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Skip("the folder ../shared/specs with public documents is not there")
		}
		dir = up
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,-2.5e3,"\ud83d\ude00",null]}`, `{"a":1,"a":2}`, `[[`, `{"a":"\u12"}`, "{\"\xff\":0}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, ds := parseSource("a.json", []byte(text))
		if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{") {
			return
		}
		for _, d := range ds.All() {
			require.True(t, d.Pos.IsValid(), d)
		}
		if valid := jsonValid(text); valid && len(text) < 900 { // shorter than the depth limit
			require.NotNil(t, s, text)
		} else if s != nil {
			require.True(t, valid, "accepts what is not JSON: %s", text)
		}
	})
}

func jsonValid(text string) bool {
	return json.Valid([]byte(text)) && utf8.ValidString(text)
}
