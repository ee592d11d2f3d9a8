package contract

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
)

// variants are other JSON texts for a field, seen from its sample. An empty one does not exist.
type variants struct {
	equal   string // the same value, spelled otherwise
	differs string // another value
	refused string // none that the normaliser takes
	is      string // what the refused one is not
}

func variantsOf(as canon.Normaliser, text string) variants {
	if (as == canon.Int || as == canon.Decimal) && strings.HasPrefix(text, `"`) {
		return quotedVariants(as, textOf(text))
	}
	count, _ := strconv.Atoi(strings.TrimSuffix(text, ".5")) // of a sample with a number in it
	number := strconv.Itoa(count)
	tenfold := strconv.Itoa(count*10+5) + "e-1"
	inner := textOf(text)
	other := quoteJSON(inner + "x")
	switch as {
	case canon.Int:
		return variants{equal: quoteJSON(text), differs: strconv.Itoa(count + 1), refused: text + ".0", is: "integer"}
	case canon.Decimal:
		return variants{equal: tenfold, differs: text + "1", refused: `"NaN"`, is: "number"}
	case canon.Double:
		return variants{equal: tenfold, differs: number + ".25", refused: quoteJSON(text), is: "number"}
	case canon.Boolean:
		return variants{differs: strconv.FormatBool(text != "true"), refused: quoteJSON(text), is: "boolean"}
	case canon.Instant:
		east := strings.TrimSuffix(strings.Replace(inner, "T03", "T04", 1), "Z") + "+01:00"
		return variants{equal: quoteJSON(east), differs: quoteJSON(strings.TrimSuffix(inner, "Z") + ".5Z"), refused: `"2026-01-02"`, is: "date-time"}
	case canon.UUID:
		return variants{equal: quoteJSON(strings.ToUpper(inner)), differs: quoteJSON(strings.Replace(inner, "-4000-", "-4001-", 1)), refused: `"0"`, is: "UUID"}
	case canon.Base64:
		raw, _ := base64.StdEncoding.DecodeString(inner) // it is a sample
		return variants{differs: quoteJSON(base64.StdEncoding.EncodeToString(append(raw, 'x'))), refused: quoteJSON(inner + "!"), is: "base64"}
	case canon.ASCIILower:
		return variants{equal: quoteJSON(strings.ToUpper(inner)), differs: other, refused: "1", is: "text"}
	case canon.ASCIIUpper:
		return variants{equal: quoteJSON(strings.ToLower(inner)), differs: other, refused: "1", is: "text"}
	case canon.ASCIITrim:
		return variants{equal: quoteJSON(" " + inner + "\n"), differs: other, refused: "1", is: "text"}
	case canon.Exact, canon.ContentDigest:
		return variants{differs: other, refused: "1", is: "text"}
	case canon.Generic:
		return genericVariants(text)
	}
	return variants{}
}

// quotedVariants are those of a number that is declared as a text. An integer has one spelling as a text, so the other one is a number.
func quotedVariants(as canon.Normaliser, number string) variants {
	v := variantsOf(as, number)
	v.differs = quoteJSON(v.differs)
	if as == canon.Int {
		v.equal, v.refused = number, quoteJSON(v.refused)
		return v
	}
	v.equal = quoteJSON(v.equal)
	return v
}

// genericVariants are those of {"name":1}.
func genericVariants(text string) variants {
	name, number, _ := strings.Cut(strings.Trim(text, "{}"), ":")
	return variants{
		equal:   "{" + name + ":" + number + ".0}",
		differs: "{" + name + ":" + quoteJSON(number) + "}",
		refused: "{" + name + ":1," + name + ":1}", is: "value: a member stands twice",
	}
}

// isText reports whether any characters are a value.
func isText(as canon.Normaliser) bool {
	switch as {
	case canon.Exact, canon.ASCIILower, canon.ASCIIUpper, canon.ASCIITrim:
		return true
	case canon.Int, canon.Decimal, canon.Double, canon.Boolean, canon.Instant, canon.UUID, canon.Base64, canon.ContentDigest, canon.Generic:
	}
	return false
}

// sentText gives a JSON text that a canonical one stands for: what a client sends that spells a default out. Empty where there is none.
func sentText(n *canon.Node, canonical string) string {
	switch {
	case canonical == "null":
		return canonical
	case n.Kind == canon.ArrayNode:
		var elements []json.RawMessage
		if json.Unmarshal([]byte(canonical), &elements) != nil {
			return ""
		}
		texts := make([]string, len(elements))
		for i, e := range elements {
			if texts[i] = sentText(n.Elem, string(e)); texts[i] == "" {
				return ""
			}
		}
		return "[" + strings.Join(texts, ",") + "]"
	case n.Kind == canon.LeafNode && n.As == canon.Double:
		return textOf(canonical) // a double must not be a string
	case n.Kind == canon.LeafNode && n.As != canon.Generic:
		return canonical
	}
	return "" // objects by their members, and generic values by their tags: nobody writes such defaults
}
