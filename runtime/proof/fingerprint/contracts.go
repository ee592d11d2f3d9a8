package fingerprint

import (
	"slices"
	"strconv"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Contracts makes the contracts on which scanner and reference interpreter are compared. Together they have every kind of value,
// normaliser, policy, default, null rule and parameter. They are made anew with each call, so that a test may spoil one.
func Contracts() []*canon.Contract {
	all := []*canon.Contract{
		order(), leaves(), nulls(), defaults(), ignoring(), including(), mapped(), arrays(), free(), list(), params(), tree(), names16(), wide(), unions(),
	}
	for _, c := range all {
		c.ID = "5d0c1f7a92b4e863"
		c.Accepts = []canon.Media{canon.JSON}
		numberFields(c)
	}
	return all
}

// FormContracts are those of Contracts that have a body, for bodies that are JSON, a form or text, and one for each normaliser whose body may
// be bytes: no document leads to another one than digest there, but whatever a contract says of bytes, it says it to both.
func FormContracts() []*canon.Contract {
	var all []*canon.Contract
	for as := canon.Exact; as <= canon.Generic; as++ {
		c := &canon.Contract{Name: "content", ID: "5d0c1f7a92b4e863", Body: scalar(as),
			Accepts: []canon.Media{canon.JSON, canon.Form, canon.Text, canon.Octets}, Types: []string{"application/pdf", "image/*"}}
		numberFields(c)
		all = append(all, c)
	}
	for _, c := range Contracts() {
		if c.Body != nil {
			c.Accepts = []canon.Media{canon.JSON, canon.Form, canon.Text}
			c.Types = []string{"text/*"}
			all = append(all, c)
		}
	}
	return all
}

// numberFields gives every value that can be tracked a field of its own.
func numberFields(c *canon.Contract) {
	seen := map[*canon.Node]bool{}
	next := func() int {
		c.Fields = append(c.Fields, "field "+strconv.Itoa(len(c.Fields)))
		return len(c.Fields) - 1
	}
	var walk func(n *canon.Node)
	walk = func(n *canon.Node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		n.Field = next()
		for _, m := range n.Members {
			walk(m.Node)
		}
		walk(n.Elem)
		if n.Union != nil {
			for _, b := range n.Union.Branches {
				walk(b.Node)
			}
		}
	}
	walk(c.Body)
	for i := range c.Params {
		c.Params[i].Field = next()
	}
}

func scalar(as canon.Normaliser) *canon.Node { return &canon.Node{Kind: canon.LeafNode, As: as} }

func rows(kind canon.ArrayKind, of *canon.Node) *canon.Node {
	return &canon.Node{Kind: canon.ArrayNode, Array: kind, Elem: of}
}

func entries(of *canon.Node, declared ...canon.NodeMember) *canon.Node {
	return &canon.Node{Kind: canon.MapNode, Elem: of, Members: inOrder(declared)}
}

func structure(unknown canon.UnknownPolicy, members ...canon.NodeMember) *canon.Node {
	return &canon.Node{Kind: canon.ObjectNode, Unknown: unknown, Members: inOrder(members)}
}

func inOrder(members []canon.NodeMember) []canon.NodeMember {
	slices.SortFunc(members, func(a, b canon.NodeMember) int { return canon.CompareNames(a.Name, b.Name) })
	return members
}

func optional(name string, n *canon.Node) canon.NodeMember {
	return canon.NodeMember{Name: name, Node: n}
}

func required(name string, n *canon.Node) canon.NodeMember {
	return canon.NodeMember{Name: name, Node: n, Required: true}
}

func defaulted(name, text string, n *canon.Node) canon.NodeMember {
	return canon.NodeMember{Name: name, Node: n, Default: text}
}

func leftOut(name string) canon.NodeMember { return canon.NodeMember{Name: name, Ignored: true} }

func withNull(rule canon.NullRule, n *canon.Node) *canon.Node { n.Null = rule; return n }

func order() *canon.Contract {
	money := structure(canon.RejectUnknown, required("currency", scalar(canon.ASCIIUpper)), required("value", scalar(canon.Decimal)))
	item := structure(canon.RejectUnknown, required("sku", scalar(canon.Exact)), optional("qty", scalar(canon.Int)), optional("price", money),
		optional("tags", rows(canon.Set, scalar(canon.Exact))))
	return &canon.Contract{Name: "createOrder", BodyRequired: true, Body: structure(canon.RejectUnknown,
		required("amount", money), optional("items", rows(canon.List, item)), optional("at", scalar(canon.Instant)),
		required("id", scalar(canon.UUID)), optional("labels", entries(scalar(canon.Exact))), leftOut("note"), leftOut("trace")),
		Params: []canon.Param{
			{In: canon.InHeader, Name: "x-account", As: canon.Exact},
			{In: canon.InPath, Name: "shopId", As: canon.Exact, Required: true},
			{In: canon.InQuery, Name: "dry", As: canon.Boolean},
		}}
}

func leaves() *canon.Contract {
	body := structure(canon.RejectUnknown)
	for as := canon.Exact; as <= canon.Generic; as++ {
		body.Members = append(body.Members, optional(as.String(), scalar(as)))
	}
	inOrder(body.Members)
	return &canon.Contract{Name: "leaves", Body: body}
}

func nulls() *canon.Contract {
	inner := func() *canon.Node { return structure(canon.RejectUnknown, optional("x", scalar(canon.Int))) }
	body := withNull(canon.NullDistinct, structure(canon.RejectUnknown))
	for _, rule := range []struct {
		name string
		null canon.NullRule
	}{{"absent", canon.NullAbsent}, {"distinct", canon.NullDistinct}, {"refused", canon.NullRefused}} {
		body.Members = append(body.Members,
			optional(rule.name+"Array", withNull(rule.null, rows(canon.Set, withNull(canon.NullDistinct, scalar(canon.Exact))))),
			optional(rule.name+"Generic", withNull(rule.null, scalar(canon.Generic))),
			optional(rule.name+"Leaf", withNull(rule.null, scalar(canon.Decimal))),
			optional(rule.name+"Map", withNull(rule.null, entries(withNull(rule.null, scalar(canon.Exact))))),
			optional(rule.name+"Object", withNull(rule.null, inner())),
			defaulted(rule.name+"Zero", `"0"`, withNull(rule.null, scalar(canon.Int))),
		)
	}
	inOrder(body.Members)
	return &canon.Contract{Name: "nulls", Body: body}
}

func defaults() *canon.Contract {
	inner := structure(canon.IncludeUnknown, defaulted("m", "true", scalar(canon.Boolean)), required("k", scalar(canon.Exact)))
	return &canon.Contract{Name: "defaults", BodyRequired: true, Body: structure(canon.IgnoreUnknown,
		defaulted("a", `"1"`, scalar(canon.Int)), defaulted("b", `["x","y"]`, rows(canon.Set, scalar(canon.ASCIILower))),
		optional("c", inner), defaulted("d", `{"k":"v","m":true}`, inner), defaulted("e", "null", withNull(canon.NullAbsent, scalar(canon.Exact))),
		canon.NodeMember{Name: "f", Ignored: true, Required: true}, required("g", scalar(canon.Exact)), defaulted("z", `"é"`, scalar(canon.Exact))),
		Params: []canon.Param{
			{In: canon.InHeader, Name: "x-mode", As: canon.ASCIILower, Default: `"live"`},
			{In: canon.InQuery, Name: "limit", As: canon.Int, Default: `"10"`},
			{In: canon.InQuery, Name: "sort", As: canon.Exact, Array: canon.List, Default: `["id"]`},
		}}
}

func ignoring() *canon.Contract {
	return &canon.Contract{Name: "ignoring", Body: structure(canon.IgnoreUnknown, optional("mask", scalar(canon.Exact)),
		optional("kind", structure(canon.IgnoreUnknown)), leftOut("Skip"), optional("stack", rows(canon.List, structure(canon.IgnoreUnknown, optional("s", scalar(canon.Exact))))))}
}

func including() *canon.Contract {
	return &canon.Contract{Name: "including", Body: structure(canon.IncludeUnknown, optional("mask", scalar(canon.Exact)),
		optional("kind", structure(canon.IncludeUnknown)), leftOut("Skip"), optional("ümlaut", scalar(canon.Int)),
		optional("stack", rows(canon.Multiset, structure(canon.IncludeUnknown, optional("s", scalar(canon.Exact))))))}
}

func mapped() *canon.Contract {
	inner := entries(rows(canon.List, scalar(canon.Int)))
	return &canon.Contract{Name: "mapped", Body: entries(scalar(canon.ASCIITrim), optional("maps", entries(inner)), leftOut("skip"),
		optional("mixed", entries(scalar(canon.Decimal), required("sum", scalar(canon.Int)), defaulted("unit", `"m"`, scalar(canon.Exact)))),
		optional("objects", entries(withNull(canon.NullDistinct, structure(canon.RejectUnknown, optional("at", scalar(canon.Instant)))))))}
}

func arrays() *canon.Contract {
	point := structure(canon.RejectUnknown, required("x", scalar(canon.Double)), optional("y", scalar(canon.Double)))
	return &canon.Contract{Name: "arrays", BodyRequired: true, Body: structure(canon.RejectUnknown,
		optional("deep", rows(canon.List, rows(canon.Set, rows(canon.Multiset, rows(canon.List, scalar(canon.Int)))))),
		optional("points", rows(canon.Set, point)), optional("bag", rows(canon.Multiset, withNull(canon.NullDistinct, scalar(canon.Decimal)))),
		optional("any", rows(canon.Set, scalar(canon.Generic))), optional("times", rows(canon.Set, scalar(canon.Instant))),
		optional("maps", rows(canon.Set, entries(scalar(canon.ASCIIUpper)))))}
}

func free() *canon.Contract {
	return &canon.Contract{Name: "free", Body: scalar(canon.Generic)}
}

func list() *canon.Contract {
	return &canon.Contract{Name: "list", Body: rows(canon.List, withNull(canon.NullDistinct, scalar(canon.Exact)))}
}

func params() *canon.Contract {
	return &canon.Contract{Name: "params", Params: []canon.Param{
		{In: canon.InHeader, Name: "x-codes", As: canon.ASCIIUpper, Array: canon.Set, Split: ','},
		{In: canon.InHeader, Name: "x-lines", As: canon.Exact, Array: canon.List},
		{In: canon.InHeader, Name: "x-one", As: canon.Decimal},
		{In: canon.InPath, Name: "ids", Index: 1, As: canon.Int, Array: canon.List, Split: ','},
		{In: canon.InPath, Name: "when", Index: 0, As: canon.Instant, Required: true},
		{In: canon.InQuery, Name: "a b", As: canon.Exact},
		{In: canon.InQuery, Name: "bag", As: canon.Decimal, Array: canon.Multiset},
		{In: canon.InQuery, Name: "codes", As: canon.Exact, Array: canon.Set, Split: '|'},
		{In: canon.InQuery, Name: "file", As: canon.ContentDigest},
		{In: canon.InQuery, Name: "flag", As: canon.Boolean},
		{In: canon.InQuery, Name: "free", As: canon.Generic},
		{In: canon.InQuery, Name: "id", As: canon.UUID},
		{In: canon.InQuery, Name: "n", As: canon.Int, Default: `"5"`},
		{In: canon.InQuery, Name: "raw", As: canon.Base64},
		{In: canon.InQuery, Name: "trim", As: canon.ASCIITrim},
		{In: canon.InQuery, Name: "x", As: canon.Double},
		{In: canon.InQuery, Name: "é", As: canon.ASCIILower},
	}}
}

// tree is a node that has nodes below it.
func tree() *canon.Contract {
	body := structure(canon.RejectUnknown)
	body.Members = inOrder([]canon.NodeMember{optional("id", scalar(canon.Exact)), optional("kids", rows(canon.Set, body)), optional("next", body),
		optional("named", entries(body))})
	return &canon.Contract{Name: "tree", Body: body}
}

// names16 has names whose order and spelling is easy to get wrong.
func names16() *canon.Contract {
	body := structure(canon.RejectUnknown)
	for _, name := range []string{"", "\n", "\"", "\\", "/", "a", "aa", "A1", "\u007f", "é", "\u2028", "\ud7ff", "\ue000", "\ufb33", "\ufffd", "\U0001F602", "\U0010FFFF"} {
		body.Members = append(body.Members, optional(name, scalar(canon.Exact)))
	}
	inOrder(body.Members)
	return &canon.Contract{Name: "names", Body: entries(body)}
}

// wide has more members, and entries, than anything that is handled one by one.
func wide() *canon.Contract {
	body := structure(canon.IncludeUnknown)
	for i := range 40 {
		body.Members = append(body.Members, optional("member"+strconv.Itoa(i), scalar(canon.Int)))
	}
	inOrder(body.Members)
	return &canon.Contract{Name: "wide", Body: body}
}

// unions has values that are one of several, told apart by a member or by type, in each other too.
func unions() *canon.Contract {
	card := structure(canon.RejectUnknown, required("type", scalar(canon.Exact)), optional("number", scalar(canon.Exact)))
	bank := structure(canon.IncludeUnknown, required("type", scalar(canon.Exact)), optional("iban", scalar(canon.ASCIIUpper)))
	method := withNull(canon.NullDistinct, oneOf("type", canon.Branch{Label: "card", Node: card}, canon.Branch{Label: "bänk", Node: bank}))
	bank.Members = inOrder(append(bank.Members, optional("other", method)))
	amount := withNull(canon.NullAbsent, oneOf("", canon.Branch{Label: "number", Node: scalar(canon.Decimal)}, canon.Branch{Label: "string", Node: scalar(canon.Exact)},
		canon.Branch{Label: "boolean", Node: scalar(canon.Boolean)}, canon.Branch{Label: "array", Node: rows(canon.Set, method)}))
	return &canon.Contract{Name: "unions", Body: oneOf("", canon.Branch{Label: "array", Node: rows(canon.List, method)},
		canon.Branch{Label: "object", Node: structure(canon.RejectUnknown, optional("amount", amount), optional("by", method), optional("named", entries(method)))})}
}

func oneOf(discriminator string, branches ...canon.Branch) *canon.Node {
	return &canon.Node{Kind: canon.UnionNode, Union: &canon.Union{Discriminator: discriminator, Branches: branches}}
}
