package openapi

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// member is one member of an object.
type member struct {
	name  string
	key   *yaml.Node
	value *yaml.Node
}

// memberReader reads one known member of an object.
type memberReader struct {
	name string
	read func(m member)
}

// object reads n as an object that has the known members and no others. what names the object in messages.
// It reports whether n is an object at all.
func (r reader) object(n *yaml.Node, what string, known []memberReader) bool {
	members, ok := r.members(n, what, memberNames(known))
	for _, m := range members {
		if reader := findMember(known, m.name); reader != nil {
			reader.read(m)
			continue
		}
		r.unknownMember(m, what, memberNames(known))
	}
	return ok
}

func quoted(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = quoteText(name)
	}
	return out
}

func findMember(known []memberReader, name string) *memberReader {
	for i := range known {
		if known[i].name == name {
			return &known[i]
		}
	}
	return nil
}

func memberNames(known []memberReader) []string {
	names := make([]string, len(known))
	for i := range known {
		names[i] = known[i].name
	}
	return names
}

func (r reader) unknownMember(m member, what string, names []string) {
	d := r.finding(m.key, diag.AnnotationUnknownMember, "%s has no member %s", what, quoteText(m.name))
	near, ok := diag.Nearest(m.name, names)
	switch meant := meantMember(m, what); {
	case meant != "":
		d.Hint = meant
	case ok:
		d.Hint = near
	default:
		d.Message += "; it has " + strings.Join(names, ", ")
	}
	r.ds.Add(d)
}

// members gives what the object n consists of, in order. A source has no repeated names and no merge keys.
// names are the members that the object may have, for the message where it is none; nil when it may have any.
func (r reader) members(n *yaml.Node, what string, names []string) ([]member, bool) {
	if n.Kind != yaml.MappingNode {
		want := "an object"
		if len(names) > 0 {
			want += " with " + orList(quoted(names))
		}
		r.wrongType(n, what, want, "")
		return nil, false
	}
	members := make([]member, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		members = append(members, member{name: key.Value, key: key, value: n.Content[i+1]})
	}
	return members, true
}
