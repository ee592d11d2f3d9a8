package openapi

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// textWriter is what bytes.Buffer and strings.Builder share. Their methods never fail.
type textWriter interface {
	io.Writer
	io.StringWriter
	io.ByteWriter
	WriteRune(r rune) (int, error)
}

// jsonText writes n as JSON. Numbers keep every digit; those that YAML spells in its own way are written in JSON's.
func jsonText(n *yaml.Node) (string, error) {
	var b strings.Builder
	if err := writeJSON(&b, n); err != nil {
		return "", err
	}
	return b.String(), nil
}

func writeJSON(b textWriter, n *yaml.Node) error {
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		first := true
		for k, v := range entries(n) {
			if !first {
				b.WriteByte(',')
			}
			first = false
			writeString(b, k.Value)
			b.WriteByte(':')
			if err := writeJSON(b, v); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, v := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeJSON(b, v); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	return writeScalar(b, n)
}

func writeScalar(b textWriter, n *yaml.Node) error {
	switch n.ShortTag() {
	case "!!null":
		b.WriteString("null")
	case "!!bool":
		b.WriteString(strconv.FormatBool(isTrue(n)))
	case "!!int", "!!float":
		number, err := jsonNumber(n.Value)
		if err != nil {
			return err
		}
		b.WriteString(number)
	default:
		writeString(b, n.Value)
	}
	return nil
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

// writeString writes a JSON string that a YAML reader takes for the same text: what YAML cannot hold, or breaks lines at,
// is escaped, and characters beyond the basic plane stand for themselves, since YAML has no surrogate pairs.
func writeString(b textWriter, text string) {
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < 0x20, r >= 0x7F && r <= 0xA0, r == '\u2028', r == '\u2029', r == '\uFEFF', r == '\uFFFE', r == '\uFFFF':
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
}
