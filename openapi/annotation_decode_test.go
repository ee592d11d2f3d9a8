package openapi

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

// decodeText reads text as the value of an operation's annotation.
func decodeText(t *testing.T, text string) (Annotation, *diag.List) {
	t.Helper()
	s, found := parseSource("a.yaml", []byte(text))
	require.NotNil(t, s, short(found))
	ds := &diag.List{}
	ds.Append(found)
	return decodeAnnotation(s, s.root, ds), ds
}

// everyMember is the example of the language reference with each member in its long form.
const everyMember = `name: createPayment
key: {from: body.idempotency_key, required: false, length: [1, 45], format: uuid}
scope: {now: [tenant, path.accountId], before: [tenant]}
keyspace: payments
fingerprint:
  fields:
    - path.accountId
    - body.amount: decimal
    - body.currency: {as: ascii-upper, null: absent, default: materialise, sensitive: true}
    - body.lines[]: list
    - header.Stripe-Account
  ignored: [body.metadata, body.sentAt, query.expand]
  unknown: reject
  view: claims
unique: [path.accountId, body.merchantReference]
retention: 45d
execution: leased
lease: 30s
takeover: recover
attempts: 5
concurrent: {wait: 2s}
keep: {except: [408, 425]}
replay: {headers: [Location, ETag], marker: Idempotent-Replayed}
errors: {missing: 400, malformed: 401, mismatch: 422, inFlight: 409, unknown: 410, unavailable: 503, docs: "https://example.com/d"}
`

func TestDecodeReadsEveryMember(t *testing.T) {
	a, ds := decodeText(t, everyMember)
	require.Empty(t, short(*ds))
	assert.False(t, a.Broken)
	assert.Equal(t, ModeObject, a.Mode.Value)
	assert.Equal(t, "createPayment", a.Name.Value)
	key := a.Key.Value
	assert.Equal(t, "body.idempotency_key", key.From.Value.String())
	assert.Equal(t, []any{false, true, 1, 45, "uuid"},
		[]any{key.Required.Value, key.Required.Set, key.MinLength.Value, key.MaxLength.Value, key.Format.Value})
	assert.Equal(t, "tenant path.accountId / tenant", scopeText(a.Scope.Value))
	assert.Equal(t, "payments", a.Keyspace.Value)
	assert.Equal(t, 45*24*time.Hour, a.Retention.Value.Duration)
	assert.Equal(t, "45d", a.Retention.Value.Text)
	assert.Equal(t, []any{"leased", 30 * time.Second, "recover", 5, 2 * time.Second},
		[]any{a.Execution.Value, a.Lease.Value, a.Takeover.Value, a.Attempts.Value, a.Wait.Value})
	assert.Equal(t, []int{408, 425}, plain(a.KeepExcept.Value))
	assert.Equal(t, []string{"Location", "ETag"}, plain(a.Replay.Headers.Value))
	assert.Equal(t, "Idempotent-Replayed", a.Replay.Marker.Value)
	e := a.Errors
	assert.Equal(t, []int{400, 401, 422, 409, 410, 503},
		plain([]Val[int]{e.Missing, e.Malformed, e.Mismatch, e.InFlight, e.Unknown, e.Unavailable}))
	assert.Equal(t, "https://example.com/d", e.Docs.Value)
	assert.Equal(t, []string{"path.accountId", "body.merchantReference"}, pathTexts(a.Unique.Value))

	f := a.Fingerprint.Value
	assert.Equal(t, FingerprintFields, f.Mode)
	assert.Equal(t, "reject claims", f.Unknown.Value+" "+f.View.Value.Name)
	assert.False(t, f.View.Value.Sensitive.Set)
	long, ds := decodeText(t, "fingerprint: {view: {name: claims, sensitive: true}}")
	require.Empty(t, short(*ds))
	assert.Equal(t, []any{"claims", true}, []any{long.Fingerprint.Value.View.Value.Name, long.Fingerprint.Value.View.Value.Sensitive.Value})
	assert.Equal(t, []string{"body.metadata", "body.sentAt", "query.expand"}, pathTexts(f.Ignored))
	var rules []string
	for _, r := range f.Fields {
		rules = append(rules, fmt.Sprintf("%s as=%s null=%s default=%s sensitive=%t", r.Path, r.As.Value, r.Null.Value, r.Default.Value, r.Sensitive.Value))
	}
	assert.Equal(t, []string{
		"path.accountId as= null= default= sensitive=false",
		"body.amount as=decimal null= default= sensitive=false",
		"body.currency as=ascii-upper null=absent default=materialise sensitive=true",
		"body.lines[] as=list null= default= sensitive=false",
		"header.Stripe-Account as= null= default= sensitive=false",
	}, rules)
}

func plain[T any](values []Val[T]) (out []T) {
	for _, v := range values {
		out = append(out, v.Value)
	}
	return out
}

func pathTexts(paths []FieldPath) (out []string) {
	for _, p := range paths {
		out = append(out, p.String())
	}
	return out
}

func scopeText(s Scope) string {
	text := func(terms []ScopeTerm) string {
		var out []string
		for _, t := range terms {
			if t.Path != nil {
				out = append(out, t.Path.String())
				continue
			}
			out = append(out, t.Dimension)
		}
		return strings.Join(out, " ")
	}
	if s.Before == nil {
		return text(s.Now)
	}
	return text(s.Now) + " / " + text(s.Before)
}

func TestDecodeReadsShortForms(t *testing.T) {
	for text, want := range map[string]Mode{
		"required": ModeRequired, "true": ModeRequired, "optional": ModeOptional, "exempt": ModeExempt, "false": ModeExempt,
		`"required"`: ModeRequired, "'exempt'": ModeExempt, "{}": ModeObject, "{scope: [tenant]}": ModeObject, "{exempt: why}": ModeExempt,
	} {
		a, ds := decodeText(t, text)
		assert.Empty(t, short(*ds), text)
		assert.Equal(t, want, a.Mode.Value, text)
		assert.True(t, a.Mode.Set, text)
	}
	a, _ := decodeText(t, `{exempt: "sets a flag"}`)
	assert.Equal(t, "sets a flag", a.ExemptReason.Value)
}

// Other ways of writing single members; the text stands in the annotation's only member.
func TestDecodeReadsShorthands(t *testing.T) {
	for text, got := range map[string]func(a Annotation) any{
		"key: header.X-Id → header.X-Id": func(a Annotation) any { return a.Key.Value.From.Value },
		"key: {length: [8, 8]} → 8 8": func(a Annotation) any {
			return fmt.Sprint(a.Key.Value.MinLength.Value, " ", a.Key.Value.MaxLength.Value)
		},
		"scope: [global] → global":                                      func(a Annotation) any { return scopeText(a.Scope.Value) },
		"scope: [user_id, X-y] → user_id X-y":                           func(a Annotation) any { return scopeText(a.Scope.Value) },
		"fingerprint: all → 2 false":                                    modeText,
		"fingerprint: none → 3 false":                                   modeText,
		"fingerprint: {fields: all} → 2 false":                          modeText,
		"fingerprint: {unknown: include} → 2 true":                      modeText,
		"fingerprint: {fields: [], unknown: ignore} → 1 true":           modeText,
		"concurrent: reject → 0s true":                                  func(a Annotation) any { return fmt.Sprint(a.Wait.Value, " ", a.Wait.Set) },
		"keep: {except: []} → [] true":                                  func(a Annotation) any { return fmt.Sprint(a.KeepExcept.Value, " ", a.KeepExcept.Set) },
		"replay: {} → true false":                                       func(a Annotation) any { return fmt.Sprint(a.Replay.Set, " ", a.Replay.Headers.Set) },
		"errors: {} → true false":                                       func(a Annotation) any { return fmt.Sprint(a.Errors.Set, " ", a.Errors.Docs.Set) },
		"retention: forever → true forever":                             func(a Annotation) any { return fmt.Sprint(a.Retention.Value.Forever, " ", a.Retention.Value.Text) },
		"name: payments/create für immer → payments/create für immer":   func(a Annotation) any { return a.Name.Value },
		`scope: [body["a.b"], header.X-Org] → body["a.b"] header.X-Org`: func(a Annotation) any { return scopeText(a.Scope.Value) },
	} {
		in, want, _ := strings.Cut(text, " → ")
		a, ds := decodeText(t, strings.ReplaceAll(in, `body["a.b"]`, `'body["a.b"]'`))
		assert.Empty(t, short(*ds), in)
		assert.Equal(t, want, fmt.Sprint(got(a)), in)
	}
}

func modeText(a Annotation) any {
	return fmt.Sprint(int(a.Fingerprint.Value.Mode), " ", a.Fingerprint.Value.Unknown.Set)
}

// beforeText is what may stand between a value's place and its text.
var beforeText = regexp.MustCompile(`^(&[a-z]+ )?["']?`)

// The same annotation in every dress. What is said must be the same, and every value must stand where its text does.
func TestDecodeKnowsWhereEveryValueStands(t *testing.T) {
	flow := `{key: {from: header.X-Id, length: [2, 45]}, scope: [tenant, path.id], fingerprint: {fields: [{body.amount: decimal}, body.note], ignored: [query.expand]}, retention: 48h, keep: {except: [503]}, replay: {headers: [Location], marker: X-Again}}`
	for dress, text := range map[string]string{
		"flow":   flow,
		"tail":   "\n\n    " + flow,
		"umlaut": `{"x-ä": {a: ü}, x: ` + flow + `}`,
		"block": `
key:
  from: header.X-Id
  length: [2, 45]
scope:
- tenant
- path.id
fingerprint:
  fields:
  - body.amount: decimal
  - body.note
  ignored:
  - query.expand
retention: 48h
keep:
  except:
  - 503
replay:
  headers:
  - Location
  marker: X-Again
`,
		"json": `{"key": {"from": "header.X-Id", "length": [2, 45]}, "scope": ["tenant", "path.id"],
  "fingerprint": {"fields": [{"body.amount": "decimal"}, "body.note"], "ignored": ["query.expand"]},
  "retention": "48h", "keep": {"except": [503]}, "replay": {"headers": ["Location"], "marker": "X-Again"}}`,
		"anchors": `
shared: &shared
  key: &key {from: &from header.X-Id, length: &length [2, 45]}
  retention: &day 48h
x:
  <<: *shared
  key: *key
  scope: [tenant, &id path.id]
  fingerprint: {fields: [{body.amount: decimal}, body.note], ignored: [query.expand]}
  keep: {except: [503]}
  replay:
    <<: [{marker: X-Again}, {headers: [Location], marker: X-Never}]
`,
	} {
		s, found := parseSource(dress, []byte(text))
		require.Empty(t, short(found), dress)
		n := s.root
		if x := memberIndex(n, "x"); x >= 0 {
			n = n.Content[x+1]
		}
		var ds diag.List
		a := decodeAnnotation(s, n, &ds)
		require.Empty(t, short(ds), dress)
		assert.Equal(t, "header.X-Id 2 45", fmt.Sprint(a.Key.Value.From.Value, " ", a.Key.Value.MinLength.Value, " ", a.Key.Value.MaxLength.Value), dress)

		lines := strings.Split(text, "\n")
		seen := 0
		eachPlace(reflect.ValueOf(a), func(value string, pos diag.Pos) {
			seen++
			require.True(t, pos.IsValid(), "%s: %s", dress, value)
			rest := beforeText.ReplaceAllString(lines[pos.Line-1][pos.Col-1:], "")
			assert.True(t, strings.HasPrefix(rest, value), "%s: %s is not at %s: %s", dress, value, pos, lines[pos.Line-1])
		})
		assert.Equal(t, 13, seen, dress)
	}
}

// eachPlace visits the scalars of an annotation that were written, with the text that must stand at their place.
func eachPlace(v reflect.Value, visit func(text string, pos diag.Pos)) {
	switch x := v.Interface().(type) {
	case Val[string]:
		if x.Set {
			visit(x.Value, x.Pos)
		}
		return
	case Val[int]:
		if x.Set {
			visit(fmt.Sprint(x.Value), x.Pos)
		}
		return
	case Val[Retention]:
		if x.Set {
			visit(x.Value.Text, x.Pos)
		}
		return
	case FieldPath:
		if x.In != 0 {
			visit(x.String(), x.Pos)
		}
		return
	case ScopeTerm:
		if x.Path != nil {
			visit(x.Path.String(), x.Pos)
			return
		}
		visit(x.Dimension, x.Pos)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				eachPlace(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachPlace(v.Index(i), visit)
		}
	}
}

// What nobody wrote stands at the annotation's own place.
func TestDecodePlacesWhatIsUnsetAtTheAnnotation(t *testing.T) {
	s, _ := parseSource("a.yaml", []byte("x-idempotency: required\n"))
	var ds diag.List
	a := decodeAnnotation(s, s.root.Content[1], &ds)
	want := diag.Pos{File: "a.yaml", Line: 1, Col: 16}
	for _, pos := range []diag.Pos{a.Pos, a.Name.Pos, a.Key.Pos, a.Key.Value.From.Pos, a.Scope.Pos, a.Fingerprint.Pos,
		a.Fingerprint.Value.Unknown.Pos, a.Retention.Pos, a.Wait.Pos, a.KeepExcept.Pos, a.Replay.Pos, a.Replay.Headers.Pos,
		a.Errors.Pos, a.Errors.Missing.Pos, a.Errors.Docs.Pos, a.Lease.Pos} {
		assert.Equal(t, want, pos)
	}
}
