package textgen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/canon"
)

// compared is one part of a request that counts.
type compared struct {
	Part, Presence, As markdown
}

// comparedOf gives a line for each part that counts. Objects that must be there say nothing that their members do not say.
func comparedOf(v *contract.Version) ([]compared, error) {
	var out []compared
	for _, f := range v.Fields {
		t, err := f.Traits()
		if err != nil {
			return nil, fmt.Errorf("textgen: %s: %w", f.Path, err)
		}
		if t.Head == "object" && !t.Optional && t.Unknown == 0 && t.Null == contract.NullRefused {
			continue
		}
		line := compared{Part: code(f.Path), Presence: "required", As: words(&t) + notes(&t)}
		if t.Optional {
			line.Presence = "optional"
		}
		if strings.HasSuffix(f.Path, "[]") || strings.HasSuffix(f.Path, ".*") || strings.HasSuffix(f.Path, "}") {
			line.Presence = ""
		}
		if f.Sensitive {
			line.As += "; stored as a keyed digest, never in clear"
		}
		out = append(out, line)
	}
	return out, nil
}

// words says what two equal values have in common.
func words(t *contract.Traits) markdown {
	switch t.Head {
	case "object":
		return "an object: its members count"
	case "map":
		return "the same names with the same values"
	case "recursion":
		return "as " + code(t.Of)
	case "view":
		return "what the server reads out of the body (" + code(t.Of) + ")"
	case "union":
		if t.Of != "" {
			return "one of several kinds, told apart by " + code(t.Of)
		}
		return "one of several kinds, told apart by the JSON type"
	}
	for _, kind := range []canon.ArrayKind{canon.List, canon.Set, canon.Multiset} {
		if kind.String() == t.Head {
			return arrayWords(kind) + elementWords(t.Element)
		}
	}
	return scalarWords(t.Head)
}

func arrayWords(kind canon.ArrayKind) markdown {
	switch kind {
	case canon.Set:
		return "the same elements; their order, and how often one stands there, does not matter"
	case canon.Multiset:
		return "the same elements, each as often; their order does not matter"
	case canon.List:
	}
	return "the same elements in the same order"
}

func elementWords(t *contract.Traits) markdown {
	if t == nil || t.Head == "object" {
		return ""
	}
	return ", each: " + words(t) + notes(t)
}

func scalarWords(name string) markdown {
	switch name {
	case canon.Exact.String():
		return "the same characters"
	case canon.Int.String():
		return "the same whole number"
	case canon.Decimal.String():
		return "the same decimal value: `10`, `10.0` and `\"10.00\"` are equal"
	case canon.Double.String():
		return "the same floating-point number (IEEE 754 double)"
	case canon.Boolean.String():
		return "the same truth value"
	case canon.Instant.String():
		return "the same moment, in whatever time zone it is given"
	case canon.UUID.String():
		return "the same UUID, in small letters or capitals"
	case canon.Base64.String():
		return "the same bytes, encoded in Base64"
	case canon.ContentDigest.String():
		return "the same bytes; a file's name does not count"
	case canon.ASCIILower.String(), canon.ASCIIUpper.String():
		return "the same characters; small letters or capitals (A to Z) do not matter"
	case canon.ASCIITrim.String():
		return "the same characters; spaces around them do not count"
	case canon.Generic.String():
		return "the same JSON value; the order of its members does not matter"
	}
	return code(name)
}

func notes(t *contract.Traits) markdown {
	var out markdown
	switch t.Null {
	case contract.NullAbsent:
		out += "; `null` is the same as none"
	case contract.NullDistinct:
		out += "; `null` is a value of its own"
	case contract.NullRefused:
	}
	if t.Default != "" {
		out += "; none is the same as " + code(t.Default)
	}
	switch t.Unknown {
	case canon.RejectUnknown:
		out += "; a member that is not declared is refused"
	case canon.IgnoreUnknown:
		out += "; a member that is not declared does not count"
	case canon.IncludeUnknown:
		out += "; a member that is not declared counts"
	}
	return out
}

// unknownText says what a member of the body means that is not declared. Empty: there is no body of which members count.
func unknownText(v *contract.Version) markdown {
	if v.Body == nil || v.View != "" || !hasObject(v) {
		return ""
	}
	switch v.Unknown {
	case canon.RejectUnknown:
		return "A member of the body that is not declared is refused: the request might mean more than the server understands."
	case canon.IgnoreUnknown:
		return "A member of the body that is not declared does not count."
	case canon.IncludeUnknown:
		return "A member of the body that is not declared counts, by its JSON value."
	}
	return ""
}

func hasObject(v *contract.Version) bool {
	return slices.ContainsFunc(v.Fields, func(f contract.Field) bool {
		return strings.HasPrefix(f.Rule, "object") || strings.Contains(f.Rule, "of object")
	})
}
