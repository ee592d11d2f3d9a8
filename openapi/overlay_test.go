package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

const overlayHead = "overlay: 1.0.0\ninfo: {title: t, version: 1.0.0}\nactions:\n"

// overlaid applies the overlay with the given actions to doc.
func overlaid(t testing.TB, doc, actions string) (*source, *diag.List) {
	t.Helper()
	return overlaidFile(t, "doc.yaml", doc, overlayHead+actions)
}

func overlaidFile(t testing.TB, name, doc, overlay string) (*source, *diag.List) {
	t.Helper()
	s, found := parseSource(name, []byte(doc))
	require.NotNil(t, s, short(found))
	o, found := parseSource("overlay.yaml", []byte(overlay))
	require.NotNil(t, o, short(found))
	ds := &diag.List{}
	applyOverlay(s, o, ds)
	return s, ds
}

// asJSON writes nodes in flow style, order kept.
func asJSON(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, n.Content[i].Value+": "+asJSON(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case yaml.SequenceNode:
		for _, c := range n.Content {
			parts = append(parts, asJSON(c))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return n.Value
}

func TestOverlayChangesTheDocument(t *testing.T) {
	for name, c := range map[string]struct{ doc, actions, want string }{
		"adds a member":                 {"{a: {b: 1}}", "- {target: $.a, update: {c: 2}}", "{a: {b: 1, c: 2}}"},
		"replaces a plain value":        {"{a: {b: 1, c: 3}}", "- {target: $.a, update: {b: x}}", "{a: {b: x, c: 3}}"},
		"replaces null by object":       {"{a: {b: , c: 3}}", "- {target: $, update: {a: {b: {d: 1}}}}", "{a: {b: {d: 1}, c: 3}}"},
		"merges deep":                   {"{a: {b: {c: 1}}}", "- {target: $, update: {a: {b: {d: 2}}}}", "{a: {b: {c: 1, d: 2}}}"},
		"appends an entry":              {"{a: [1]}", "- {target: $.a, update: 2}", "{a: [1, 2]}"},
		"appends an object":             {"{a: [{n: 1}]}", "- {target: $.a, update: {n: 2}}", "{a: [{n: 1}, {n: 2}]}"},
		"joins arrays inside":           {"{a: {b: [1]}}", "- {target: $.a, update: {b: [2, 3]}}", "{a: {b: [1, 2, 3]}}"},
		"updates each match":            {"{a: {x: {}, y: {}}}", "- {target: $.a.*, update: {n: [1]}}", "{a: {x: {n: [1]}, y: {n: [1]}}}"},
		"updates a match once":          {"{a: {b: []}}", "- {target: \"$['a','a'].b\", update: 1}", "{a: {b: [1]}}"},
		"removes a member":              {"{a: {b: 1, c: 2}}", "- {target: $.a.b, remove: true}", "{a: {c: 2}}"},
		"removes elements":              {"{a: [{n: 1}, {n: 2}, {n: 1}, {n: 3}]}", "- {target: '$.a[?@.n < 3]', remove: true}", "{a: [{n: 3}]}"},
		"removes plain elements":        {"{a: [x, y, x]}", "- {target: '$.a[?@ == \"x\"]', remove: true}", "{a: [y]}"},
		"removes nested matches":        {"{a: {k: {k: {z: 1}}, b: 1}}", "- {target: $..k, remove: true}", "{a: {b: 1}}"},
		"removes nested elements":       {"{a: [[1, 2], [3]]}", "- {target: '$..[0]', remove: true}", "{a: [[]]}"},
		"keeps with remove false":       {"{a: {}}", "- {target: $.a, remove: false, update: {b: 1}}", "{a: {b: 1}}"},
		"knows numbers as names":        {"{r: {200: {d: 1}, 404: {d: 2}}}", "- {target: \"$.r['200']\", update: {e: 1}}", "{r: {200: {d: 1, e: 1}, 404: {d: 2}}}"},
		"reads filters":                 {"{a: [{b: true, c: }, {b: false, d: 1.5}]}", "- {target: '$.a[?@.b == true && @.c == null]', update: {hit: 1}}\n- {target: '$.a[?@.d > 1]', update: {hit: 2}}", "{a: [{b: true, c: , hit: 1}, {b: false, d: 1.5, hit: 2}]}"},
		"sees an added member":          {"{a: {}}", "- {target: $.a, update: {b: {}}}\n- {target: $.a.b, update: {c: 1}}", "{a: {b: {c: 1}}}"},
		"sees an added entry":           {"{a: []}", "- {target: $.a, update: {n: 1}}\n- {target: '$.a[?@.n == 1]', update: {m: 2}}\n- {target: '$.a[0]', update: {k: 3}}", "{a: [{n: 1, m: 2, k: 3}]}"},
		"sees joined entries":           {"{a: {b: []}}", "- {target: $, update: {a: {b: [{n: 1}]}}}\n- {target: '$.a.b[?@.n]', update: {m: 2}}\n- {target: $.a.b, update: {n: 3}}", "{a: {b: [{n: 1, m: 2}, {n: 3}]}}"},
		"sees a replaced value":         {"{a: {n: 1}}", "- {target: $.a, update: {n: 2}}\n- {target: '$[?@.n == 2]', update: {m: 1}}", "{a: {n: 2, m: 1}}"},
		"sees a removal":                {"{a: [{n: 1}, {n: 2}]}", "- {target: '$.a[0]', remove: true}\n- {target: '$.a[0]', update: {hit: 1}}", "{a: [{n: 2, hit: 1}]}"},
		"makes anew what it took":       {"{a: {b: 1, c: [1]}}", "- {target: $.a, remove: true}\n- {target: $, update: {a: {d: 1}}}\n- {target: $.a, update: {e: 2}}", "{a: {d: 1, e: 2}}"},
		"leaves repeated anchors apart": {"{a: &x {n: {}}, b: *x}", "- {target: $.a.n, update: {m: 1}}", "{a: {n: {m: 1}}, b: {n: {}}}"},
		"reaches through aliases":       {"{a: &x {n: {}}, b: *x}", "- {target: $.b.n, update: {m: 1}}", "{a: {n: {}}, b: {n: {m: 1}}}"},
		"reaches through merge keys":    {"{a: &x {n: {}}, b: {<<: *x}}", "- {target: $.b.n, update: {m: 1}}\n- {target: $.a, remove: true}", "{b: {n: {m: 1}}}"},
		"takes aliases of its own":      {"{a: {}}", "- {target: $, update: {x: &k {n: 1}, y: *k}}\n- {target: $.x, update: {m: 2}}", "{a: {}, x: {n: 1, m: 2}, y: {n: 1}}"},
	} {
		s, ds := overlaid(t, c.doc, c.actions)
		assert.Empty(t, short(*ds), name)
		assert.Equal(t, c.want, asJSON(s.root), name)
	}
}

// Both forms of the document say the same after every kind of change, or a later target would look at the past.
func TestOverlayTreeKeepsBothFormsEqual(t *testing.T) {
	doc := "{a: {b: [1, {c: }], d: {e: x}}, p: {'/x': {post: {}}, '/y': {post: {}}}}"
	actions := overlayHead + `- {target: $.a, update: {b: [2], d: {f: 1}, g: {}}}
- {target: $.a.b, update: {n: 1}}
- {target: '$.a.b[1]', update: {c: {deep: [1]}}}
- {target: '$.a.b[1].c.deep', update: 2}
- {target: $.p.*.post, update: {z: [{}]}}
- {target: '$.p.*.post.z[0]', update: {w: 1}}
- {target: '$.a.b[0]', remove: true}
- {target: $.a.d, remove: true}
`
	s, found := parseSource("doc.yaml", []byte(doc))
	require.Empty(t, short(found))
	o, found := parseSource("overlay.yaml", []byte(actions))
	require.Empty(t, short(found))
	var ds diag.List
	run := &overlayRun{reader: overlayReader{s: o, ds: &ds}, doc: s, tree: newOverlayTree(s.root)}
	for _, a := range run.reader.actions() {
		run.apply(a)
		require.Empty(t, short(ds))
		require.Equal(t, plainValue(s.root), run.tree.value, "after %s", a.path)
	}
	assert.Equal(t, "{a: {b: [{c: {deep: [1, 2]}}, 2, {n: 1}], g: {}}, p: {/x: {post: {z: [{w: 1}]}}, /y: {post: {z: [{w: 1}]}}}}", asJSON(s.root))
}

// What an overlay puts in stands in the overlay; what it leaves stands where it was. No two matches share a node.
func TestOverlayPlacesPointIntoTheOverlay(t *testing.T) {
	s, ds := overlaid(t, "paths:\n  /a: {post: {summary: old, tags: [x]}}\n  /b: {post: {summary: old, tags: [x]}}\n",
		"- target: $.paths.*.post\n  update:\n    summary: new\n    tags: [y]\n    x-idempotency: {scope: [tenant]}\n")
	require.Empty(t, short(*ds))
	seen := map[*yaml.Node]bool{}
	for i, item := range []string{"/a", "/b"} {
		post := child(child(child(s.root, "paths"), item), "post")
		for path, want := range map[string]string{
			"summary": "overlay.yaml:6:14", "x-idempotency": "overlay.yaml:8:20", "tags": fmt.Sprintf("doc.yaml:%d:35", i+2),
		} {
			assert.Equal(t, want, s.pos(child(post, path)).String(), item+" "+path)
		}
		key, _ := entry(post, "summary")
		assert.Equal(t, "overlay.yaml:6:5", s.pos(key).String(), "the name of what was replaced")
		tags := child(post, "tags")
		assert.Equal(t, fmt.Sprintf("doc.yaml:%d:36", i+2), s.pos(tags.Content[0]).String())
		assert.Equal(t, "overlay.yaml:7:12", s.pos(tags.Content[1]).String())

		var ann diag.List
		a := decodeAnnotation(s, child(post, "x-idempotency"), &ann)
		require.Empty(t, short(ann))
		assert.Equal(t, "overlay.yaml:8:29", a.Scope.Value.Now[0].Pos.String())

		eachNode(post, func(n *yaml.Node) {
			assert.False(t, seen[n], "a node is shared by two matches")
			seen[n] = true
		})
	}
}

func eachNode(n *yaml.Node, visit func(*yaml.Node)) {
	visit(n)
	for _, c := range n.Content {
		eachNode(c, visit)
	}
}

// Two overlays one after the other: the second one may change what the first one put in.
func TestOverlaysFollowEachOther(t *testing.T) {
	s, ds := overlaid(t, "{a: {}}", "- {target: $.a, update: {b: {c: 1}}}")
	second, found := parseSource("second.yaml", []byte(overlayHead+"- {target: $.a.b, update: {c: 2, d: 3}}"))
	require.Empty(t, short(found))
	applyOverlay(s, second, ds)
	require.Empty(t, short(*ds))
	assert.Equal(t, "{a: {b: {c: 2, d: 3}}}", asJSON(s.root))
	b := child(child(s.root, "a"), "b")
	assert.Equal(t, "overlay.yaml", s.pos(b).File)
	assert.Equal(t, "second.yaml", s.pos(child(b, "c")).File)
}

func TestOverlaySaysWhatIsWrongAndWhere(t *testing.T) {
	const doc = "{paths: {/payments: {get: {}, post: {summary: s, x: , tags: [a], x-idempotency: required}}}}"
	for _, c := range []struct{ actions, want, hint string }{
		{"- {target: \"$.paths['/paymets'].post\", remove: true}", `4:12 254 $.paths has no member "/paymets"`, "target: $.paths['/payments'].post"},
		{"- {target: \"$.paths['/payments'].psot\", remove: true}", `4:12 254 $.paths['/payments'] has no member "psot"`, "target: $.paths['/payments'].post"},
		{"- {target: $.path.*.post, remove: true}", `4:12 254 $ has no member "path"`, "target: $.paths.*.post"},
		{"- {target: '$.paths.*.post.tags[3]', remove: true}", `4:12 254 below $.paths.*.post.tags nothing fits [3]`, ""},
		{"- {target: '$.paths[?@.put]', remove: true}", `4:12 254 below $.paths nothing fits`, ""},
		{"- {target: $..delete, remove: true}", `4:12 254 below $ nothing fits`, ""},
		{"- {target: '$.paths[?length(@.a.b) > @.c]', remove: true}", `4:12 254`, ""},
		{"- {target: paths, remove: true}", "4:12 253 at position 1", ""},
		{"- {target: $.paths./payments.post, remove: true}", "4:12 253 at position 9", "target: $.paths['/payments'].post"},
		{"- {target: $.x-a, remove: true}", "4:12 253 at position", "target: $['x-a']"},
		{"- {target: '', remove: true}", `4:12 252 target is text, not ""`, ""},
		{"- {target: $, remove: true}", "4:12 256 whole document", ""},
		{"- {target: $.paths.*.post.summary, update: {a: b}}", `4:12 255 the target is "s"`, "target: $.paths.*.post"},
		{"- {target: $.paths.*.post.x, update: {a: b}}", "4:12 255 the target is empty", "target: $.paths.*.post"},
		{"- {target: $.paths.*.post, update: x}", `4:36 255 not "x"`, ""},
		{"- {target: $.paths.*.post, update: }", `4:36 255 not empty`, ""},
		{"- {target: $.paths.*.post.tags, update: [b]}", `4:41 255 one new entry`, ""},
		{"- {target: $.paths.*.post, update: {summary: {}, tags: b, x-idempotency: {}}}",
			`4:46 255 "summary" is "s" in the document and cannot become an object; 4:56 255 "tags" is a list; 4:74 255 is "required"`, `an action before this one that removes "summary"`},
		{"- {target: $.paths}", "4:3 257 neither update nor remove", ""},
		{"- {target: $.paths, remove: true, update: {}}", "4:43 257 removes its target", ""},
		{"- {target: $.paths, remove: 1}", "4:29 252 true or false, not 1", ""},
		{"- {target: $.paths, updates: {}}", `4:21 252 no member "updates"`, "update"},
		{"- {update: {}}", "4:3 252 no target", ""},
		{"- {target: 5, remove: true}", "4:12 252 target is text, not 5", `target: "5"`},
		{"- {target: $.paths, remove: true, description: 5}", "4:48 252 description is text", `description: "5"`},
		{"- text", "4:3 252 an action is an object", ""},
		{"  []", "4:3 252 empty list", ""},
		{"  {}", "4:3 252 actions is a list", ""},
	} {
		_, ds := overlaid(t, doc, c.actions)
		checkFindings(t, c.actions, *ds, c.want)
		if assert.NotZero(t, ds.Len(), c.actions) {
			assert.Equal(t, c.hint, ds.All()[0].Hint, c.actions)
		}
	}
}

// checkFindings compares with "line:col code message; …", in order of place.
func checkFindings(t *testing.T, what string, ds diag.List, want string) {
	t.Helper()
	all := ds.All()
	wants := strings.Split(want, "; ")
	if !assert.Len(t, all, len(wants), "%s\n%s", what, short(ds)) {
		return
	}
	for i, want := range wants {
		parts := append(strings.SplitN(want, " ", 3), "")
		got := fmt.Sprintf("%d:%d %s", all[i].Pos.Line, all[i].Pos.Col, strings.TrimPrefix(string(all[i].Code), "IDG"))
		assert.Equal(t, parts[0]+" "+parts[1], got, "%s\n%s", what, all[i])
		assert.Contains(t, all[i].Message, parts[2], what)
	}
}

func TestOverlayReadsItsOwnObjectsStrictly(t *testing.T) {
	const info, actions = "info: {title: t, version: 1.0.0}\n", "actions: [{target: $.a, update: {b: 1}}]\n"
	for _, c := range []struct{ overlay, want string }{
		{"overlay: 1.0.0\n" + info + actions, ""},
		{"overlay: 1.0.7\nx-any: 1\nextends: doc.yaml\n" + info + actions, ""},
		{`{"overlay": "1.0.0", "info": {"title": "t", "version": "1", "x-y": 1}, "actions": [{"target": "$.a", "update": {"b": 1}, "x-z": 1}]}`, ""},
		{"overlay: 1.0\n" + info + actions, "1:10 251 not 1.0"},
		{"overlay: 1.1.0\n" + info + actions, `1:10 251 not "1.1.0"`},
		{"overlay: [1]\n" + info + actions, "1:10 251 not a list"},
		{"openapi: 3.0.0\n", "1:1 251 not an overlay"},
		{"- a\n", "1:1 251 not an overlay"},
		{"overlay: 1.0.0\n" + actions, "1:1 252 no info"},
		{"overlay: 1.0.0\ninfo: x\n" + actions, "2:7 252 info is an object"},
		{"overlay: 1.0.0\ninfo: {}\n" + actions, "2:7 252 info has no title; 2:7 252 info has no version"},
		{"overlay: 1.0.0\ninfo: {title: t, version: 1.0, author: me}\n" + actions, "2:27 252 info.version is text, not 1.0; 2:32 252 info has no member \"author\""},
		{"overlay: 1.0.0\n" + info, "1:1 252 no actions"},
		{"overlay: 1.0.0\nextends: 1\nactons: 1\n" + info + actions, "2:10 252 extends is text; 3:1 252 no member \"actons\""},
	} {
		s, ds := overlaidFile(t, "doc.yaml", "{a: {}}", c.overlay)
		if c.want == "" {
			assert.Empty(t, short(*ds), c.overlay)
			assert.Equal(t, "{a: {b: 1}}", asJSON(s.root))
			continue
		}
		checkFindings(t, c.overlay, *ds, c.want)
	}
}

// One bad action does not keep the others from being applied, so their findings are not buried under its own.
func TestOverlayAppliesWhatIsGood(t *testing.T) {
	s, ds := overlaid(t, "{a: {}}", "- {target: $.zzz, remove: true}\n- {target: '$[', remove: true}\n- {target: $.a, update: {b: 1}}")
	assert.Equal(t, 2, ds.Len(), short(*ds))
	assert.Equal(t, "{a: {b: 1}}", asJSON(s.root))
}
