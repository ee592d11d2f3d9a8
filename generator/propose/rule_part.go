package propose

import (
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

// verdict is what a rule says of a part.
type verdict struct {
	ignored bool
	value   string // of the line in fields: a normaliser, or an object
	comment string // beside the line
	// note is for parts that need no line of their own: one comment for all of them.
	note string
}

// partRule recognises a kind of part.
type partRule struct {
	name string
	fits func(*part) bool
	says verdict
}

// partRules are asked in this order; the first one that fits speaks.
var partRules = []partRule{
	{"representation", representation, verdict{ignored: true, comment: "shapes the answer only"}},
	{"dry run", dryRun, verdict{comment: "counts: a trial is another command than the real thing"}},
	{"client clock", clientClock, verdict{ignored: true, comment: "undecided: does the client set it anew on a retry? If it names a moment of the business, it belongs into fields"}},
	{"trace", trace, verdict{ignored: true, comment: "undecided: it seems to follow the request, not the command"}},
	{"metadata", metadata, verdict{ignored: true, comment: "undecided: free data; does another value make it another command?"}},
	{"secret", secret, verdict{value: "{sensitive: true}", comment: "not to be guessed from a digest: the program needs a key ring (idem.Options.Keys)"}},
	{"money as text", moneyText, verdict{value: "decimal", comment: `one amount however it is written: 10, 10.0, "10.00"`}},
	{"money as number", moneyNumber, verdict{note: "money as JSON numbers counts by its exact digits: a client that computes it in binary floating point may send 0.30000000000000004 on the retry"}},
	{"whole body", wholeBody, verdict{comment: "as a whole, as JSON: its parts cannot be told apart"}},
	{"unique items", uniqueItems, verdict{note: "the elements are unique: does their order matter? If not: `set`"}},
}

// judge gives the verdict about a part, and the rule that it comes from.
func judge(p *part) (verdict, string) {
	for _, r := range partRules {
		if r.fits(p) {
			return r.says, r.name
		}
	}
	return verdict{}, ""
}

// representation are query parameters that choose how much of the result is shown. Where forms are sent one of them stands in the body.
func representation(p *part) bool {
	if p.path.In == openapi.InBody {
		return p.top && p.name.Is("expand")
	}
	return p.path.In == openapi.InQuery && p.name.Is("expand", "expands", "include", "includes", "fields", "embed", "select", "projection",
		"pretty", "prettyprint", "prefer", "alt", "responsefields", "fieldset")
}

// dryRun are switches that turn the command into a trial.
func dryRun(p *part) bool {
	return p.top && p.name.Is("dryrun", "validate", "validateonly", "test", "testmode", "istest", "sandbox", "simulate", "preview", "previewonly")
}

// clientClock are moments at which the client did something about the request.
func clientClock(p *part) bool {
	return p.path.In != openapi.InPath && scalar(p) && p.name.SentAt()
}

// trace are names of a request on its way, not of what it asks for.
func trace(p *part) bool {
	return p.path.In != openapi.InPath && scalar(p) && (p.name.Trace() || p.name.RequestID())
}

// metadata are members that clients may fill with what they like.
func metadata(p *part) bool {
	return p.node != nil && p.name.Metadata() && free(p.node)
}

// free reports whether a client may choose the names of members at n.
func free(n *contract.Node) bool {
	switch n.Kind {
	case contract.LeafNode:
		return n.As == canon.Generic
	case contract.MapNode, contract.ObjectNode:
		return len(n.Members) == 0
	case contract.UnionNode:
		return slices.ContainsFunc(n.Union.Branches, func(b contract.Branch) bool { return free(b.Node) })
	case contract.ArrayNode, contract.RecursionNode:
	}
	return false
}

// secret are values whose digest would let somebody who has the records try out guesses, and what the document never gives out again.
func secret(p *part) bool {
	switch {
	case p.path.In == openapi.InPath || p.top && p.text == openapi.InBody.String():
		return false
	case p.any(func(s *openapi.Schema) bool { return s.WriteOnly }):
		return true
	case p.any(func(s *openapi.Schema) bool { return s.Format == "uuid" || s.Enum != nil }) || p.any(plainNumber):
		return false
	}
	return p.name.EndsIn("card") || p.name.Secret() || p.name.Token()
}

// plainNumber reports whether s is a boolean, or a number alone.
func plainNumber(s *openapi.Schema) bool {
	return len(s.Types) == 1 && (s.Types[0] == "boolean" || s.Types[0] == "integer" || s.Types[0] == "number")
}

// moneyText are amounts that are sent as texts and compared by their characters.
func moneyText(p *part) bool {
	return money(p) && (p.node == nil || p.node.Kind == contract.LeafNode && p.node.As == canon.Exact) &&
		len(p.schemas) > 0 && !p.any(func(s *openapi.Schema) bool { return !decimalText(s) })
}

// decimalText reports whether all that s says fits a text that is a decimal number.
func decimalText(s *openapi.Schema) bool {
	switch {
	case s.Enum != nil, s.Format != "" && s.Format != "money" && s.Format != "amount" && s.Format != "currency":
		return false
	case len(s.Types) > 1 || len(s.Types) == 1 && s.Types[0] != "string":
		return false
	case identifies.MatchString(s.Description):
		return false
	case s.Pattern == "":
		return true
	}
	pattern, err := regexp.Compile(s.Pattern)
	return err != nil || slices.ContainsFunc([]string{"10", "10.0", "10.00", "10.0000", "-10", "-10.00"}, pattern.MatchString)
}

// identifies finds descriptions of texts that name something: a price may be the id of one.
var identifies = regexp.MustCompile(`\b(IDs?|[Ii]dentifiers?|[Ii]dentifies)\b`)

// moneyNumber are amounts that are sent as JSON numbers with a fraction.
func moneyNumber(p *part) bool {
	return money(p) && p.any(func(s *openapi.Schema) bool { return slices.Contains(s.Types, "number") })
}

// money recognises amounts by their names, and a value by the currency beside it.
func money(p *part) bool { return p.path.In != openapi.InPath && p.name.Money(p.beside) }

// wholeBody is one whose schema names no members, or gives unions that do not say which of them came.
func wholeBody(p *part) bool {
	return p.top && p.text == openapi.InBody.String() && p.node != nil && p.node.Kind == contract.LeafNode && p.node.As == canon.Generic
}

// uniqueItems are arrays that the document calls sets of a kind.
func uniqueItems(p *part) bool {
	return p.any(func(s *openapi.Schema) bool { return s.UniqueItems })
}

// scalar reports whether p is no object and no array.
func scalar(p *part) bool {
	return !p.any(func(s *openapi.Schema) bool {
		return slices.Contains(s.Types, "object") || slices.Contains(s.Types, "array") || len(s.Properties) > 0
	})
}

// mentions reports whether a description of p has a word.
func mentions(p *part, word string) bool {
	return p.any(func(s *openapi.Schema) bool { return strings.Contains(strings.ToLower(s.Description), word) })
}
