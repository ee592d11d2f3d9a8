package openapi

import (
	"slices"

	"go.yaml.in/yaml/v4"
)

// OnlyAdds reports whether after says what before says and, in addition, what stands under members called extension. Whoever edits a
// document as text asks it before he writes. Both are the text of file; a text that cannot be parsed says nothing.
func OnlyAdds(file string, before, after []byte, extension string) bool {
	old, _ := parseSource(file, before)
	with, found := parseSource(file, after)
	return old != nil && with != nil && !found.HasErrors() && sameBut(old.root, with.root, extension)
}

// sameBut compares two trees. Members called extension may be in b alone, and what stands under one may have more members there.
func sameBut(a, b *yaml.Node, extension string) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.ShortTag() != b.ShortTag() {
		return false
	}
	if a.Kind != yaml.MappingNode {
		return slices.EqualFunc(a.Content, b.Content, func(x, y *yaml.Node) bool { return sameBut(x, y, extension) })
	}
	return keeps(a, b, extension, func(name string) bool { return name == extension })
}

// keeps reports whether the object b has the members of a in their order, and no others than may be added.
func keeps(a, b *yaml.Node, extension string, added func(name string) bool) bool {
	at := 0
	for key, value := range entries(b) {
		if at >= len(a.Content) || a.Content[at].Value != key.Value {
			if !added(key.Value) {
				return false
			}
			continue
		}
		old := a.Content[at+1]
		switch {
		case key.Value == extension && isObject(old) && isObject(value):
			if !keeps(old, value, extension, func(string) bool { return true }) {
				return false
			}
		case !sameBut(old, value, extension):
			return false
		}
		at += 2
	}
	return at == len(a.Content)
}
