package openapi

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// change makes the same additions to every text: a member of an object, an element of a list, a description.
func change(t *testing.T, text string) (string, error) {
	t.Helper()
	parsed, err := ParseText("openapi.yaml", []byte(text))
	require.NoError(t, err)
	op := parsed.Root().Member("op").Target()
	op.Add("added", ObjectPiece(Pair{"a", WordPiece("1")}, Pair{"b", ListPiece(TextPiece("x: y"), TextPiece("true"))}), "summary")
	op.Add("added", TextPiece("once"))
	if list := op.Member("list"); list.Exists() {
		list.Append(ObjectPiece(Pair{"name", TextPiece("one")}, Pair{"long", TextPiece(strings.Repeat("word ", 20) + "end")}))
	}
	if d := op.Member("description"); d.Exists() {
		d.Rewrite(d.String() + "\n\n# more")
	}
	out, err := parsed.Apply()
	return string(out), err
}

func TestTextKeepsWhatIsNotEdited(t *testing.T) {
	long := strings.Repeat("word ", 20) + "end"
	cases := map[string][2]string{
		"block": {
			"op:\n  summary: s # kept\n  # above\n  last: {a: [1, 2]}\n# below\nnext: 1\n",
			"op:\n  summary: s # kept\n  added:\n    a: 1\n    b: ['x: y', 'true']\n  # above\n  last: {a: [1, 2]}\n# below\nnext: 1\n",
		},
		"block at the end, without a line end": {
			"next: 1\nop:\n    last: |\n      text\n\n      # text too\n    more: 1",
			"next: 1\nop:\n    last: |\n      text\n\n      # text too\n    more: 1\n    added:\n      a: 1\n      b: ['x: y', 'true']",
		},
		"list at its key's column": {
			"op:\n  list:\n  - name: a\n    x: 1\n  # comment\n\nnext: 1\n",
			"op:\n  list:\n  - name: a\n    x: 1\n  - name: one\n    long: " + long + "\n  added:\n    a: 1\n    b: ['x: y', 'true']\n  # comment\n\nnext: 1\n",
		},
		"flow": {
			"op: {summary: it's, list: [], last: \"a } b\", }\n",
			"op: {summary: it's, list: [{name: one, long: " + long + "}], last: \"a } b\", added: {a: 1, b: ['x: y', 'true']} }\n",
		},
		"flow with a comment": {
			"op: {summary: s, # }\n  last: 1 # end\n  }\n",
			"op: {added: {a: 1, b: ['x: y', 'true']},summary: s, # }\n  last: 1 # end\n  }\n",
		},
		"plain description with a comment": {
			"op:\n  description: one # why\n  last: 1\n",
			"op:\n  description: |- # why\n    one\n\n    # more\n  last: 1\n  added:\n    a: 1\n    b: ['x: y', 'true']\n",
		},
		"description over lines": {
			"op:\n  description: one\n    two\n  last: 1\n",
			"op:\n  description: |-\n    one two\n\n    # more\n  last: 1\n  added:\n    a: 1\n    b: ['x: y', 'true']\n",
		},
		"quoted description": {
			"op:\n  description: 'it''s\n\n    two'   # why\n",
			"op:\n  description: |-   # why\n    it's\n    two\n\n    # more\n  added:\n    a: 1\n    b: ['x: y', 'true']\n",
		},
		"literal description": {
			"op:\n  description: |\n      one\n       two\n\n  last: 1\n",
			"op:\n  description: |-\n    one\n     two\n\n\n    # more\n\n  last: 1\n  added:\n    a: 1\n    b: ['x: y', 'true']\n",
		},
		"description that is no block": {
			"op:\n  description: \"  a\\u2028\"\n",
			"op:\n  description: \"  a\\u2028\\n\\n# more\"\n  added:\n    a: 1\n    b: ['x: y', 'true']\n",
		},
		"merged members": {
			"base: &b {summary: s}\nop:\n  <<: *b\n  last: 1\n",
			"base: &b {summary: s}\nop:\n  <<: *b\n  last: 1\n  added:\n    a: 1\n    b: ['x: y', 'true']\n",
		},
		"reference": {
			"op: {$ref: '#/x~1y'}\nx/y:\n  last: 1\n",
			"op: {$ref: '#/x~1y'}\nx/y:\n  last: 1\n  added:\n    a: 1\n    b: ['x: y', 'true']\n",
		},
		"line ends and a mark": {
			"\xEF\xBB\xBFop:\r\n  last: 1\r\n",
			"\xEF\xBB\xBFop:\r\n  last: 1\r\n  added:\r\n    a: 1\r\n    b: ['x: y', 'true']\r\n",
		},
		"JSON": {
			"{\n\t\"op\": {\n\t\t\"list\": [\n\t\t],\n\t\t\"description\": \"\\ud83d\\ude00 }\"\n\t}\n}\n",
			"{\n\t\"op\": {\n\t\t\"list\": [\n\t\t\t{\n\t\t\t\t\"name\": \"one\",\n\t\t\t\t\"long\": \"" + long + "\"\n\t\t\t}\n\t\t],\n\t\t\"description\": \"😀 }\\n\\n# more\",\n" +
				"\t\t\"added\": {\n\t\t\t\"a\": 1,\n\t\t\t\"b\": [\n\t\t\t\t\"x: y\",\n\t\t\t\t\"true\"\n\t\t\t]\n\t\t}\n\t}\n}\n",
		},
		"JSON on a line": {
			`{"op":{"list":[{"a":1}]}}`,
			`{"op":{"list":[{"a":1}, {"name": "one", "long": "` + long + `"}], "added": {"a": 1, "b": ["x: y", "true"]}}}`,
		},
		"empty JSON": {
			"{\n  \"op\": {}\n}\n",
			"{\n  \"op\": {\n    \"added\": {\n      \"a\": 1,\n      \"b\": [\n        \"x: y\",\n        \"true\"\n      ]\n    }\n  }\n}\n",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := change(t, c[0])
			require.NoError(t, err)
			assert.Equal(t, c[1], got)
		})
	}
}

func TestTextIsRefusedWhereAdditionsWouldChangeIt(t *testing.T) {
	for name, text := range map[string]string{
		"nothing but merged members": "base: &b {summary: s}\nop:\n  <<: *b\n",
		"anchored text":              "op:\n  description: &d one\n  other: *d\n",
		"block that the file ends":   "op:\n  last: |\n    its value would get a line end",
		"key on a line of its own":   "op:\n  ? last\n  : - a\n    - b\n  ? description\n  : one\n",
	} {
		_, err := change(t, text)
		require.ErrorIs(t, err, ErrNotEditable, name)
	}
	_, err := ParseText("openapi.yaml", []byte("a: [\n"))
	require.ErrorIs(t, err, ErrNotEditable)
}

func FuzzTextOnlyAdds(f *testing.F) {
	for _, seed := range []string{"op:\n  a: 1\n", "op: {a: 1}\n", `{"op": {"description": "x"}}`, "op:\n  description: >\n    a\n    b\n\n\n  list:\n  - a\n", "op:\n  description: |2\n     x\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := ParseText("openapi.yaml", []byte(text))
		if err != nil || !parsed.Root().Member("op").IsObject() {
			return
		}
		out, err := change(t, text)
		if err == nil {
			_, err = ParseText("openapi.yaml", []byte(out))
			require.NoError(t, err)
		}
	})
}
