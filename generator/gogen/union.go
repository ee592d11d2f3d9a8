package gogen

import (
	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// kinds are canon's names for the labels of branches that differ by JSON type.
var kinds = map[string]string{
	"string": "KindString", "number": "KindNumber", "boolean": "KindBoolean", "array": "KindArray", "object": "KindObject",
}

// walkBranches declares what the branches need. Those that share a node share its function.
func (s *scanner) walkBranches(u *contract.Union, path string) {
	for _, b := range u.Branches {
		s.walk(b.Node, branchPath(path, b.Label))
	}
}

// unionFunc declares the function that reads one value of a union, wrapped by its branch.
func (s *scanner) unionFunc(n *contract.Node, path string) jen.Code {
	cases := make([]jen.Code, 0, len(n.Union.Branches)+1)
	read := make([]*contract.Node, 0, len(n.Union.Branches))
	for _, b := range n.Union.Branches {
		body := append([]jen.Code{jen.Id("s").Dot("Branch").Call(jen.Lit(b.Label))}, readValue(b.Node, 0)...)
		body = append(body, jen.Id("s").Dot("EndBranch").Call())
		cases = append(cases, jen.Case(branchCase(n.Union, b)).Block(body...))
		read = append(read, b.Node)
	}
	cases = append(cases, jen.Default().Block(jen.Id("s").Dot("NoBranch").Call()))
	chosen, about := jen.Id("s").Dot("Kind").Call(), "whose JSON type says of which kind it is"
	if d := n.Union.Discriminator; d != "" {
		chosen = jen.String().Call(jen.Id("s").Dot("Discriminator").Call(jen.Lit(d)))
		about = "whose member " + excerpt(d) + " says of which kind it is"
	}
	return s.readFunc(n, path, about, read, jen.Switch(chosen).Block(cases...))
}

func branchCase(u *contract.Union, b contract.Branch) jen.Code {
	if u.Discriminator != "" {
		return jen.Lit(b.Label)
	}
	return canon(kinds[b.Label])
}

// arrayFunc declares the function of an array that stands inside itself. Every other array is a loop where it stands.
func (s *scanner) arrayFunc(n *contract.Node, path string) jen.Code {
	return s.readFunc(n, path, "which may stand in itself", []*contract.Node{n}, readElements(n, 0)...)
}

func (s *scanner) readFunc(n *contract.Node, path, about string, read []*contract.Node, body ...jen.Code) jen.Code {
	return doc(append([]string{scanName(n) + " reads " + excerpt(path) + ", " + about + "."}, aboutNumbers(s.fields, read...)...)...).
		Func().Id(scanName(n)).Params(jen.Id("s").Op("*").Add(canon("Scanner"))).Block(body...)
}

// branchPath spells the path of a branch as the lock does, where its label is a plain word.
func branchPath(parent, label string) string { return parent + "{" + label + "}" }
