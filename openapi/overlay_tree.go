package openapi

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
	"go.yaml.in/yaml/v4"
)

// overlayTree is a document in two forms that always say the same: nodes, which know their places, and plain values,
// which JSONPath queries. The values are made once; every change is made to both, because making them anew
// for each action would cost more than everything else together.
//
// This file and overlay_target.go are the only users of the JSONPath library.
type overlayTree struct {
	root  *yaml.Node
	value any
}

// overlayPath leads from the root to one value: names of members and indexes of elements.
type overlayPath = spec.NormalizedPath

func newOverlayTree(root *yaml.Node) *overlayTree {
	return &overlayTree{root: root, value: plainValue(root)}
}

// find gives the places that path selects, each once, sorted. An error is a query that the library gives up on.
func (t *overlayTree) find(path *jsonpath.Path) (paths []overlayPath, err error) {
	defer func() {
		if r := recover(); r != nil { // comparisons with what does not exist have made the library panic before
			paths, err = nil, fmt.Errorf("openapi: query %s: %v", path, r)
		}
	}()
	found := path.SelectLocated(t.value).Deduplicate()
	found.Sort()
	return slices.Collect(found.Paths()), nil
}

// overlaySpot is one value in both forms, with the way to put another plain value in its place.
type overlaySpot struct {
	node  *yaml.Node
	value any
	set   func(any)
}

// locate follows a path that find gave. Paths stay good while values are added.
func (t *overlayTree) locate(path overlayPath) overlaySpot {
	at := overlaySpot{node: t.root, value: t.value, set: func(v any) { t.value = v }}
	for _, step := range path {
		switch container := at.value.(type) {
		case map[string]any:
			name := string(step.(spec.Name))
			at.node, at.value = at.node.Content[memberIndex(at.node, name)+1], container[name]
			at.set = func(v any) { container[name] = v }
		case []any:
			index := int(step.(spec.Index))
			at.node, at.value = at.node.Content[index], container[index]
			at.set = func(v any) { container[index] = v }
		}
	}
	return at
}

// remove takes the value at path, which is not the root's, out of what it is contained in.
func (t *overlayTree) remove(path overlayPath) {
	parent := t.locate(path[:len(path)-1])
	switch last := path[len(path)-1].(type) {
	case spec.Name:
		at := memberIndex(parent.node, string(last))
		parent.node.Content = slices.Delete(parent.node.Content, at, at+2)
		delete(parent.value.(map[string]any), string(last))
	case spec.Index:
		parent.node.Content = slices.Delete(parent.node.Content, int(last), int(last)+1)
		parent.set(slices.Delete(parent.value.([]any), int(last), int(last)+1))
	}
}

// memberIndex is the place of a member's name in the content of an object; -1 when it has none.
func memberIndex(n *yaml.Node, name string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return i
		}
	}
	return -1
}

// plainValue is n as the JSON that it means. Members are named by the text that stands there: a response's
// 200 and "200" are the same member, as they are in JSON.
func plainValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[n.Content[i].Value] = plainValue(n.Content[i+1])
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, c := range n.Content {
			list[i] = plainValue(c)
		}
		return list
	}
	return plainScalar(n)
}

// plainScalar reads numbers for comparison in filters only, so a double is exact enough.
func plainScalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return lowerASCII(n.Value) == "true"
	case "!!int":
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			return v
		}
	case "!!float":
	default:
		return n.Value
	}
	if v, err := strconv.ParseFloat(n.Value, 64); err == nil {
		return v
	}
	return n.Value
}
