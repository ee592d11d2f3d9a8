package gogen

import (
	"github.com/idemgen/idemgen/generator/contract"
)

// arrayDepth bounds arrays that stand directly in each other: they are emitted as nested loops of one function.
const arrayDepth = 128

// node checks one value of the scanner's tree. arrays is the number of arrays directly around it.
func (k *checker) node(n *contract.Node, path string, fields, arrays int) {
	if n == nil {
		k.fail("%s has no node", path)
		return
	}
	if n.Field < -1 || n.Field >= fields {
		k.fail("%s: there is no field %d", path, n.Field)
	}
	if n.Null > contract.NullAbsent {
		k.fail("%s: null rule %d is unknown", path, n.Null)
	}
	switch n.Kind {
	case contract.LeafNode:
		if normalisers[n.As] == "" {
			k.fail("%s: normaliser %d does not read JSON values", path, n.As)
		}
	case contract.ArrayNode:
		k.array(n, path, fields, arrays)
	case contract.ObjectNode, contract.MapNode:
		k.object(n, path, fields)
	case contract.UnionNode:
		k.union(n, path, fields)
	case contract.RecursionNode:
		if k.nodes[n.Back] != k.where || !n.Back.Recursive {
			k.fail("%s: the recursion leads to no node above it", path)
		}
	default:
		k.fail("%s: node kind %d is unknown", path, n.Kind)
	}
}

func (k *checker) array(n *contract.Node, path string, fields, depth int) {
	if n.Recursive && k.once(n, path) {
		depth = 0 // a function of its own
		k.declare(scanName(n))
	}
	switch {
	case arrays[n.Array] == "":
		k.fail("%s: array kind %d is unknown", path, n.Array)
	case depth == arrayDepth:
		k.fail("%s: more than %d arrays in each other", path, arrayDepth)
	case n.Elem != nil && n.Elem.Null == contract.NullAbsent:
		k.fail("%s[]: a null element cannot count as absent", path)
	default:
		k.node(n.Elem, path+"[]", fields, depth+1)
	}
}

// once reports whether n is met for the first time. Contracts share no nodes.
func (k *checker) once(n *contract.Node, path string) bool {
	owner, seen := k.nodes[n]
	if seen && owner != k.where {
		k.fail("%s shares its node with %s", path, owner)
	}
	k.nodes[n] = k.where
	return !seen
}

func (k *checker) union(n *contract.Node, path string, fields int) {
	if !k.once(n, path) {
		return
	}
	k.declare(scanName(n))
	if n.Union == nil || len(n.Union.Branches) == 0 {
		k.fail("%s: the union has no branch", path)
		return
	}
	labels := map[string]bool{}
	for _, b := range n.Union.Branches {
		place := branchPath(path, b.Label)
		if labels[b.Label] {
			k.fail("%s is declared twice", place)
		}
		labels[b.Label] = true
		if n.Union.Discriminator == "" && kinds[b.Label] == "" {
			k.fail("%s: there is no such JSON type", place)
		}
		if b.Node != nil && b.Node.Null != contract.NullRefused && !isGeneric(b.Node) {
			k.fail("%s: null is the union's to take", place)
		}
		k.node(b.Node, place, fields, 0)
	}
}

func (k *checker) object(n *contract.Node, path string, fields int) {
	if !k.once(n, path) {
		return
	}
	k.declare(scanName(n))
	k.declare(shapeName(n))
	if n.Kind == contract.ObjectNode && unknowns[n.Unknown] == "" {
		k.fail("%s: unknown policy %d is unknown", path, n.Unknown)
	}
	names := map[string]bool{}
	for _, m := range n.Members {
		place := memberPath(path, m.Name)
		if names[m.Name] {
			k.fail("%s is declared twice", place)
		}
		names[m.Name] = true
		if !m.Ignored {
			k.node(m.Node, place, fields, 0)
		}
	}
	if n.Kind == contract.MapNode {
		k.node(n.Elem, path+".*", fields, 0)
	}
}

// bodyType checks the types of a body: their structs are declared once, and none contains itself by value.
func (k *checker) bodyType(root *contract.Type) {
	if !k.kinds(root, map[*contract.Type]bool{}) {
		return
	}
	for _, t := range structsOf(root) {
		if owner, seen := k.types[t]; seen {
			k.fail("struct %s is declared by %s already", t.GoName, owner)
			continue
		}
		k.types[t] = k.where
		k.export(t.GoName)
		k.structFields(t)
		if containsItself(t) {
			k.fail("struct %s contains itself", t.GoName)
		}
	}
}

// kinds checks that every type is whole, and reports whether the others checks can walk it.
func (k *checker) kinds(t *contract.Type, seen map[*contract.Type]bool) bool {
	if t == nil || t.Kind < contract.TypeString || t.Kind > contract.TypeMap {
		k.fail("a part of the body has no type")
		return false
	}
	if seen[t] {
		return true
	}
	seen[t] = true
	if t.Kind == contract.TypeList || t.Kind == contract.TypeMap {
		return k.kinds(t.Elem, seen)
	}
	for _, f := range t.Fields {
		if !k.kinds(f.Type, seen) {
			return false
		}
	}
	return true
}

func (k *checker) structFields(t *contract.Type) {
	goNames, names := map[string]bool{}, map[string]bool{}
	if hasOddNames(t) {
		goNames["UnmarshalJSON"] = true
	}
	for _, f := range t.Fields {
		k.field(goNames, t.GoName, f.GoName)
		if names[f.Name] {
			k.fail("%s: member %q stands there twice", t.GoName, f.Name)
		}
		names[f.Name] = true
	}
}

// containsItself reports whether a value of t would need a value of t inside: pointers, lists and maps end the search.
func containsItself(t *contract.Type) bool {
	seen := map[*contract.Type]bool{}
	var reaches func(from *contract.Type) bool
	reaches = func(from *contract.Type) bool {
		for _, f := range from.Fields {
			if f.Type.Kind != contract.TypeStruct || f.Optional && !f.Nullable || seen[f.Type] {
				continue
			}
			if seen[f.Type] = true; f.Type == t || reaches(f.Type) {
				return true
			}
		}
		return false
	}
	return reaches(t)
}
