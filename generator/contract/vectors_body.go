package contract

import (
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

const typicalName = "typical"

// wholeRequests makes the requests that the other vectors change. It fails where the contract accepts no request that is short enough.
func (m *vectorMaker) wholeRequests() (typical *bodyMaker, ok bool) {
	minimal, _, ok := m.request(bodyMaker{minimal: true})
	if !ok {
		return nil, false
	}
	usual, typical, ok := m.request(bodyMaker{budget: typicalValues})
	if !ok || len(usual.Body) > largestBody {
		return nil, false
	}
	if !sameRequest(minimal, usual) {
		m.add(rankWhole, vector.Vector{Name: "minimal", Request: minimal})
	}
	m.add(rankWhole, vector.Vector{Name: typicalName, Request: usual})
	if typical == nil {
		return nil, true
	}
	everything, _, ok := m.request(bodyMaker{budget: allValues, ignored: true})
	switch {
	case typical.cut && ok && len(everything.Body) <= largestBody:
		m.add(rankWhole, vector.Vector{Name: "all", Request: everything})
	case len(typical.ignores) > 0:
		all := vector.Vector{Name: "all", Like: typicalName}
		for _, path := range typical.ignores {
			if len(all.Set) < mostIgnored && len(path) <= longestPath {
				all.Set = append(all.Set, vector.Change{Path: path, JSON: `"x"`})
			}
		}
		m.add(rankWhole, all)
	}
	return typical, true
}

func sameRequest(a, b vector.Request) bool {
	return a.Body == b.Body && a.Query == b.Query && slices.Equal(a.Path, b.Path) && slices.Equal(a.Header, b.Header)
}

// request writes a request whose body is made as b says. The maker is nil without a body.
func (m *vectorMaker) request(b bodyMaker) (vector.Request, *bodyMaker, bool) {
	r := m.params(b.minimal)
	if m.media == canon.NoBody {
		return r, nil, true
	}
	b.above, b.quoted = map[*canon.Node]bool{}, m.quoted
	text, ok := b.value(m.contract.Body, where{name: bodyText, path: bodyText, member: true, required: m.contract.BodyRequired})
	r.Body = text
	return r, &b, ok
}

// bodyVectors changes the body of the typical request.
func (m *vectorMaker) bodyVectors(b *bodyMaker) {
	if b == nil {
		return
	}
	m.spellings(b)
	m.texts(b.spots)
	for i := range b.spots {
		if s := &b.spots[i]; len(s.path) <= longestPath && !s.label {
			m.field(s)
			m.presence(s)
		}
	}
}

// spellings are about the body as a text.
func (m *vectorMaker) spellings(b *bodyMaker) {
	m.otherMedia(b.spots[0].text)
	if len(b.members) == 0 {
		return
	}
	backwards := slices.Clone(b.members)
	slices.Reverse(backwards)
	order := map[canon.Media]string{canon.JSON: "members in another order, with white space", canon.Form: "members in another order", canon.Multipart: "parts in another order"}
	m.add(rankWhole, vector.Vector{Name: order[m.media], Like: typicalName, Request: vector.Request{Body: " " + braced(backwards, " , ") + " "}})
	first := b.members[0]
	m.add(rankWhole, vector.Vector{Name: "a member twice", Refused: typicalName,
		Request: vector.Request{Body: braced(append(slices.Clone(b.members), first), ",")}})
	for _, member := range b.members {
		if other := swapCase(member.name); other != member.name && !slices.ContainsFunc(b.members, func(o sent) bool { return o.name == other }) {
			m.add(rankWhole, vector.Vector{Name: "a name in another case", Refused: typicalName,
				Set: []vector.Change{{Path: memberOf(bodyText, other), JSON: member.value}}})
			return
		}
	}
}

// otherMedia sends the typical body, a text of JSON, as other kinds that are one command with it, and in another spelling of its own.
func (m *vectorMaker) otherMedia(text string) {
	if m.media == canon.JSON {
		m.add(rankWhole, vector.Vector{Name: "another JSON type", Like: typicalName, Request: vector.Request{Type: "application/vnd.api+json; charset=UTF-8"}})
	}
	if m.media == canon.Multipart {
		m.partsOtherwise(text)
	}
	for _, other := range []struct {
		media canon.Media
		name  string
	}{{canon.Form, "as a form"}, {canon.Multipart, "as a multipart body"}} {
		if body, ok := m.bodyIn(other.media, text); ok && m.media < other.media && slices.Contains(m.contract.Accepts, other.media) {
			m.addSent(rankWhole, vector.Vector{Name: other.name, Like: typicalName, Request: vector.Request{Body: body, Type: typeOf(m.contract, other.media)}})
		}
	}
}

// swapCase makes small letters of capital ones and the other way round, in ASCII alone.
func swapCase(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r ^ ('a' ^ 'A')
		}
		return r
	}, name)
}

// texts are about the characters of a string, in the first field that takes any.
func (m *vectorMaker) texts(spots []spot) {
	i := slices.IndexFunc(spots, func(s spot) bool {
		return s.node.Kind == canon.LeafNode && isText(s.node.As) && !s.label && len(s.path) <= longestPath
	})
	if i < 0 {
		return
	}
	const beyond = "beyond ASCII"
	path := spots[i].path
	m.set(rankWhole, unlike(typicalName), beyond, path, "\"\u00e9\u20ac\U0001F600\\\"\\\\/\\u0001\"")
	m.candidates[len(m.candidates)-1].exact = true
	m.set(rankWhole, like(beyond), "beyond ASCII as escapes", path, `"\u00E9\u20ac\ud83d\ude00\u0022\u005c\/\u0001"`)
	m.set(rankWhole, unlike(beyond), "a letter and its accent apart", path, `"e\u0301\u20ac\ud83d\ude00\"\\/\u0001"`)
}

// relation is how a vector compares with its base.
type relation func(*vector.Vector)

func like(base string) relation   { return func(v *vector.Vector) { v.Like = base } }
func unlike(base string) relation { return func(v *vector.Vector) { v.Unlike = base } }
func refused() relation           { return func(v *vector.Vector) { v.Refused = typicalName } }

// set adds a vector that puts a JSON text at a path of the body.
func (m *vectorMaker) set(r rank, compare relation, name, path, text string) {
	if text == "" || len(text) > longestChange {
		return
	}
	v := vector.Vector{Name: name, Set: []vector.Change{{Path: path, JSON: text}}}
	compare(&v)
	m.add(r, v)
}
