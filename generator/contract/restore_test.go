package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

// lockedOf makes a version of lines, each "path: rule", and of members that do not count.
func lockedOf(lines string, ignored ...string) *LockedVersion {
	v := &LockedVersion{Retention: "24h", Unknown: "reject", Ignored: ignored}
	for line := range strings.Lines(lines) {
		if path, rule, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			v.Fields = append(v.Fields, Field{Path: path, Rule: rule})
		}
	}
	return v
}

// restoreAnyID restores lines whose id nobody computed.
func restoreAnyID(v *LockedVersion, path string) (Version, error) {
	out, err := v.restore(1, path)
	if err == nil {
		return out, nil
	}
	if _, id, ok := strings.Cut(err.Error(), "its lines have the id "); ok {
		v.ID, _, _ = strings.Cut(id, " ")
		return v.restore(1, path)
	}
	return out, err
}

func TestRestoreRefusesLinesThatSayNoBody(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"unknown normaliser":      {"body: exact/2 required", "no exact/2"},
		"unknown head":            {"body: tuple required", "no tuple"},
		"unknown word":            {"body: object required soon", `does not know "soon"`},
		"unknown policy":          {"body: object required unknown=maybe", "does not know"},
		"split of two":            {"query.a[]: list/1 of exact/1 optional split=\"ab\"", "does not know"},
		"no parent":               {"body: object required\nbody.a.b: exact/1 required", "no line says what body.a is"},
		"parent is a leaf":        {"body: object required\nbody.a: exact/1 optional\nbody.a.b: exact/1 required", "no such part"},
		"member of an array":      {"body[]: list/1 of exact/1 required\nbody.a: exact/1 required", "no such part"},
		"entry of an object":      {"body: object required\nbody.*: exact/1", "no such part"},
		"branch of an object":     {"body: object required\nbody{a}: object", "no such part"},
		"array without brackets":  {"body: list/1 of exact/1 required", "end in []"},
		"array without elements":  {"body: object required\nbody.a[]: list/1 optional", "what is in it"},
		"array in one line":       {"body[]: list/1 of list/1 required", "a line for each"},
		"map without entries":     {"body: map required", "what is in it"},
		"union of one":            {"body: union required\nbody{string}: exact/1", "less than two kinds"},
		"recursion to nowhere":    {"body: object required\nbody.a: recursion of body.b optional", "what body.b is"},
		"recursion to itself":     {"body: object required\nbody.a: recursion of body.a optional", "what body.a is"},
		"two bodies":              {"body: object required\nbody: object required", "no part of a body"},
		"path of another version": {"path.id: exact/1 required", "no such parameter"},
		"object as parameter":     {"query.a: object optional", "no object"},
		"view of a part":          {"body: object required\nbody.a: view(claims)/1 required", "a view reads the whole body"},
		"view of a parameter":     {"query.a: view(claims)/1 required", "no view(claims)/1"},
		"view of elements":        {"body[]: list/1 of view(claims)/1 required", "no view(claims)/1"},
		"view of another version": {"body: view(claims)/2 required", "no view(claims)/2"},
		"part of a view":          {"body: view(claims)/1 required\nbody.a: exact/1 required", "no such part"},
		"array of nothing":        {"query.a[]: list/1 optional", "an array of nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := restoreAnyID(lockedOf(c.lines), "/payments/{paymentId}")
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := restoreAnyID(lockedOf("body: object required\nbody.a: exact/1 optional", "body.a"), "/")
	require.ErrorContains(t, err, "two lines about a")
	_, err = lockedOf("body: object required").restore(1, "/")
	require.ErrorContains(t, err, "its lines have the id")
	deep := "body: object required\n"
	for path := "body"; len(path) < 2*maxDepth+10; {
		path += ".a"
		deep += path + ": object required\n"
	}
	_, err = restoreAnyID(lockedOf(deep), "/")
	require.ErrorContains(t, err, "64 levels")
}

// What a rule can say beside what real documents lead to, CheckLock holds together for all of those.
func TestRestoreReadsEveryRule(t *testing.T) {
	v, err := restoreAnyID(lockedOf(`
		body: object optional unknown=include
		body.a: generic/1 required null=absent
		body.b[]: multiset/1 of (exact/1 null=distinct) optional null=absent default=["x"," y"]
		body.c[]: list/1 required
		body.c[][]: set/1 of (object unknown=ignore) null=distinct
		body.c[][].d: int/1 optional default=1
		body["odd.name"]: union("a\"b)") optional
		body["odd.name"]{"x,y",z}: object
		body["odd.name"]{w}: recursion of body["odd.name"]{"x,y",z}
		path.second: uuid/1 required
		query.tags[]: list/1 of exact/1 optional split="|"`, "body.secret", "query.q"), "/{first}/{second}")
	require.NoError(t, err)
	body := v.Body
	assert.False(t, v.Spec.Required)
	assert.Equal(t, canon.IncludeUnknown, body.Unknown)
	require.Len(t, body.Members, 5)
	assert.Equal(t, []string{"a", "b", "c", "odd.name", "secret"}, memberNames(body))
	assert.True(t, body.Members[4].Ignored)
	assert.Equal(t, NullAbsent, body.Members[0].Node.Null)
	assert.Equal(t, `["x"," y"]`, body.Members[1].Default)
	assert.Equal(t, NullDistinct, body.Members[1].Node.Elem.Null)
	inner := body.Members[2].Node.Elem
	assert.Equal(t, []any{ArrayNode, canon.Set, 4, NullDistinct}, []any{inner.Kind, inner.Array, inner.Field, inner.Null})
	assert.Equal(t, canon.IgnoreUnknown, inner.Elem.Unknown)
	odd := body.Members[3].Node
	assert.Equal(t, `a"b)`, odd.Union.Discriminator)
	assert.Equal(t, []string{"x,y", "z", "w"}, []string{odd.Union.Branches[0].Label, odd.Union.Branches[1].Label, odd.Union.Branches[2].Label})
	assert.Same(t, odd.Union.Branches[0].Node, odd.Union.Branches[2].Node.Back)
	assert.Equal(t, []canon.Param{
		{In: canon.InPath, Name: "second", As: canon.UUID, Required: true, Field: 9, Index: 1},
		{In: canon.InQuery, Name: "tags", As: canon.Exact, Array: canon.List, Split: '|', Field: 10},
	}, v.Params)
}

func memberNames(n *Node) (names []string) {
	for _, m := range n.Members {
		names = append(names, m.Name)
	}
	return names
}

// CheckLock has to notice each thing that lines could lose.
func TestCheckLockNotices(t *testing.T) {
	for name, change := range map[string]func(*Version){
		"a member's presence": func(v *Version) { v.Body.Members[0].Required = !v.Body.Members[0].Required },
		"null":                func(v *Version) { v.Body.Null = NullDistinct },
		"a default":           func(v *Version) { v.Body.Members[0].Default = "1" },
		"a policy":            func(v *Version) { v.Body.Unknown = canon.IgnoreUnknown },
		"an ignored member":   func(v *Version) { v.Body.Members = v.Body.Members[:1] },
		"a parameter's index": func(v *Version) { v.Params = append(v.Params, canon.Param{In: canon.InPath}) },
		"a view":              func(v *Version) { v.View = "claims" },
		"a kind of body":      func(v *Version) { v.Spec.Accepts = append(v.Spec.Accepts, canon.Form) },
	} {
		t.Run(name, func(t *testing.T) {
			api := paymentAPI(t)
			text := EncodeLock(api)
			require.NoError(t, CheckLock(api, text))
			change(&api.Contracts[0].Version)
			require.ErrorContains(t, CheckLock(api, text), "otherwise when it is read back")
		})
	}
}

// FuzzRestore reads lines that nobody wrote: an error or a version that can be walked to its end, never a panic.
func FuzzRestore(f *testing.F) {
	f.Add("body: object required\nbody.a[]: list/1 of (recursion of body) optional\nbody.b{x}: exact/1", "body.c")
	f.Add("body: union(t) required null=distinct\nbody{a}: object\nbody{\"b,}\"}: map\nbody{\"b,}\"}.*: generic/1", `body{a}["x"]`)
	f.Add("body[]: set/1 of union required\nbody[]{string}: exact/1\nbody[]{object}: recursion of body", "query.a")
	f.Add("body: view(claims)/1 required\nquery.a: exact/1 optional", "body")
	f.Add("path.id: exact/1 required\nheader.x-a: uuid/1 optional\nquery.a[]: list/1 of int/1 optional split=\",\" default=[\"1\"]", "body")
	f.Fuzz(func(t *testing.T, lines, ignored string) {
		v, err := restoreAnyID(lockedOf(lines, ignored), "/{id}")
		if err != nil {
			return
		}
		v.Reference("x")
		nameNodes(v.Body, "Body", newNames())
		for _, field := range v.Fields {
			if rule, err := parseRule(field.Rule); assert.NoError(t, err) {
				assert.Equal(t, field.Rule, rule.String(), "a rule that is read is written as it stood")
			}
		}
	})
}
