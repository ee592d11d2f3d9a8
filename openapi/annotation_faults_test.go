package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

// Each line: the annotation, then for every diagnostic its column, code and a part of its message, then its hint.
var faults = []struct {
	text string
	want string // "col code message; col code message"
	hint string // of the first one
}{
	// forms
	{"mandatory", "1 201 not \"mandatory\"", "required"},
	{"requird", "1 201 requird", "required"},
	{"Exempt", "1 201 Exempt", "exempt"},
	{`"true"`, "1 201 not \"true\"", "required"},
	{"yes", "1 201 yes", "required"},
	{"1", "1 201 not 1", "required"},
	{"~", "1 201 not empty", "required"},
	{"[required]", "1 201 not a list", "required"},
	{"{key: header, first: 1, repeat: 2}", `2 202 it has "key", "first", "repeat"`, ""},
	{"{header: X-Id, ttl: 5}", `2 202 the members known here are name, key, scope, keyspace`, ""},
	{"{enabled: true}", "2 202 another tool", ""},
	{"{scpoe: [tenant]}", `2 203 no member "scpoe"`, "scope"},
	{"{scope: [tenant], ttl: 5}", `19 203 no member "ttl"`, ""},
	{"{key: header.X-Id, ttl: 5}", `20 203 no member "ttl"`, ""},
	{"{scope: tenant, ttl: 5}", `9 204 scope must be a list; 17 203 no member "ttl"`, "scope: [tenant]"},
	{"{Scope: [tenant], keep_: {except: []}}", `2 203 "Scope"; 19 203 "keep_"`, "scope"},
	{"{operations: {}}", "2 225 operations stands only", ""},

	// name, keyspace
	{"{name: 5}", "8 204 name must be text, not 5", `name: "5"`},
	{"{name: }", "8 204 name must be text, not empty", ""},
	{"{name: ''}", "8 214 name is empty", ""},
	{"{name: ' x'}", "8 214 blank", ""},
	{`{name: "a\u202eb"}`, "8 214 cannot be seen", ""},
	{`{keyspace: "a\nb"}`, "12 214 cannot be seen", ""},
	{"{keyspace: [a]}", "12 204 keyspace must be text, not a list", ""},
	{"{keyspace: " + strings.Repeat("k", 201) + "}", "12 214 longer than 200", ""},

	// key
	{"{key: idempotency}", `7 210 character 1: a field path begins with`, ""},
	{"{key: X-Request-Id}", `7 210 not with "X-Request-Id"`, "header.X-Request-Id"},
	{"{key: {from: X-Request-Id, required: true}}", `14 210 not with "X-Request-Id"`, "header.X-Request-Id"},
	{"{key: optional}", `7 210 not with "optional"`, "key: {required: false}"},
	{"{key: required}", `7 210 not with "required"`, "key: {required: true}"},
	{"{key: {from: optional}}", `14 210 not with "optional"`, "required: false"},
	{"{key: 'a-b c'}", `8 210 a field path begins with`, ""},
	{"{scope: [user.X-Id]}", `10 210 not with "user"`, ""},
	{"{key: headr.X-Id}", `7 210 not with "headr"`, "header.X-Id"},
	{"{key: header.X Y}", `15 210 character 9`, `header["X Y"]`},
	{"{key: 'header.X Y'}", `16 210 character 9`, `header["X Y"]`},
	{"{key: 7}", "7 204 key must be a field path", ""},
	{"{key: [header.A, header.B]}", "7 204 one field path, not a list", ""},
	{"{key: body}", "7 211 one value", ""},
	{"{key: 'body.a[].b'}", "7 211 names many", ""},
	{"{key: body.a.*}", "7 211 names many", ""},
	{"{key: {from: [header.A]}}", "14 204 key.from takes one", ""},
	{"{key: {form: header.A}}", `8 203 key has no member "form"`, "from"},
	{"{key: {optional: true}}", `8 203 key has no member "optional"`, "required: false"},
	{"{key: {optional: false}}", `8 203 key has no member "optional"`, "required: true"},
	{"{key: {required: yes}}", `18 204 key.required must be true or false, not "yes"`, ""},
	{"{key: {length: 45}}", "16 204 two integers", "length: [1, 45]"},
	{"{key: {length: [1]}}", "16 204 two integers", "length: [1, 255]"},
	{"{key: {length: [0, 256]}}", "17 213 from 1 to 255, not 0; 20 213 not 256", ""},
	{"{key: {length: [9, 3]}}", "16 213 minimum 9 is above", ""},
	{"{key: {length: [a, 1.5]}}", `17 204 an integer, not "a"; 20 204 not 1.5`, ""},
	{"{key: {length: [1, 99999999999999999999]}}", "20 213 not 99999999999999999999", ""},
	{"{key: {format: guid}}", `16 205 uuid, not "guid"`, "format: uuid"},

	// scope
	{"{scope: [tenant, tenant]}", `18 220 scope has "tenant" twice`, ""},
	{"{scope: [header.Org, 'header[\"org\"]']}", `22 220 twice`, ""},
	{"{scope: [tenant, global]}", "18 221 global stands alone", "scope: [global]"},
	{"{scope: [global, 5]}", "18 204 an entry of scope; 10 221 global stands alone", ""},
	{"{scope: []}", "9 206 empty list", ""},
	{"{scope: [1tenant]}", "10 221 neither a field path nor a word", ""},
	{"{scope: [user.id]}", `10 210 not with "user"`, ""},
	{"{scope: [body]}", "10 211 one value", ""},
	{"{scope: [path]}", "14 210 path needs a name", ""},
	{"{scope: ['body.a[]']}", "10 211 names many", ""},
	{"{scope: {now: [tenant]}}", "9 221 both now and before", "scope: [tenant]"},
	{"{scope: {now: [tenant], befor: [user]}}", `25 203 "befor"; 9 221 both now and before`, "before"},
	{"{scope: {now: [a, b], before: [a, b]}}", "9 221 the same as", ""},
	{"{scope: {now: [a, 1], before: [global, a]}}", "19 204 an entry of scope.now; 32 221 global stands alone", ""},

	// fingerprint
	{"{fingerprint: al}", `15 205 all or none, not "al"`, "fingerprint: all"},
	{"{fingerprint: true}", "15 205 all or none, not true", ""},
	{"{fingerprint: [body.a]}", "15 204 belongs into its member fields", "fingerprint: {fields: […]}"},
	{"{fingerprint: {fields: none}}", `24 205 all or a list, not "none"`, "fingerprint: none"},
	{"{fingerprint: {fields: {body.a: exact}}}", "24 204 fingerprint.fields must be a list", ""},
	{"{fingerprint: {fields: [body.a: decimel]}}", `33 205 not "decimel"`, "body.a: decimal"},
	{"{fingerprint: {fields: [body.a: ]}}", "31 206 body.a: has no normaliser", "- body.a"},
	{"{fingerprint: {fields: [{body.a: exact, body.b: int}]}}", "25 204 one field path, not 2", ""},
	{"{fingerprint: {fields: [{}]}}", "25 204 one field path, not 0", ""},
	{"{fingerprint: {fields: [[body.a]]}}", "25 204 must be a field path such as body.amount", ""},
	{"{fingerprint: {fields: [body.a: {as: exact, nul: absent, null: none, default: materialize, sensitive: 1}]}}",
		`45 203 "nul"; 64 205 distinct or absent; 79 205 distinct or materialise; 103 204 sensitive must be true or false, not 1`, "null"},
	{"{fingerprint: {fields: [body.a: [exact]]}}", "33 205 not a list", ""},
	{"{fingerprint: {fields: [body.a, 'body[\"a\"]', body.a: int]}}", "33 220 twice; 46 220 twice", ""},
	{"{fingerprint: {fields: [body.a], ignored: [body.a]}}", "44 220 both in fields and in ignored", ""},
	{"{fingerprint: {fields: [header.x-a], ignored: [header.X-A]}}", "48 220 header.X-A is both", ""},
	{"{fingerprint: {ignored: [header.X, header.x, body.a: exact]}}", "36 220 twice; 46 204 field path", ""},
	{"{fingerprint: {ignored: body.a}}", "25 204 fingerprint.ignored must be a list", "ignored: [body.a]"},
	{"{fingerprint: {unknown: allow}}", "25 205 reject, ignore or include", ""},
	{"{fingerprint: {view: a-b}}", "22 214 not a Go identifier", ""},
	{"{fingerprint: {view: func}}", "22 214 not a Go identifier", ""},
	{"{fingerprint: {view: größe}}", "22 214 not a Go identifier", ""},
	{"{fingerprint: {view: {name: a-b, sensitive: 1}}}", "29 214 fingerprint.view.name; 45 204 fingerprint.view.sensitive must be true or false, not 1", ""},
	{"{fingerprint: {view: {sensitive: true}}}", "22 206 names no function", "view: {name: claims}"},
	{"{fingerprint: {view: {}}}", "22 206 names no function", "view: {name: claims}"},
	{"{fingerprint: {view: {nam: claims}}}", "23 203 \"nam\"", "name"},
	{"{fingerprint: {view: [claims]}}", "22 204 fingerprint.view must be text, not a list", ""},
	{"{fingerprint: {view: " + strings.Repeat("v", 201) + "}}", "22 214 longer than 200 bytes", ""},
	{"{fingerprint: {viow: claims}}", "16 203 \"viow\"", "view"},
	{"{fingerprint: {fields: [body.a: {sensitve: true}]}}", "34 203 \"sensitve\"", "sensitive"},
	{"{unique: [body.a, body.a]}", "19 220 twice", ""},
	{"{unique: body.a}", `10 204 unique must be a list, not "body.a"`, "unique: [body.a]"},
	{"{unique: []}", "10 206 empty list", ""},
	{"{unique: ['body.a[]', body..b]}", "11 211 names many; 28 210 character 6", ""},
	{"{unique: [body, body.a.*]}", "11 211 body is all; 17 211 names many", ""},

	// durations
	{"{retention: 86400}", "13 212 has no unit", "retention: 86400s"},
	{"{retention: 0s}", "13 212 no time at all", ""},
	{"{retention: P0D}", "13 212 no time at all", ""},
	{"{retention: -1h}", "13 212 negative", ""},
	{"{retention: 1h30m}", "13 212 is not one number", "retention: 90m"},
	{"{retention: 24H}", "13 212 is not one number", "retention: 24h"},
	{"{retention: 2 weeks}", "13 212 is not one number", "retention: 14d"},
	{"{retention: 30 days}", "13 212 is not one number", "retention: 30d"},
	{"{retention: 1.5h}", "13 212 is not one number", "retention: 90m"},
	{"{retention: 106752d}", "13 212 longer than 292 years", ""},
	{"{retention: 99999999999999999999s}", "13 212 longer than 292 years", ""},
	{"{retention: P106752D}", "13 212 longer than 292 years", ""},
	{"{retention: P106751DT99H}", "13 212 longer than 292 years", ""},
	{"{retention: P1M}", "13 212 years or months", ""},
	{"{retention: P1Y2D}", "13 212 years or months", ""},
	{"{retention: P}", "13 212 no ISO 8601", ""},
	{"{retention: PT}", "13 212 no ISO 8601", ""},
	{"{retention: P1DT}", "13 212 no ISO 8601", ""},
	{"{retention: P1D2W}", "13 212 no ISO 8601", ""},
	{"{retention: P1D1D}", "13 212 no ISO 8601", ""},
	{"{retention: PT1.5H}", "13 212 no ISO 8601", ""},
	{"{retention: long}", "13 212 is not a duration", ""},
	{"{retention: ''}", "13 212 is not a duration", ""},
	{"{retention: [1h]}", "13 204 retention must be a duration", ""},
	{"{execution: leased, lease: forever}", "28 212 only retention may be forever", ""},

	// words and numbers
	{"{execution: lease}", `13 205 transactional or leased`, "execution: leased"},
	{"{execution: leased, takeover: recovery, attempts: 0}", `31 205 recover, retake or hold; 51 213 from 1 to 1000, not 0`, "takeover: recover"},
	{"{execution: leased, attempts: '5'}", `31 204 attempts must be an integer, not "5"`, ""},
	{"{execution: leased, attempts: 0x10}", `31 213 not 0x10`, ""},
	{"{concurrent: wait}", `14 205 reject or {wait: DURATION}`, "concurrent: {wait: 2s}"},
	{"{concurrent: 5s}", `14 205 reject or {wait: DURATION}`, "concurrent: {wait: 5s}"},
	{"{concurrent: [wait]}", `14 205 reject or {wait: DURATION}`, "concurrent: reject"},
	{"{concurrent: rejct}", `14 205 reject or {wait: DURATION}`, "concurrent: reject"},
	{"{fingerprint: {fields: [{body.card: sensitive}]}}", `37 205 "sensitive" is no normaliser of body.card: it stands in an object`, "- body.card: {sensitive: true}"},
	{"{fingerprint: {fields: [{body.note: absent}]}}", `37 205 "absent" is no normaliser`, "- body.note: {null: absent}"},
	{"{fingerprint: {fields: [{body.note: materialize}]}}", `37 205 "materialize" is no normaliser`, "- body.note: {default: materialise}"},
	{"{concurrent: {}}", "14 206 it needs wait", "concurrent: reject"},
	{"{concurrent: {wait: 0s}}", "21 212 no time at all", ""},
	{"{concurrent: {waits: 2s}}", `15 203 no member "waits"`, "wait"},

	// HTTP
	{"{keep: {}}", "8 206 it needs except", "keep: {except: [429, 503]}"},
	{"{keep: all}", `8 204 keep must be an object with "except", not "all"`, ""},
	{"{keep: [429, 503]}", `8 204 keep must be an object with "except", not a list`, "keep: {except: [429, 503]}"},
	{"{keep: {except: 503}}", "17 204 keep.except must be a list", ""},
	{"{keep: {except: [200, 302, 399, 600, 503, 503]}}", "18 213 400 to 599, not 200; 23 213 302; 28 213 399; 33 213 600; 43 220 twice", ""},
	{"{keep: {except: [5xx]}}", `18 204 not "5xx"`, ""},
	{"{replay: {headers: [Set-Cookie, www-authenticate, Proxy-Foo, Authorization, Connection, TE, Content-Length, Date, Content-Type]}}",
		"21 216 session; 33 216 authentication; 51 216 authentication; 62 216 authentication; 77 216 connection; 89 216 connection; 93 216 made anew; 109 216 made anew; 115 216 always stored", ""},
	{"{replay: {headers: [Location, location]}}", "31 220 twice", ""},
	{"{replay: {headers: ['X Y', ''], marker: 'a:'}}", `21 215 not a header name; 28 215 ""; 41 215 "a:"`, ""},
	{"{replay: {headers: [ETag], marker: etag}}", "36 220 the marker would hide", ""},
	{"{replay: {headers: [etag], marker: ETag}}", "36 220 the marker would hide", ""},
	{"{replay: {marker: Set-Cookie}}", "19 216 replay.marker: Set-Cookie", ""},
	{"{replay: [Location]}", `10 204 replay must be an object with "headers" or "marker", not a list`, ""},
	{"{errors: {missing: 399, inflight: 409, unknown: 5}}", `20 213 400 to 599; 25 203 "inflight"; 49 213 not 5`, ""},
	{"{errors: {docs: /docs}}", "17 214 absolute http or https", ""},
	{"{errors: {docs: 'https://x/<>'}}", "17 214 absolute http or https", ""},
	{"{errors: {docs: 'javascript:alert(1)'}}", "17 214 absolute http or https", ""},

	// exempt
	{"{exempt: true}", "10 223 not true", "exempt: why"},
	{"{exempt: ''}", `10 223 not ""`, "exempt: why"},
	{"{exempt: why, scope: [tenant]}", "2 223 exempt stands alone", "exempt: why"},
}

func TestDecodeSaysWhatIsWrongAndWhere(t *testing.T) {
	for _, c := range faults {
		a, ds := decodeText(t, c.text)
		assert.True(t, a.Broken, c.text)
		all := ds.All()
		wants := strings.Split(c.want, "; ")
		if !assert.Len(t, all, len(wants), "%s\n%s", c.text, short(*ds)) {
			continue
		}
		for i, want := range inOrder(wants) {
			var col int
			var code string
			_, err := fmt.Sscanf(want, "%d %s", &col, &code)
			require.NoError(t, err, want)
			message := strings.SplitN(want, " ", 3)[2]
			assert.Equal(t, [2]any{col, diag.Code("IDG" + code)}, [2]any{all[i].Pos.Col, all[i].Code}, "%s\n%s", c.text, all[i])
			assert.Contains(t, all[i].Message, message, c.text)
		}
		hint := ""
		for _, d := range all {
			if strings.HasPrefix(wants[0], fmt.Sprint(d.Pos.Col, " ")) {
				hint = d.Hint
			}
		}
		assert.Equal(t, c.hint, hint, c.text)
	}
}

// inOrder sorts expectations by column, as diagnostics are.
func inOrder(wants []string) []string {
	out := append([]string(nil), wants...)
	for i := range out {
		for j := i + 1; j < len(out); j++ {
			var a, b int
			_, _ = fmt.Sscan(out[i], &a)
			_, _ = fmt.Sscan(out[j], &b)
			if b < a {
				out[i], out[j] = out[j], out[i]
			}
		}
	}
	return out
}

// Everything that is wrong is said at once, each fault at its own line.
func TestDecodeReportsAllFaultsAtOnce(t *testing.T) {
	_, ds := decodeText(t, `name: 5
key: {from: headr.X, length: [9, 3]}
scope: tenant
keyspace: ""
fingerprint:
  fields: [body.a: decimel]
  ignored: [body..b]
  unknown: maybe
unique: []
retention: 0s
execution: leasing
takeover: never
attempts: 0
concurrent: wait
keep: {except: [200]}
replay: {headers: [Set-Cookie]}
errors: {docs: x}
retries: 3
`)
	var lines []int
	for _, d := range ds.All() {
		lines = append(lines, d.Pos.Line)
	}
	assert.Equal(t, []int{1, 2, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18}, lines, short(*ds))
}

// A fault is at its character in JSON and between other things on a line, and at the text's start where escapes hide it.
func TestDecodePointsAtTheFaultyCharacter(t *testing.T) {
	for text, col := range map[string]int{
		`{"key": "body.a b"}`:      16,
		`{"key": "body.ä b"}`:      17,
		`{"key": "body.\u0061 b"}`: 16, // the escape is longer than what it means; close is good enough
		`{"key": "body[\"a\"] b"}`: 9,
		`{key:    body..a}`:        15,
		`{key: 'body[''a'']'}`:     7,
		"key: |-\n  body..a\n":     6,
	} {
		_, ds := decodeText(t, text)
		require.Equal(t, 1, ds.Len(), text)
		assert.Equal(t, col, ds.All()[0].Pos.Col, text)
	}
}
