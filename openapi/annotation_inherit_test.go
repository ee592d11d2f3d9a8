package openapi

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi/diag"
)

// levels decodes the blocks of a root, a path item and an operation and gives what holds; "" is a level without a block.
func levels(t *testing.T, root, item, operation string) (Annotation, *diag.List) {
	t.Helper()
	ds := &diag.List{}
	var blocks [3]Annotation
	for i, text := range []string{root, item, operation} {
		if text == "" {
			continue
		}
		s, found := parseSource([]string{"root", "item", "op"}[i], []byte(text))
		require.Empty(t, short(found))
		switch i {
		case 0:
			blocks[i], _ = decodeDefaults(s, s.root, ds)
		case 1:
			blocks[i] = decodePathDefaults(s, s.root, ds)
		case 2:
			blocks[i] = decodeAnnotation(s, s.root, ds)
		}
	}
	merged := inheritAnnotation(blocks[0], blocks[1], blocks[2])
	checkAnnotation(blocks[2], merged, ds)
	return merged, ds
}

// For each member: written at all levels the lowest one holds, wholly; left out below, the next one holds.
func TestInheritTakesTheLowestLevelOfEachMember(t *testing.T) {
	for member, c := range map[string]struct {
		values [3]string
		got    func(a Annotation) (diag.Pos, string)
	}{
		"key": {[3]string{"{from: header.A, required: false}", "{from: header.B}", "{length: [1, 9]}"}, func(a Annotation) (diag.Pos, string) {
			k := a.Key.Value
			return a.Key.Pos, fmt.Sprint(k.From.Set, k.Required.Set, k.MaxLength.Set)
		}},
		"scope":       {[3]string{"[a]", "[b]", "[c]"}, func(a Annotation) (diag.Pos, string) { return a.Scope.Pos, scopeText(a.Scope.Value) }},
		"keyspace":    {[3]string{"a", "b", "c"}, func(a Annotation) (diag.Pos, string) { return a.Keyspace.Pos, a.Keyspace.Value }},
		"fingerprint": {[3]string{"all", "none", "{ignored: [body.x]}"}, func(a Annotation) (diag.Pos, string) { return a.Fingerprint.Pos, fmt.Sprint(a.Fingerprint.Value.Mode) }},
		"unique":      {[3]string{"[body.a]", "[body.b]", "[body.c]"}, func(a Annotation) (diag.Pos, string) { return a.Unique.Pos, fmt.Sprint(pathTexts(a.Unique.Value)) }},
		"retention":   {[3]string{"24h", "forever", "P2D"}, func(a Annotation) (diag.Pos, string) { return a.Retention.Pos, a.Retention.Value.Text }},
		"execution":   {[3]string{"transactional", "leased", "transactional"}, func(a Annotation) (diag.Pos, string) { return a.Execution.Pos, a.Execution.Value }},
		"lease":       {[3]string{"1s", "2s", "3s"}, func(a Annotation) (diag.Pos, string) { return a.Lease.Pos, fmt.Sprint(a.Lease.Value) }},
		"takeover":    {[3]string{"hold", "retake", "recover"}, func(a Annotation) (diag.Pos, string) { return a.Takeover.Pos, a.Takeover.Value }},
		"attempts":    {[3]string{"1", "2", "3"}, func(a Annotation) (diag.Pos, string) { return a.Attempts.Pos, fmt.Sprint(a.Attempts.Value) }},
		"concurrent":  {[3]string{"{wait: 1s}", "{wait: 2s}", "reject"}, func(a Annotation) (diag.Pos, string) { return a.Wait.Pos, fmt.Sprint(a.Wait.Value) }},
		"keep":        {[3]string{"{except: [400]}", "{except: [401]}", "{except: []}"}, func(a Annotation) (diag.Pos, string) { return a.KeepExcept.Pos, fmt.Sprint(plain(a.KeepExcept.Value)) }},
		"replay": {[3]string{"{headers: [A], marker: M}", "{headers: [B]}", "{}"}, func(a Annotation) (diag.Pos, string) {
			return a.Replay.Pos, fmt.Sprint(plain(a.Replay.Headers.Value), a.Replay.Marker.Value)
		}},
		"errors": {[3]string{"{missing: 400, docs: 'https://a/'}", "{missing: 401}", "{}"}, func(a Annotation) (diag.Pos, string) {
			return a.Errors.Pos, fmt.Sprint(a.Errors.Missing.Value, a.Errors.Docs.Value)
		}},
	} {
		block := func(level int) string { return fmt.Sprintf("{%s: %s}", member, c.values[level]) }
		alone := func(level int) string {
			a, _ := levels(t, "", "", block(level))
			_, text := c.got(a)
			return text
		}
		require.NotEqual(t, alone(0), alone(1), member)
		require.NotEqual(t, alone(1), alone(2), member)
		for _, levelsGiven := range []struct {
			root, item, op string
			file           string
			holds          int
		}{
			{block(0), block(1), block(2), "op", 2},
			{block(0), block(1), "required", "item", 1},
			{block(0), "", "{}", "root", 0},
			{"", block(1), "optional", "item", 1},
			{block(0), "", block(2), "op", 2},
		} {
			a, _ := levels(t, levelsGiven.root, levelsGiven.item, levelsGiven.op)
			pos, text := c.got(a)
			assert.Equal(t, alone(levelsGiven.holds), text, "%s of %v", member, levelsGiven)
			assert.Equal(t, levelsGiven.file, pos.File, "%s of %v", member, levelsGiven)
		}
	}
}

func TestInheritKeepsWhatIsTheOperationsAlone(t *testing.T) {
	a, ds := levels(t, "{scope: [tenant]}", "{retention: 48h}", "{name: pay}")
	require.Empty(t, short(*ds))
	assert.Equal(t, "op:1:1", a.Pos.String())
	assert.Equal(t, ModeObject, a.Mode.Value)
	assert.Equal(t, "pay", a.Name.Value)
	assert.Equal(t, "op:1:1", a.Unique.Pos.String(), "what nobody wrote stands at the operation's annotation")

	a, ds = levels(t, "{scope: [tenant]}", "", "optional")
	require.Empty(t, short(*ds))
	assert.Equal(t, ModeOptional, a.Mode.Value)
	assert.Equal(t, "tenant", scopeText(a.Scope.Value))

	a, _ = levels(t, "", "", "required")
	assert.False(t, a.Broken)
	a, _ = levels(t, "{scope: tenant}", "", "required")
	assert.True(t, a.Broken, "what is inherited could not be read")
}

func TestLeasedMembersNeedALeasedOperation(t *testing.T) {
	for _, c := range []struct{ root, item, operation, want string }{
		{"", "", "{lease: 30s}", "1:9 222 this operation is transactional"},
		{"", "", "{execution: transactional, takeover: hold, attempts: 2}", "1:38 222 takeover; 1:54 222 attempts"},
		{"{execution: leased}", "{execution: transactional}", "{lease: 30s}", "1:9 222 lease"},
		{"{execution: leased}", "", "{lease: 30s, takeover: hold}", ""},
		{"{lease: 30s, attempts: 2}", "{takeover: hold}", "{execution: transactional}", ""},
		{"{lease: 30s}", "", "required", ""},
		{"", "", "{execution: leazed, lease: 30s}", "1:13 205 leased"},
		{"{execution: leazed}", "", "{lease: 30s}", "1:13 205 leased"},
		{"", "", "{execution: leased, lease: 30s, takeover: retake, attempts: 1}", ""},
	} {
		_, ds := levels(t, c.root, c.item, c.operation)
		if c.want == "" {
			assert.Empty(t, short(*ds), c.operation)
			continue
		}
		checkFindings(t, c.operation, *ds, c.want)
	}
}

func TestDefaultsAreObjectsOfWhatSeveralOperationsShare(t *testing.T) {
	for _, c := range []struct{ root, item, want string }{
		{"required", "", "1:1 224 required is said of an operation"},
		{"false", "", "1:1 224 false is said of an operation"},
		{"", "exempt", "1:1 224 exempt is said of an operation"},
		{"", "whatever", "1:1 201 defaults must be an object"},
		{"{exempt: why}", "", "1:2 225 exempt is said of one operation"},
		{"{name: a, scope: [t]}", "", "1:2 225 name belongs to one operation"},
		{"", "{operations: {a: required}}", "1:2 225 operations stands only"},
		{"{nam: a, scope: [t]}", "", `1:2 203 no member "nam"`},
	} {
		_, ds := levels(t, c.root, c.item, "")
		checkFindings(t, c.root+c.item, *ds, c.want)
		for _, d := range ds.All() {
			assert.NotContains(t, d.Hint, "name", "what would be refused is not recommended")
		}
	}
}

func TestDefaultsHoldBlocksOfOperations(t *testing.T) {
	s, found := parseSource("a.yaml", []byte(`scope: [tenant]
operations:
  createPayment: required
  createRefund: {name: refund, execution: leasing}
  "exports/create": {exempt: reads only}
  createTransfer: {operations: {}}
`))
	require.Empty(t, short(found))
	var ds diag.List
	defaults, operations := decodeDefaults(s, s.root, &ds)
	checkFindings(t, "operations", ds, "4:43 205 leased; 6:20 225 operations stands only")
	assert.True(t, defaults.Broken)
	require.Len(t, operations, 4)
	assert.Equal(t, ModeRequired, operations["createPayment"].Mode.Value)
	assert.Equal(t, "createPayment", operations["createPayment"].Entry)
	assert.Equal(t, "refund", operations["createRefund"].Name.Value)
	assert.True(t, operations["createRefund"].Broken)
	assert.False(t, operations["createPayment"].Broken)
	assert.Equal(t, ModeExempt, operations["exports/create"].Mode.Value)

	_, operations = decodeDefaults(s, child(s.root, "scope"), &ds)
	assert.Empty(t, operations)
}
