package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// candidatesOf loads a document and shows its candidates, one on a line.
func candidatesOf(t *testing.T, files memory, opts Options) (*Document, []string) {
	t.Helper()
	doc, ds, err := load(files, "a.yaml", opts)
	require.NoError(t, err)
	require.NotNil(t, doc, short(ds))
	var out []string
	for _, c := range doc.Candidates {
		at := fmt.Sprintf("%s:%d+%d", c.Insert.File, c.Insert.Line, c.Insert.Indent)
		if c.Insert.Refused != "" {
			at = c.Insert.Refused
		}
		out = append(out, strings.TrimRight(fmt.Sprintf("%s %s%s %s | %s | %s", c.Method, c.Path, c.Webhook, c.ID, c.Target, at), " "))
	}
	return doc, out
}

const head = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\n"

func TestCandidatesAreWhatNobodyDecidedUpon(t *testing.T) {
	_, got := candidatesOf(t, memory{"a.yaml": head + `x-idempotency: {scope: [tenant], operations: {named: exempt}}
paths:
  /a:
    get: {summary: s}
    put: {summary: s}
    post:
      operationId: createA
      summary: s
    patch:
      x-idempotency: exempt
  /b:
    post: {x-idempotency: required}
    patch:
      summary: s
      operationId: named
  /it's/{x}:
    post:
      # a comment
      summary: s
      operationId: "two
        lines"
`}, Options{})
	assert.Equal(t, []string{
		"POST /a createA | $.paths['/a'].post | a.yaml:10+6",
		`POST /it's/{x} two lines | $.paths['/it\'s/{x}'].post | a.yaml:20+6`,
	}, got)
}

func TestCandidatesBehindReferencesAndAnchors(t *testing.T) {
	_, got := candidatesOf(t, memory{"a.yaml": head + `x-apart: &apart
  operationId: apart
paths:
  /here: {$ref: '#/components/pathItems/Here'}
  /there: {$ref: b.yaml#/item}
  /one:
    post: &shared
      operationId: shared
  /two:
    post: *shared
  /merged:
    post:
      <<: *shared
      summary: more
  /only:
    post:
      <<: *shared
  /alias:
    post: *apart
  /braces:
    post: {operationId: b}
components:
  pathItems:
    Here:
      patch:
        operationId: here
`, "b.yaml": "item:\n    post:\n        operationId: there\n        summary: s\n"}, Options{})
	assert.Equal(t, []string{
		"PATCH /here here | $.components.pathItems.Here.patch | a.yaml:29+8",
		"POST /there there |  | b.yaml:4+8",
		"POST /one shared | $.paths['/one'].post | several operations share this text",
		"POST /two shared | $.paths['/two'].post | several operations share this text",
		"POST /merged shared | $.paths['/merged'].post | a.yaml:15+6",
		"POST /only shared | $.paths['/only'].post | no member of it stands on a line of its own",
		"POST /alias apart | $.paths['/alias'].post | no member of it stands on a line of its own",
		"POST /braces b | $.paths['/braces'].post | it is written in braces",
	}, got)
}

func TestCandidatesOfOverlaysAndWebhooks(t *testing.T) {
	_, got := candidatesOf(t, memory{"a.yaml": head + "paths:\n  /a:\n    get: {summary: s}\nwebhooks:\n  paid:\n    post:\n      summary: s\n",
		"o.yaml": "overlay: 1.0.0\ninfo: {title: t, version: '1'}\nactions:\n  - target: $.paths['/a']\n    update:\n      post:\n        summary: s\n"},
		Options{Overlays: []string{"o.yaml"}, Webhooks: true})
	assert.Equal(t, []string{
		"POST /a  | $.paths['/a'].post | it stands in an overlay",
		"POST paid  | $.webhooks.paid.post | a.yaml:9+6",
	}, got)
}

func TestInsertionsGoBehindAnOperationIdOfOneLine(t *testing.T) {
	for member, line := range map[string]int{
		"operationId: a":                                    7,
		"operationId: 'a'  # why":                           7,
		"operationId: \"a\"\n      summary: s":              7,
		"operationId: \"a\"":                                6, // the last member may go on
		"operationId: \"a\\\n        b\"\n      summary: s": 6,
		"operationId: a\n        b":                         6,
		"operationId: >-\n        a":                        6,
		"operationId: |-\n        a":                        6,
		"operationId:\n        a":                           6,
		"operationId: ''":                                   6,
	} {
		doc, _ := candidatesOf(t, memory{"a.yaml": head + "paths:\n  /a:\n    post:\n      " + member + "\n"}, Options{})
		assert.Equal(t, line, doc.Candidates[0].Insert.Line, member)
	}
}

func TestTwinsNameEachOther(t *testing.T) {
	doc, _ := candidatesOf(t, memory{"a.yaml": head + "paths:\n  /a: {$ref: '#/components/pathItems/P'}\n  /b: {$ref: '#/components/pathItems/P'}\n" +
		"components:\n  pathItems:\n    P:\n      post:\n        summary: s\n"}, Options{})
	require.Len(t, doc.Candidates, 2)
	assert.Equal(t, "a.yaml:5:3", doc.Candidates[0].Twin.String())
	assert.Equal(t, "a.yaml:4:3", doc.Candidates[1].Twin.String())
}

func TestCandidatesSayWhoCallsOthers(t *testing.T) {
	for _, c := range []struct{ member, want string }{
		{"callbacks: {paid: {'{$request.body#/url}': {post: {summary: s}}}}", "a.yaml:7:19"},
		{"responses: {'201': {description: d, links: {next: {operationId: x}}}}", "-"},
		{"responses: {'201': {description: d, links: {out: {operationRef: 'https://x.example/openapi.yaml#/paths/~1y/get'}}}}", "a.yaml:7:51"},
		{"responses: {'201': {description: d, links: {out: {operationId: x, server: {url: 'https://x.example'}}}}}", "a.yaml:7:51"},
	} {
		doc, _ := candidatesOf(t, memory{"a.yaml": head + "paths:\n  /a:\n    post:\n      summary: s\n      " + c.member + "\n"}, Options{})
		at := "-"
		if doc.Candidates[0].Calls.IsValid() {
			at = doc.Candidates[0].Calls.String()
		}
		assert.Equal(t, c.want, at, c.member)
	}
}

func TestInsertionsOfTheDocument(t *testing.T) {
	for _, c := range []struct{ root, document, defaults string }{
		{head + "paths: {}\n", "3+0", "0"},
		{head + "x-idempotency:\n  retention: 48h\npaths: {}\n", "5+0", "4+2"},
		{head + "x-idempotency: {retention: 48h}\npaths: {}\n", "4+0", "it is written in braces"},
		{"  openapi: 3.1.0\n  info: {title: t, version: '1'}\n  paths: {}\n", "3+2", "0"},
		{`{"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": {}}`, "the document is written in braces", "0"},
	} {
		doc, ds, err := load(memory{"a.yaml": c.root}, "a.yaml", Options{})
		require.NoError(t, err)
		require.NotNil(t, doc, short(ds))
		show := func(in Insertion) string {
			switch {
			case in.Refused != "":
				return in.Refused
			case in.Line == 0:
				return "0"
			}
			return fmt.Sprintf("%d+%d", in.Line, in.Indent)
		}
		assert.Equal(t, c.document, show(doc.Insert), c.root)
		assert.Equal(t, c.defaults, show(doc.InsertDefault), c.root)
	}
}

// What is supposed inherits like an empty annotation, and only what is asked for is read.
func TestSupposedOperationsAreRead(t *testing.T) {
	files := memory{"a.yaml": head + `x-idempotency: {retention: 48h}
paths:
  /a:
    x-idempotency: {scope: [user]}
    post:
      requestBody: {content: {application/json: {schema: {type: array, uniqueItems: true}}}}
  /b:
    post:
      requestBody: {$ref: '#/components/nothing'}
`}
	doc, ds, err := load(files, "a.yaml", Options{Suppose: func(c Candidate) bool { return c.Path == "/a" }})
	require.NoError(t, err)
	require.Empty(t, short(ds), "the fault of /b is not met")
	require.Len(t, doc.Operations, 1)
	op := doc.Operations[0]
	assert.Equal(t, doc.Candidates[0].Pos, op.Pos)
	assert.Equal(t, "48h", op.Annotation.Retention.Value.Text)
	assert.Equal(t, "user", op.Annotation.Scope.Value.Now[0].Dimension)
	assert.Equal(t, ModeObject, op.Annotation.Mode.Value)
	assert.True(t, op.Body.Media[0].Schema.UniqueItems)

	_, ds, err = load(files, "a.yaml", Options{Suppose: func(Candidate) bool { return true }})
	require.NoError(t, err)
	assert.Contains(t, short(ds), "#/components/nothing")
}

func TestTextsStandForFiles(t *testing.T) {
	below := memory{"dir/a.yaml": head + "paths: {/p: {$ref: b.yaml}}\n", "dir/b.yaml": "get: {summary: s}\n"}
	texts := map[string][]byte{"dir/./b.yaml": []byte("post: {summary: s}\n"), "dir/o.yaml": []byte(
		"overlay: 1.0.0\ninfo: {title: t, version: '1'}\nactions:\n  - {target: $.info, update: {title: from the overlay}}\n")}
	doc, ds, err := load(newLayered(below, texts), "dir/a.yaml", Options{Overlays: []string{"dir/o.yaml"}})
	require.NoError(t, err)
	require.Empty(t, short(ds))
	require.Len(t, doc.Candidates, 1)
	assert.Equal(t, "dir/b.yaml", doc.Candidates[0].Pos.File)
	assert.Equal(t, "from the overlay", doc.Title)
}

func TestOnlyAdds(t *testing.T) {
	const before = "a: 1\nb:\n  c: [1, {d: 2}]\nx-i:\n  k: 1\n"
	for _, c := range []struct {
		after string
		want  bool
	}{
		{before, true},
		{"x-i:\n  k: 1\n  more: 2\na: 1\n", false},
		{"a: 1\nb:\n  x-i: new\n  c: [1, {d: 2}]\nx-i:\n  scope: [tenant]\n  k: 1\n", true},
		{"a: 1\nb:\n  c: [1, {d: 2, x-i: {y: 3}}]\nx-i:\n  k: 1\n", true},
		{"a: 1\nb:\n  c: [1, {d: 2}]\n  e: 1\nx-i:\n  k: 1\n", false},
		{"a: 1\nb:\n  c: [1, {d: 2}, 3]\nx-i:\n  k: 1\n", false},
		{"a: '1'\nb:\n  c: [1, {d: 2}]\nx-i:\n  k: 1\n", false},
		{"a: 1\nb:\n  c: [1, {d: 2}]\nx-i:\n  k: 2\n", false},
		{"a: 1\nb:\n  c: [1, {d: 2}]\n", false},
		{"b:\n  c: [1, {d: 2}]\na: 1\nx-i:\n  k: 1\n", false},
		{"a: 1\n b:\n", false},
	} {
		assert.Equal(t, c.want, OnlyAdds("a.yaml", []byte(before), []byte(c.after), "x-i"), c.after)
	}
}
