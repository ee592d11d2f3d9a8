package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

// allVectors gives every vector of a contract without a bound, and the names of candidates that do not hold: there must be none.
func allVectors(t *testing.T, c *canon.Contract, template string) []vector.Vector {
	t.Helper()
	m := newVectorMaker(c, template)
	typical, ok := m.wholeRequests()
	require.True(t, ok)
	m.bodyVectors(typical)
	m.paramVectors()
	made, left := m.choose(len(m.candidates))
	assert.Zero(t, left)
	hold := map[string]bool{}
	for _, v := range made {
		hold[v.Name] = true
	}
	for _, c := range m.candidates {
		assert.True(t, hold[c.vector.Name], "made, and does not hold: %+v", c.vector)
	}
	return made
}

// short writes a vector as the lock does, without canonical texts and digests.
func short(v vector.Vector) string {
	v.Canonical, v.SHA256 = "", ""
	return strings.Join(vectorFacts(&v), ", ")
}

func shorts(vectors []vector.Vector) []string {
	out := make([]string, len(vectors))
	for i, v := range vectors {
		out[i] = short(v)
	}
	return out
}

func leafNode(as canon.Normaliser) *canon.Node { return &canon.Node{Kind: canon.LeafNode, As: as} }

// Every kind of field has its vectors, and each of them holds.
func TestVectorsOfAContract(t *testing.T) {
	line := &canon.Node{Kind: canon.ObjectNode, Unknown: canon.IgnoreUnknown, Members: []canon.NodeMember{{Name: "sku", Required: true, Node: leafNode(canon.Exact)}}}
	at := leafNode(canon.Instant)
	at.Null = canon.NullAbsent
	note := leafNode(canon.ASCIITrim)
	note.Null = canon.NullDistinct
	c := &canon.Contract{
		Name: "createPayment", ID: "5d0c1f7a92b4e863", Accepts: []canon.Media{canon.JSON}, BodyRequired: true,
		Body: &canon.Node{Kind: canon.ObjectNode, Unknown: canon.IncludeUnknown, Members: []canon.NodeMember{
			{Name: "active", Default: "true", Node: leafNode(canon.Boolean)},
			{Name: "amount", Required: true, Node: leafNode(canon.Decimal)},
			{Name: "at", Node: at},
			{Name: "labels", Node: &canon.Node{Kind: canon.MapNode, Elem: leafNode(canon.Int)}},
			{Name: "lines", Node: &canon.Node{Kind: canon.ArrayNode, Array: canon.Set, Elem: line}},
			{Name: "note", Node: note},
			{Name: "skip", Ignored: true},
		}},
		Params: []canon.Param{
			{In: canon.InHeader, Name: "x-tags", As: canon.Exact, Array: canon.List, Split: ','},
			{In: canon.InPath, Name: "accountId", Index: 0, As: canon.UUID, Required: true},
			{In: canon.InQuery, Name: "dry run", As: canon.Exact, Default: `"no"`},
			{In: canon.InQuery, Name: "limit", As: canon.Int, Required: true},
		},
	}
	typical := `{"active":false,"amount":3.5,"at":"2026-01-02T03:04:04Z","labels":{"key":6},"lines":[{"sku":"sku"},{"sku":"sku2"}],"note":"note"}`
	lessThanTypical := strings.TrimSuffix(strings.TrimPrefix(typical, "{"), "}")
	assert.Equal(t, []string{
		`name: minimal, request: {body: '{"amount":2.5}', path: {accountId: '0000000a-0000-4000-8000-000000000002', other: 'x'}, query: 'limit=4'}`,
		`name: typical, request: {body: '` + typical + `', path: {accountId: '0000000a-0000-4000-8000-000000000002', other: 'x'}, ` +
			`query: 'dry+run=dryrun&limit=4', header: {x-tags: 'xtags,xtags2'}}`,
		`name: all, like: typical, set: {body.skip: '"x"'}`,
		`name: 'another JSON type', like: typical, request: {type: 'application/vnd.api+json; charset=UTF-8'}`,
		`name: 'members in another order, with white space', like: typical, request: {body: ' {"note":"note" , "lines":[{"sku":"sku"},{"sku":"sku2"}] , ` +
			`"labels":{"key":6} , "at":"2026-01-02T03:04:04Z" , "amount":3.5 , "active":false} '}`,
		`name: 'a member twice', refused: typical, request: {body: '{` + lessThanTypical + `,"active":false}'}`,
		`name: 'a name in another case', refused: typical, set: {body.ACTIVE: 'false'}`,
		`name: 'beyond ASCII', unlike: typical, set: {'body.lines[].sku': "\"\xe9\u20ac\U0001f600\\\"\\\\/\\u0001\""}`,
		`name: 'beyond ASCII as escapes', like: 'beyond ASCII', set: {'body.lines[].sku': '"\u00E9\u20ac\ud83d\ude00\u0022\u005c\/\u0001"'}`,
		`name: 'a letter and its accent apart', unlike: 'beyond ASCII', set: {'body.lines[].sku': '"e\u0301\u20ac\ud83d\ude00\"\\/\u0001"'}`,
		`name: 'body with an undeclared member', unlike: typical, set: {body.undeclared: '1'}`,
		`name: 'body is no object', refused: typical, set: {body: '[]'}`,
		`name: 'body absent', refused: typical, remove: [body]`,
		`name: 'body null', refused: typical, set: {body: 'null'}`,
		`name: 'body.active matters', unlike: typical, set: {body.active: 'true'}`,
		`name: 'body.active is no boolean', refused: typical, set: {body.active: '"false"'}`,
		`name: 'body.active absent', unlike: typical, remove: [body.active]`,
		`name: 'body.active null', refused: typical, set: {body.active: 'null'}`,
		`name: 'body.active as its default', like: 'body.active absent', set: {body.active: 'true'}`,
		`name: 'body.amount matters', unlike: typical, set: {body.amount: '3.51'}`,
		`name: 'body.amount spelled otherwise', like: typical, set: {body.amount: '35e-1'}`,
		`name: 'body.amount is no number', refused: typical, set: {body.amount: '"NaN"'}`,
		`name: 'body.amount absent', refused: typical, remove: [body.amount]`,
		`name: 'body.amount null', refused: typical, set: {body.amount: 'null'}`,
		`name: 'body.at matters', unlike: typical, set: {body.at: '"2026-01-02T03:04:04.5Z"'}`,
		`name: 'body.at spelled otherwise', like: typical, set: {body.at: '"2026-01-02T04:04:04+01:00"'}`,
		`name: 'body.at is no date-time', refused: typical, set: {body.at: '"2026-01-02"'}`,
		`name: 'body.at absent', unlike: typical, remove: [body.at]`,
		`name: 'body.at null', like: 'body.at absent', set: {body.at: 'null'}`,
		`name: 'body.labels with one entry more', unlike: typical, set: {body.labels.other: '2'}`,
		`name: 'body.labels is no object', refused: typical, set: {body.labels: '[]'}`,
		`name: 'body.labels absent', unlike: typical, remove: [body.labels]`,
		`name: 'body.labels null', refused: typical, set: {body.labels: 'null'}`,
		`name: 'body.labels.key matters', unlike: typical, set: {body.labels.key: '7'}`,
		`name: 'body.labels.key spelled otherwise', like: typical, set: {body.labels.key: '"6"'}`,
		`name: 'body.labels.key is no integer', refused: typical, set: {body.labels.key: '6.0'}`,
		`name: 'body.labels.key absent', unlike: typical, remove: [body.labels.key]`,
		`name: 'body.labels.key null', refused: typical, set: {body.labels.key: 'null'}`,
		`name: 'body.lines with one element less', unlike: typical, set: {body.lines: '[{"sku":"sku"}]'}`,
		`name: 'body.lines in another order', like: typical, set: {body.lines: '[{"sku":"sku2"},{"sku":"sku"}]'}`,
		`name: 'body.lines with an element twice', like: typical, set: {body.lines: '[{"sku":"sku"},{"sku":"sku2"},{"sku":"sku2"}]'}`,
		`name: 'body.lines is no array', refused: typical, set: {body.lines: '{}'}`,
		`name: 'body.lines absent', unlike: typical, remove: [body.lines]`,
		`name: 'body.lines null', refused: typical, set: {body.lines: 'null'}`,
		`name: 'body.lines empty', unlike: 'body.lines absent', set: {body.lines: '[]'}`,
		`name: 'body.lines[] with an undeclared member', like: typical, set: {'body.lines[].undeclared': '1'}`,
		`name: 'body.lines[] is no object', refused: typical, set: {'body.lines[]': '[]'}`,
		`name: 'body.lines[] null', refused: typical, set: {'body.lines[]': 'null'}`,
		`name: 'body.lines[].sku matters', unlike: typical, set: {'body.lines[].sku': '"skux"'}`,
		`name: 'body.lines[].sku is no text', refused: typical, set: {'body.lines[].sku': '1'}`,
		`name: 'body.lines[].sku absent', refused: typical, remove: ['body.lines[].sku']`,
		`name: 'body.lines[].sku null', refused: typical, set: {'body.lines[].sku': 'null'}`,
		`name: 'body.lines[].sku empty', unlike: typical, set: {'body.lines[].sku': '""'}`,
		`name: 'body.note matters', unlike: typical, set: {body.note: '"notex"'}`,
		`name: 'body.note spelled otherwise', like: typical, set: {body.note: '" note\n"'}`,
		`name: 'body.note is no text', refused: typical, set: {body.note: '1'}`,
		`name: 'body.note absent', unlike: typical, remove: [body.note]`,
		`name: 'body.note null', unlike: 'body.note absent', set: {body.note: 'null'}`,
		`name: 'body.note empty', unlike: 'body.note absent', set: {body.note: '""'}`,
		`name: 'query in another order, with an undeclared name', like: typical, request: {query: 'undeclared=1&limit=4&dry+run=dryrun'}`,
		`name: 'header.x-tags matters', unlike: typical, request: {header: {x-tags: 'xtagsx,xtags2'}}`,
		`name: 'header.x-tags in another order', unlike: typical, request: {header: {x-tags: 'xtags2,xtags'}}`,
		`name: 'header.x-tags absent', unlike: typical, remove: [header.x-tags]`,
		`name: 'path.accountId matters', unlike: typical, request: {path: {accountId: '0000000a-0000-4001-8000-000000000002'}}`,
		`name: 'path.accountId spelled otherwise', like: typical, request: {path: {accountId: '0000000A-0000-4000-8000-000000000002'}}`,
		`name: 'path.accountId is no UUID', refused: typical, request: {path: {accountId: '0'}}`,
		`name: 'query["dry run"] matters', unlike: typical, request: {query: 'limit=4&dry+run=dryrunx'}`,
		`name: 'query["dry run"] spelled otherwise', like: typical, request: {query: 'limit=4&dry+run=%64ryrun'}`,
		`name: 'query["dry run"] absent', unlike: typical, remove: ['query["dry run"]']`,
		`name: 'query["dry run"] without a value', unlike: 'query["dry run"] absent', request: {query: 'limit=4&dry+run'}`,
		`name: 'query["dry run"] empty', unlike: 'query["dry run"] absent', request: {query: 'limit=4&dry+run='}`,
		`name: 'query["dry run"] as its default', like: 'query["dry run"] absent', request: {query: 'limit=4&dry+run=no'}`,
		`name: 'query.limit matters', unlike: typical, request: {query: 'dry+run=dryrun&limit=5'}`,
		`name: 'query.limit spelled otherwise', like: typical, request: {query: 'dry+run=dryrun&limit=%34'}`,
		`name: 'query.limit is no integer', refused: typical, request: {query: 'dry+run=dryrun&limit=4.0'}`,
		`name: 'query.limit absent', refused: typical, remove: [query.limit]`,
	}, shorts(allVectors(t, c, "/accounts/{accountId}/payments/{other}")))
}

// Each normaliser has one equal spelling where there is one, one that differs and one that is refused.
func TestVectorsOfEveryNormaliser(t *testing.T) {
	for as, want := range map[canon.Normaliser][3]string{
		canon.Exact: {"", `"fieldx"`, "1"}, canon.Int: {`"2"`, "3", "2.0"}, canon.Decimal: {"25e-1", "2.51", `"NaN"`}, canon.Double: {"25e-1", "2.25", `"2.5"`},
		canon.Boolean: {"", "false", `"true"`}, canon.Instant: {`"2026-01-02T04:04:02+01:00"`, `"2026-01-02T03:04:02.5Z"`, `"2026-01-02"`},
		canon.UUID: {`"0000000A-0000-4000-8000-000000000002"`, `"0000000a-0000-4001-8000-000000000002"`, `"0"`}, canon.Base64: {"", `"ZmllbGR4"`, `"ZmllbGQ=!"`},
		canon.ASCIILower: {`"FIELD"`, `"fieldx"`, "1"}, canon.ASCIIUpper: {`"field"`, `"FIELDx"`, "1"}, canon.ASCIITrim: {`" field\n"`, `"fieldx"`, "1"},
		canon.Generic: {`{"field":2.0}`, `{"field":"2"}`, `{"field":1,"field":1}`},
	} {
		t.Run(as.String(), func(t *testing.T) {
			body := &canon.Node{Kind: canon.ObjectNode, Members: []canon.NodeMember{{Name: "field", Required: true, Node: leafNode(as)}}}
			var got [3]string
			for _, v := range allVectors(t, &canon.Contract{Accepts: []canon.Media{canon.JSON}, BodyRequired: true, Body: body}, "/") {
				switch rest, ok := strings.CutPrefix(v.Name, "body.field "); {
				case !ok:
				case rest == "spelled otherwise":
					got[0] = v.Set[0].JSON
				case rest == "matters":
					got[1] = v.Set[0].JSON
				case strings.HasPrefix(rest, "is no "):
					got[2] = v.Set[0].JSON
				}
			}
			assert.Equal(t, want, got)
			for _, in := range []canon.In{canon.InHeader, canon.InPath, canon.InQuery} {
				for _, array := range []canon.ArrayKind{0, canon.List, canon.Set, canon.Multiset} {
					split := byte(',')
					if array == 0 || in == canon.InQuery {
						split = 0
					}
					p := canon.Param{In: in, Name: "field", As: as, Required: true, Array: array, Split: split}
					made := allVectors(t, &canon.Contract{Params: []canon.Param{p}}, "/{field}")
					assert.GreaterOrEqual(t, len(made), 2, "%d %d", in, array)
				}
			}
		})
	}
}

// A union shows all its branches, and what is none of them.
func TestVectorsOfUnions(t *testing.T) {
	branch := func(members ...canon.NodeMember) *canon.Node {
		return &canon.Node{Kind: canon.ObjectNode, Members: append(members, canon.NodeMember{Name: "type", Required: true, Node: leafNode(canon.Exact)})}
	}
	card := branch(canon.NodeMember{Name: "number", Required: true, Node: leafNode(canon.Exact)})
	cash := branch()
	discriminated := &canon.Node{Kind: canon.UnionNode, Union: &canon.Union{Discriminator: "type", Branches: []canon.Branch{{Label: "card", Node: card}, {Label: "cash", Node: cash}}}}
	byType := &canon.Node{Kind: canon.UnionNode, Null: canon.NullDistinct, Union: &canon.Union{Branches: []canon.Branch{
		{Label: "string", Node: leafNode(canon.Exact)}, {Label: "number", Node: leafNode(canon.Int)}, {Label: "array", Node: &canon.Node{Kind: canon.ArrayNode, Array: canon.List, Elem: leafNode(canon.Int)}}}}}
	body := &canon.Node{Kind: canon.ObjectNode, Members: []canon.NodeMember{{Name: "method", Required: true, Node: discriminated}, {Name: "reference", Node: byType}}}
	got := shorts(allVectors(t, &canon.Contract{Accepts: []canon.Media{canon.JSON}, BodyRequired: true, Body: body}, "/"))
	for _, want := range []string{
		`name: typical, request: {body: '{"method":{"number":"number","type":"card"},"reference":"reference"}'}`,
		`name: 'body.method as cash', unlike: typical, set: {body.method: '{"type":"cash"}'}`,
		`name: 'body.method is no branch', refused: typical, set: {body.method: '{"type":"none"}'}`,
		`name: 'body.method.number matters', unlike: typical, set: {body.method.number: '"numberx"'}`,
		`name: 'body.reference as number', unlike: typical, set: {body.reference: '1'}`,
		`name: 'body.reference as array', unlike: typical, set: {body.reference: '[2]'}`,
		`name: 'body.reference is no branch', refused: typical, set: {body.reference: '{}'}`,
		`name: 'body.reference null', unlike: 'body.reference absent', set: {body.reference: 'null'}`,
	} {
		assert.Contains(t, got, want)
	}
	for _, v := range got {
		assert.NotContains(t, v, "body.method.type matters", "another type would be another branch")
	}
}

// A type that holds itself is followed once; one that requires itself has no value, so its contract has no vectors.
func TestVectorsOfRecursiveTypes(t *testing.T) {
	tree := &canon.Node{Kind: canon.ObjectNode}
	tree.Members = []canon.NodeMember{
		{Name: "children", Node: &canon.Node{Kind: canon.ArrayNode, Array: canon.List, Elem: tree}},
		{Name: "name", Required: true, Node: leafNode(canon.Exact)},
		{Name: "parent", Node: tree},
	}
	c := &canon.Contract{Accepts: []canon.Media{canon.JSON}, BodyRequired: true, Body: tree}
	assert.Contains(t, shorts(allVectors(t, c, "/")), `name: typical, request: {body: '{"children":[],"name":"name"}'}`)

	endless := &canon.Node{Kind: canon.ObjectNode}
	endless.Members = []canon.NodeMember{{Name: "self", Required: true, Node: endless}}
	made, left := makeVectors(&canon.Contract{Accepts: []canon.Media{canon.JSON}, BodyRequired: true, Body: endless}, 40)
	assert.Empty(t, made)
	assert.Zero(t, left)
}

// Types that refer to one another in every way have more paths than there is time.
func TestVectorsOfTangledTypesEnd(t *testing.T) {
	nodes := make([]*canon.Node, 30)
	for i := range nodes {
		nodes[i] = &canon.Node{Kind: canon.ObjectNode}
	}
	for _, required := range []bool{false, true} {
		for _, n := range nodes {
			n.Members = nil
			for i, other := range nodes {
				n.Members = append(n.Members, canon.NodeMember{Name: fmt.Sprintf("m%02d", i), Required: required, Node: other})
			}
		}
		makeVectors(&canon.Contract{Accepts: []canon.Media{canon.JSON}, Body: nodes[0]}, 40)
	}
}

func TestVectorsAreBounded(t *testing.T) {
	body := &canon.Node{Kind: canon.ObjectNode}
	for i := range 200 {
		body.Members = append(body.Members, canon.NodeMember{Name: fmt.Sprintf("field%03d", i), Node: leafNode(canon.Int)})
	}
	c := &canon.Contract{Accepts: []canon.Media{canon.JSON}, BodyRequired: true, Body: body}
	made, left := makeVectors(c, 40)
	assert.Len(t, made, 40)
	assert.Greater(t, left, 50)
	assert.Equal(t, "all", made[2].Name)
	assert.NotEmpty(t, made[2].SHA256, "what does not fit into the typical request has one of its own")
	assert.Equal(t, 63, strings.Count(made[2].Request.Body, "field"))
	assert.Equal(t, 31, strings.Count(made[1].Request.Body, "field"))
	few, more := makeVectors(c, 10)
	assert.Len(t, few, 10)
	assert.Equal(t, left+30, more)
	assert.Equal(t, shorts(made)[:8], shorts(few)[:8], "fewer are the first ones by rank")

	for i := range body.Members {
		body.Members[i].Name += strings.Repeat("x", 60)
		body.Members[i].Required = true
	}
	made, _ = makeVectors(c, 40)
	assert.Empty(t, made, "no request is short enough")
	assert.Equal(t, []int{40, 40, 20, 20, 10}, []int{mostVectors(1), mostVectors(100), mostVectors(101), mostVectors(300), mostVectors(301)})
}

// makeVectors makes the vectors of an operation at /.
func makeVectors(c *canon.Contract, most int) (made []vector.Vector, left int) {
	return newVectorMaker(c, "/").make(most)
}
