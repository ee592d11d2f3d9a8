package gogen

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
	runtime "github.com/idemgen/idemgen/runtime/canon"
)

// scanner collects the scan functions of one body. A node that is met again gets no second function.
type scanner struct {
	fields string // the name of the table of field paths that the numbers count; empty where no field has one
	seen   map[*contract.Node]bool
	decls  []jen.Code
}

// scanDecls declares a shape and a function for each object and map of the body, and a function for each union and recursive array,
// outermost first.
func scanDecls(body *contract.Node, fields string) []jen.Code {
	if body == nil {
		return nil
	}
	s := scanner{fields: fields, seen: map[*contract.Node]bool{}}
	s.walk(body, "body")
	return s.decls
}

// walk declares what n needs. path is the field path at which n is met first.
func (s *scanner) walk(n *contract.Node, path string) {
	if n.Kind == contract.LeafNode || n.Kind == contract.RecursionNode || s.seen[n] {
		return
	}
	s.seen[n] = true
	switch n.Kind {
	case contract.ObjectNode, contract.MapNode:
		s.decls = append(s.decls, shapeVar(n, path), s.scanFunc(n, path))
	case contract.ArrayNode:
		if n.Recursive {
			s.decls = append(s.decls, s.arrayFunc(n, path))
		}
		s.walk(n.Elem, path+"[]")
		return
	case contract.UnionNode:
		s.decls = append(s.decls, s.unionFunc(n, path))
		s.walkBranches(n.Union, path)
		return
	case contract.LeafNode, contract.RecursionNode:
	}
	for _, m := range n.Members {
		if !m.Ignored {
			s.walk(m.Node, memberPath(path, m.Name))
		}
	}
	if n.Kind == contract.MapNode {
		s.walk(n.Elem, path+".*")
	}
}

func scanName(n *contract.Node) string  { return "scan" + n.GoName }
func shapeName(n *contract.Node) string { return "shape" + n.GoName }

// shapeVar declares the members of an object or map.
func shapeVar(n *contract.Node, path string) jen.Code {
	fields := []jen.Code{}
	if len(n.Members) > 0 {
		members := make([]jen.Code, len(n.Members))
		for i, m := range n.Members {
			members[i] = jen.Values(shapeMember(m)...)
		}
		fields = append(fields, member("Members", jen.Index().Add(canon("Member")).Add(lines(members...))))
	}
	if n.Kind == contract.ObjectNode {
		fields = append(fields, member("Unknown", canon(unknowns[n.Unknown])))
	}
	return doc(shapeName(n) + " is the shape of " + excerpt(path) + "; " + aboutOthers(n) + ".").
		Var().Id(shapeName(n)).Op("=").Add(canon("Shape")).Add(lines(fields...))
}

// aboutOthers says what members mean that the shape does not list.
func aboutOthers(n *contract.Node) string {
	switch {
	case n.Kind == contract.MapNode && len(n.Members) == 0:
		return "every member is an entry"
	case n.Kind == contract.MapNode:
		return "every other member is an entry"
	case n.Unknown == runtime.IgnoreUnknown:
		return "undeclared members do not count"
	case n.Unknown == runtime.IncludeUnknown:
		return "undeclared members count as they are"
	default: // RejectUnknown; check refuses every other value
		return "undeclared members are refused"
	}
}

func shapeMember(m contract.Member) []jen.Code {
	fields := []jen.Code{member("Name", jen.Lit(m.Name)), member("Key", jen.Lit(m.Key))}
	if m.Required {
		fields = append(fields, member("Required", jen.True()))
	}
	if m.Ignored {
		fields = append(fields, member("Ignored", jen.True()))
	}
	if m.Default != "" {
		fields = append(fields, member("Default", jen.Lit(m.Default)))
	}
	return fields
}

// scanFunc declares the function that reads one object or map.
func (s *scanner) scanFunc(n *contract.Node, path string) jen.Code {
	loop := jen.For(jen.Id("s").Dot("Next").Call(jen.Op("&").Id("o"))).Block(memberStatements(n)...)
	read := []*contract.Node{n.Elem}
	for _, m := range n.Members {
		read = append(read, m.Node)
	}
	return doc(append([]string{scanName(n) + " reads " + excerpt(path) + "."}, aboutNumbers(s.fields, read...)...)...).
		Func().Id(scanName(n)).Params(jen.Id("s").Op("*").Add(canon("Scanner"))).
		Block(append(openFrame(n), loop)...)
}

// openFrame begins the object. Its spans live on the stack of the scan function: one for each declared member.
func openFrame(n *contract.Node) []jen.Code {
	shape := jen.Op("&").Id(shapeName(n))
	open := func(method string, args ...jen.Code) jen.Code {
		return jen.Id("o").Op(":=").Id("s").Dot(method).Call(args...)
	}
	switch {
	case len(n.Members) > 0:
		return []jen.Code{
			jen.Var().Id("spans").Index(jen.Lit(len(n.Members))).Add(canon("Span")),
			open("Object", shape, jen.Id("spans").Index(jen.Op(":"))),
		}
	case n.Kind == contract.MapNode:
		return []jen.Code{open("Map", shape)}
	default:
		return []jen.Code{open("Object", shape, jen.Nil())}
	}
}

// memberStatements handle the member that the loop stands at.
func memberStatements(n *contract.Node) []jen.Code {
	if len(n.Members) == 0 {
		return otherMember(n)
	}
	cases := make([]jen.Code, 0, len(n.Members)+1)
	for i, m := range n.Members {
		body := []jen.Code{jen.Id("s").Dot("Ignore").Call(jen.Op("&").Id("o"), jen.Lit(i))}
		if !m.Ignored {
			body = append([]jen.Code{jen.Id("s").Dot("Member").Call(jen.Op("&").Id("o"), jen.Lit(i))}, readValue(m.Node, 0)...)
		}
		cases = append(cases, jen.Case(jen.Lit(m.Name)).Block(body...))
	}
	cases = append(cases, jen.Default().Block(otherMember(n)...))
	return []jen.Code{jen.Switch(jen.String().Call(jen.Id("s").Dot("Name").Call())).Block(cases...)}
}

// otherMember handles a member that is not declared: an entry of a map, or one that the shape has a policy for.
func otherMember(n *contract.Node) []jen.Code {
	if n.Kind == contract.MapNode {
		return append([]jen.Code{jen.Id("s").Dot("Entry").Call(jen.Op("&").Id("o"))}, readValue(n.Elem, 0)...)
	}
	return []jen.Code{jen.Id("s").Dot("Unknown").Call(jen.Op("&").Id("o"))}
}

// readValue reads one value, null included. depth is the number of arrays around it in the same function.
func readValue(n *contract.Node, depth int) []jen.Code {
	read := readPresent(n, depth)
	switch {
	case n.Null == contract.NullAbsent:
		return []jen.Code{jen.If(jen.Op("!").Id("s").Dot("NullAbsent").Call(jen.Op("&").Id("o"))).Block(read...)}
	case n.Null == contract.NullDistinct && !isGeneric(n): // Generic writes a null by itself
		return []jen.Code{jen.If(jen.Op("!").Id("s").Dot("Null").Call(jen.Lit(n.Field))).Block(read...)}
	}
	return read
}

// readPresent reads a value that is not null.
func readPresent(n *contract.Node, depth int) []jen.Code {
	switch n.Kind {
	case contract.LeafNode:
		return []jen.Code{jen.Id("s").Dot(normalisers[n.As]).Call(jen.Lit(n.Field))}
	case contract.ArrayNode:
		if !n.Recursive {
			return readElements(n, depth)
		}
	case contract.RecursionNode:
		n = n.Back
	case contract.ObjectNode, contract.MapNode, contract.UnionNode:
	}
	return []jen.Code{jen.Id(scanName(n)).Call(jen.Id("s"))}
}

// readElements reads an array.
func readElements(n *contract.Node, depth int) []jen.Code {
	a := arrayName(depth)
	return []jen.Code{
		jen.Id(a).Op(":=").Id("s").Dot("Array").Call(canon(arrays[n.Array]), jen.Lit(n.Field)),
		jen.For(jen.Id("s").Dot("Element").Call(jen.Op("&").Id(a))).Block(readValue(n.Elem, depth+1)...),
	}
}

// aboutNumbers explains the numbers in the calls that read nodes, where -1 is among them. fields is the table that they count.
func aboutNumbers(fields string, nodes ...*contract.Node) []string {
	if fields == "" || !slices.ContainsFunc(nodes, unnumbered) {
		return nil
	}
	return []string{"A value's number is its index in " + fields + "; -1 counts with what is around it, an array mostly."}
}

// unnumbered reports whether readValue passes a field that has no index, n's own or that of an element.
func unnumbered(n *contract.Node) bool {
	switch {
	case n == nil:
		return false
	case n.Null == contract.NullDistinct && n.Field < 0:
		return true
	case n.Kind == contract.ArrayNode:
		return n.Field < 0 || unnumbered(n.Elem)
	}
	return n.Kind == contract.LeafNode && n.Field < 0
}

// arrayName is the variable of an array frame: a, and a2, a3 for arrays in arrays.
func arrayName(depth int) string {
	if depth == 0 {
		return "a"
	}
	return "a" + strconv.Itoa(depth+1)
}

func isGeneric(n *contract.Node) bool { return n.Kind == contract.LeafNode && n.As == runtime.Generic }
