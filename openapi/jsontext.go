package openapi

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// jsonText writes n as JSON. Numbers keep every digit; those that YAML spells in its own way are written in JSON's.
func jsonText(n *yaml.Node) (string, error) {
	out, err := appendJSON(nil, n)
	return string(out), err
}

func appendJSON(b []byte, n *yaml.Node) (_ []byte, err error) {
	switch {
	case isObject(n):
		b = append(b, '{')
		for k, v := range entries(n) {
			b = appendComma(b, '{')
			b = append(appendString(b, k.Value), ':')
			if b, err = appendJSON(b, v); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case n.Kind == yaml.SequenceNode:
		b = append(b, '[')
		for _, v := range n.Content {
			b = appendComma(b, '[')
			if b, err = appendJSON(b, v); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
	return appendScalar(b, n)
}

// appendComma separates from what came before, unless that is the opening bracket.
func appendComma(b []byte, open byte) []byte {
	if b[len(b)-1] == open {
		return b
	}
	return append(b, ',')
}

func appendScalar(b []byte, n *yaml.Node) ([]byte, error) {
	switch n.ShortTag() {
	case "!!null":
		return append(b, "null"...), nil
	case "!!bool":
		return strconv.AppendBool(b, isTrue(n)), nil
	case "!!int", "!!float":
		number, err := jsonNumber(n.Value)
		return append(b, number...), err
	}
	return appendString(b, n.Value), nil
}

// jsonNumber gives a YAML number as a JSON number of the same value.
func jsonNumber(text string) (string, error) {
	if json.Valid([]byte(text)) { // n is a number, so nothing else that JSON has
		return text, nil
	}
	plain := strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	if v, ok := new(big.Int).SetString(plain, 0); ok { // 0x1F, 0o17, 017, 0b1
		return v.String(), nil
	}
	if f, err := strconv.ParseFloat(plain, 64); err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return "", fmt.Errorf("%s is no number of JSON", text)
	}
	return decimalText(plain)
}

// decimalText mends the spellings .5, 5., 05.0 and -.5e3 without touching a digit that counts.
func decimalText(plain string) (string, error) {
	sign := ""
	if rest, ok := strings.CutPrefix(plain, "-"); ok {
		sign, plain = "-", rest
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(plain), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	out := sign + whole
	if fraction != "" {
		out += "." + fraction
	}
	if hasExponent {
		out += "e" + exponent
	}
	if !json.Valid([]byte(out)) {
		return "", fmt.Errorf("%s is no number of JSON", plain)
	}
	return out, nil
}

// appendString writes a JSON string that a YAML reader takes for the same text: what YAML cannot hold, or breaks lines at,
// is escaped, and characters beyond the basic plane stand for themselves, since YAML has no surrogate pairs.
func appendString(b []byte, text string) []byte {
	b = append(b, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20, r >= 0x7F && r <= 0xA0, r == '\u2028', r == '\u2029', r == '\uFEFF', r == '\uFFFE', r == '\uFFFF':
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
