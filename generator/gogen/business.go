package gogen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/idemgen/idemgen/generator/contract"
)

// businessDecls declare the function that gives a request's business key, and what it reads by; none where the operation has no such key.
func businessDecls(op *contract.Contract) []jen.Code {
	if op.Unique == nil {
		return nil
	}
	v := &op.Unique.Version
	by := tables{bodyName(op), op.Names.BusinessParams}
	about := []string{
		op.Names.Business + " gives the business key of a request: the digest of " + excerpt(strings.Join(op.Unique.Paths, ", ")) + ".",
		"It refuses a request that lacks one of them: such a request has no business key.",
	}
	var decls []jen.Code
	if ownBody(op) {
		by.body = op.Names.BusinessBody
		decls = append(decls, specVar(by.body, "says what bodies can hold a business key: those that "+endpoint(op)+" takes, where there is one.", v.Spec))
	}
	decls = append(decls, digestFunc(op.Names.Business, about, v, by, op.Unique.DigestName(op.Name)))
	decls = append(decls, scanDecls(v.Body, "")...)
	return append(decls, paramTable(op.Names.BusinessParams, v.Params, "of the business key")...)
}

// ownBody reports whether the business key needs a table of bodies beside the operation's: a body that may be absent has to be there.
func ownBody(op *contract.Contract) bool {
	v := &op.Unique.Version
	return v.Body != nil && !jsonOnly(v.Spec) && v.Spec.Required != op.Spec.Required
}

// businessKey is the descriptor's field.
func businessKey(op *contract.Contract) jen.Code {
	return jen.Op("&").Add(idem("BusinessKey")).Values(member("Fields", stringList(op.Unique.Paths)), member("Digest", jen.Id(op.Names.Business)))
}

// business checks a business key.
func (k *checker) business(op *contract.Contract) {
	v := &op.Unique.Version
	k.export(op.Names.Business)
	if len(op.Unique.Paths) == 0 || v.Body == nil && len(v.Params) == 0 {
		k.fail("the business key has no values")
	}
	if len(v.Params) > 0 {
		k.declare(op.Names.BusinessParams)
	}
	if ownBody(op) {
		k.declare(op.Names.BusinessBody)
	}
	for _, p := range v.Params {
		k.param(p, 0)
		if !p.Required && p.Default == "" {
			k.fail("parameter %q of the business key is not demanded", p.Name)
		}
	}
	switch {
	case v.Body == nil:
	case op.BodyType == nil || !v.Spec.Required:
		k.fail("the business key does not demand its body")
	default:
		k.node(v.Body, "body", 0, 0)
		k.demanded(v.Body, "body")
	}
}

// demanded checks that every value below n has to be there. A business key stands in no array and not in itself.
func (k *checker) demanded(n *contract.Node, path string) {
	if n == nil {
		return // reported
	}
	if n.Null != contract.NullRefused || isGeneric(n) {
		k.fail("%s of the business key may be null", path)
	}
	switch n.Kind {
	case contract.LeafNode:
	case contract.ObjectNode:
		for _, m := range n.Members {
			if m.Ignored {
				continue
			}
			if !m.Required && m.Default == "" {
				k.fail("%s of the business key is not demanded", memberPath(path, m.Name))
			}
			k.demanded(m.Node, memberPath(path, m.Name))
		}
	case contract.UnionNode:
		if n.Union != nil { // else reported
			for _, b := range n.Union.Branches {
				k.demanded(b.Node, branchPath(path, b.Label))
			}
		}
	case contract.ArrayNode, contract.MapNode, contract.RecursionNode:
		k.fail("%s of the business key is no plain value", path)
	default: // reported
	}
}
