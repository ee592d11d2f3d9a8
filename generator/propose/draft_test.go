package propose

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linesOf are the lines of the draft for a document with one candidate.
func linesOf(t *testing.T, text string) string {
	t.Helper()
	candidate, op, shape := supposed(t, text)
	return string(Text(New(candidate, op, shape).Lines("x-idempotency")))
}

// withMembers is an operation whose JSON body has members.
func withMembers(path string, members ...string) string {
	return "paths: {" + path + ": {post: {requestBody: {content: {application/json: {schema: {type: object, properties: {" +
		strings.Join(members, ", ") + "}}}}}}}}\n"
}

func TestADozenPartsAreListed(t *testing.T) {
	var members []string
	for i := range mostListed + 1 {
		members = append(members, fmt.Sprintf("m%d: {type: string}", i))
	}
	assert.Contains(t, linesOf(t, withMembers("/a", members[1:]...)), "- body.m12\n")
	assert.Contains(t, linesOf(t, withMembers("/a", members...)), "    fields: all  # all 13 declared parts, and those to come\n    unknown: include")
	members[0] = "password: {type: string}"
	assert.Contains(t, linesOf(t, withMembers("/a", members...)), "- body.password: {sensitive: true}", "what `all` cannot say is listed")
	members[0] = "amount: {type: string}"
	assert.Contains(t, linesOf(t, withMembers("/a", members...)), "# body.amount: `all` has no room for `decimal`")
}

func TestWhatStandsInsideOfADecisionIsNotDecidedAgain(t *testing.T) {
	got := linesOf(t, withMembers("/a",
		"card: {type: object, properties: {cvc: {type: string}, metadata: {type: object}}}", "metadata: {type: object, additionalProperties: {type: object, properties: {token: {type: string}}}}"))
	assert.Contains(t, got, "- body.card: {sensitive: true}")
	assert.NotContains(t, got, "cvc")
	assert.NotContains(t, got, "token")
	assert.Equal(t, 1, strings.Count(got, "metadata"))
}

func TestPartsComeInTheDocumentsOrder(t *testing.T) {
	got := linesOf(t, withMembers("/a", "z: {type: string}", "a: {type: string}", "m: {type: string}"))
	assert.Less(t, strings.Index(got, "body.z"), strings.Index(got, "body.a"))
	assert.Less(t, strings.Index(got, "body.a"), strings.Index(got, "body.m"))
}

// A union's branches name one part each.
func TestBranchesShareTheirParts(t *testing.T) {
	const union = "paths: {/a: {post: {requestBody: {content: {application/json: {schema: {oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], " +
		"discriminator: {propertyName: kind}}}}}}}}\ncomponents: {schemas: {A: {type: object, required: [kind], properties: {kind: {type: string}, amount: {type: string}}}, " +
		"B: {type: object, required: [kind], properties: {kind: {type: string}, amount: {type: string}, note: {type: string, writeOnly: true}}}}}\n"
	got := linesOf(t, union)
	assert.Equal(t, 1, strings.Count(got, "- body.amount: decimal"))
	assert.Equal(t, 1, strings.Count(got, "- body.kind\n"))
	assert.Contains(t, got, "- body.note: {sensitive: true}")
}

func TestExamplesAreNotLookedAt(t *testing.T) {
	plain := linesOf(t, withMembers("/a", "sum: {type: string}", "id: {type: string}"))
	shown := linesOf(t, withMembers("/a", "sum: {type: string, example: '10.00', examples: ['10.00']}", "id: {type: string, example: 4111111111111111}"))
	assert.Equal(t, plain, shown)
}

func TestADeclaredKeyIsNoReading(t *testing.T) {
	assert.Contains(t, linesOf(t, withMembers("/search", "q: {type: string}")), "exempt: ")
	assert.NotContains(t, linesOf(t, withMembers("/search", "q: {type: string}", "idempotencyKey: {type: string}")), "exempt: ")
}

func TestAGuessedKeyDoesNotReplaceTheDocumentsDefault(t *testing.T) {
	const operation = "paths: {/a: {x-idempotency: {key: header.My-Key}, post: {parameters: [{name: %s, in: header, schema: {type: string}}]}}}\n"
	assert.NotContains(t, linesOf(t, fmt.Sprintf(operation, "X-Request-Id")), "key:")
	assert.Contains(t, linesOf(t, fmt.Sprintf(operation, "Idempotency-Key")), "key: {from: header.Idempotency-Key, required: false}")
}

func TestABodyOfItsKeyAloneIsDecidedUpon(t *testing.T) {
	assert.Contains(t, linesOf(t, withMembers("/a", "idempotencyKey: {type: string}")), "- body\n")
}

func TestHeadersAreNamedTogether(t *testing.T) {
	var params []string
	for i := range 7 {
		params = append(params, fmt.Sprintf("{name: X-%d, in: header, schema: {type: string}}", i))
	}
	assert.Contains(t, linesOf(t, "paths: {/a: {post: {parameters: ["+strings.Join(params, ", ")+"]}}}\n"),
		"# header.X-0, header.X-1, header.X-2, header.X-3, header.X-4 and 2 more: a header counts only where fields lists it\n")
}

func TestWhatIsRefusedIsTakenBack(t *testing.T) {
	fresh := func() *Draft {
		candidate, op, shape := supposed(t, withMembers("/a", "idempotencyKey: {type: string}", "amount: {type: string}",
			"lines: {type: array, items: {type: object, properties: {price: {type: string}}}}", "metadata: {type: object}"))
		return New(candidate, op, shape)
	}
	entry := func(d *Draft, path string) *Entry {
		for _, l := range d.Lines("x") {
			if l.Entry != nil && l.Entry.Path == path {
				return l.Entry
			}
		}
		t.Fatal("no entry " + path)
		return nil
	}
	for _, c := range []struct{ path, gone, left string }{
		{"body.amount", "- body.amount: decimal", "      - body.amount\n"},
		{"body.lines[].price", "- body.lines[].price: decimal", "      - body.lines\n"},
		{"body.metadata", "    ignored:", "      - body.metadata\n"},
		{"body.idempotencyKey", "  key:", "      - body.idempotencyKey\n"},
	} {
		d := fresh()
		before := string(Text(d.Lines("x")))
		require.Contains(t, before, c.gone)
		d.Refuse(entry(d, c.path), "because")
		after := string(Text(d.Lines("x")))
		assert.NotContains(t, after, c.gone)
		assert.Contains(t, after, c.left)
		assert.Contains(t, after, c.path)
		assert.Contains(t, after, ": because\n", "the reason stays")
		assert.Empty(t, d.Left)
	}
	d := fresh()
	d.Refuse(entry(d, "body.lines"), "because")
	assert.Equal(t, "because", d.Left, "there is nothing left to take back")
}

func TestTextOfADocumentStaysInItsComment(t *testing.T) {
	for _, text := range []string{"a\nb", "a\r\nb", "a\u0085b", "a\u2028b", "a\u2029b", "a\x1b[2Jb", "a\u202eb"} {
		got := comment(text)
		assert.Equal(t, "# a\uFFFD", got[:6], "%q", text)
		assert.True(t, strings.HasSuffix(got, "b"), "%q", text)
	}
}
