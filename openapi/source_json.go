package openapi

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/openapi/diag"
)

// jsonFault is where and why a text is not JSON.
type jsonFault struct {
	at      int // byte offset
	code    diag.Code
	message string
}

// parseJSON reads data as RFC 8259 says into the nodes that YAML would give. A YAML reader will not do: it refuses
// surrogate pairs, and it reads numbers and duplicate names in its own way. duplicate hears of every name that repeats.
func parseJSON(data []byte, duplicate func(first, second *yaml.Node)) (*yaml.Node, *jsonFault) {
	p := &jsonParser{data: data, duplicate: duplicate, names: map[string]string{}, line: 1}
	p.space()
	root := p.value(0)
	if p.fault == nil {
		p.space()
		if p.at < len(p.data) {
			p.fail("something follows the end of the document")
		}
	}
	if p.fault != nil {
		return nil, p.fault
	}
	return root, nil
}

type jsonParser struct {
	data      []byte
	at        int
	line      int
	lineStart int // offset
	duplicate func(first, second *yaml.Node)
	names     map[string]string // every name once
	slab      []yaml.Node
	fault     *jsonFault
}

func (p *jsonParser) fail(format string, args ...any) {
	if p.fault == nil {
		p.fault = &jsonFault{at: p.at, code: diag.Syntax, message: fmt.Sprintf(format, args...)}
	}
}

// node gives a node that stands at the current place.
func (p *jsonParser) node(kind yaml.Kind, tag string) *yaml.Node {
	if len(p.slab) == 0 {
		p.slab = make([]yaml.Node, 256)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	n.Kind, n.Tag, n.Line, n.Column = kind, tag, p.line, p.at-p.lineStart+1
	return n
}

func (p *jsonParser) space() {
	for p.at < len(p.data) {
		switch p.data[p.at] {
		case '\n':
			p.line++
			p.lineStart = p.at + 1
		case ' ', '\t', '\r':
		default:
			return
		}
		p.at++
	}
}

func (p *jsonParser) peek() byte {
	if p.at < len(p.data) {
		return p.data[p.at]
	}
	return 0
}

// value reads one value; the result means nothing once fault is set.
func (p *jsonParser) value(depth int) *yaml.Node {
	if depth > maxDepth {
		p.fail("values are nested deeper than %d levels", maxDepth)
		p.fault.code = diag.TooMuch
		return nil
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '"':
		n := p.node(yaml.ScalarNode, "!!str")
		n.Style = yaml.DoubleQuotedStyle
		n.Value = string(p.text())
		return n
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	for word, tag := range map[string]string{"true": "!!bool", "false": "!!bool", "null": "!!null"} {
		if len(p.data)-p.at >= len(word) && string(p.data[p.at:p.at+len(word)]) == word {
			n := p.node(yaml.ScalarNode, tag)
			n.Value = word
			p.at += len(word)
			return n
		}
	}
	if p.at >= len(p.data) {
		p.fail("the document ends where a value is expected")
	} else {
		p.fail("a value is expected here")
	}
	return nil
}

func (p *jsonParser) object(depth int) *yaml.Node {
	n := p.node(yaml.MappingNode, "!!map")
	n.Style = yaml.FlowStyle
	names := nameSet{}
	p.list('}', func() {
		if p.peek() != '"' {
			p.fail("a member's name in double quotes is expected here")
			return
		}
		key := p.node(yaml.ScalarNode, "!!str")
		key.Style = yaml.DoubleQuotedStyle
		key.Value = p.name()
		p.space()
		if p.peek() != ':' {
			p.fail("a colon is expected after the member's name")
			return
		}
		p.at++
		p.space()
		value := p.value(depth + 1)
		if p.fault != nil {
			return
		}
		if first := names.add(key); first != nil {
			p.duplicate(first, key)
			return
		}
		n.Content = append(n.Content, key, value)
	})
	return n
}

func (p *jsonParser) array(depth int) *yaml.Node {
	n := p.node(yaml.SequenceNode, "!!seq")
	n.Style = yaml.FlowStyle
	p.list(']', func() {
		if v := p.value(depth + 1); p.fault == nil {
			n.Content = append(n.Content, v)
		}
	})
	return n
}

// list reads what stands between the bracket at the current place and end, separated by commas.
func (p *jsonParser) list(end byte, item func()) {
	p.at++
	p.space()
	if p.peek() == end {
		p.at++
		return
	}
	for p.fault == nil {
		item()
		if p.fault != nil {
			return
		}
		p.space()
		switch p.peek() {
		case ',':
			p.at++
			p.space()
			if p.peek() == end {
				p.fail("a comma is not allowed before %c", end)
			}
		case end:
			p.at++
			return
		default:
			p.fail("a comma or %c is expected here", end)
		}
	}
}

// name reads a member's name; equal names share memory.
func (p *jsonParser) name() string {
	text := p.text()
	if name, ok := p.names[string(text)]; ok {
		return name
	}
	name := string(text)
	p.names[name] = name
	return name
}

// text reads a string without its quotes. The result is good until the next call where it holds escapes.
func (p *jsonParser) text() []byte {
	p.at++
	start := p.at
	for p.at < len(p.data) {
		switch c := p.data[p.at]; {
		case c == '"':
			p.at++
			return p.data[start : p.at-1]
		case c == '\\':
			return p.escaped(append([]byte(nil), p.data[start:p.at]...))
		case c < 0x20:
			p.fail("a string cannot hold the control character U+%04X; it is written as an escape", c)
			return nil
		}
		p.at++
	}
	p.fail("a string does not end")
	return nil
}

// escaped reads the rest of a string from its first escape on.
func (p *jsonParser) escaped(out []byte) []byte {
	for p.at < len(p.data) && p.fault == nil {
		switch c := p.data[p.at]; {
		case c == '"':
			p.at++
			return out
		case c == '\\':
			out = p.escape(out)
			continue
		case c < 0x20:
			p.fail("a string cannot hold the control character U+%04X; it is written as an escape", c)
			return nil
		default:
			out = append(out, c)
		}
		p.at++
	}
	p.fail("a string does not end")
	return nil
}

func (p *jsonParser) escape(out []byte) []byte {
	const plain, means = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if p.at+1 >= len(p.data) {
		p.fail("a string does not end")
		return out
	}
	c := p.data[p.at+1]
	for i := range len(plain) {
		if plain[i] == c {
			p.at += 2
			return append(out, means[i])
		}
	}
	unit, ok := p.unit(p.at)
	if !ok {
		p.fail(`\%s is no escape of JSON`, printableByte(c))
		return out
	}
	p.at += 6
	if utf16.IsSurrogate(unit) {
		low, _ := p.unit(p.at)
		if pair := utf16.DecodeRune(unit, low); pair != utf8.RuneError {
			p.at += 6
			return utf8.AppendRune(out, pair)
		}
		unit = utf8.RuneError // half a pair is no character
	}
	return utf8.AppendRune(out, unit)
}

// unit reads \uXXXX at offset at.
func (p *jsonParser) unit(at int) (rune, bool) {
	if at+6 > len(p.data) || p.data[at] != '\\' || p.data[at+1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(p.data[at+2:at+6]), 16, 16)
	return rune(v), err == nil
}

func printableByte(c byte) string {
	if c < 0x20 || c >= utf8.RuneSelf {
		return fmt.Sprintf("0x%02X", c)
	}
	return string(rune(c))
}

func (p *jsonParser) number() *yaml.Node {
	n := p.node(yaml.ScalarNode, "!!int")
	start := p.at
	if p.peek() == '-' {
		p.at++
	}
	switch {
	case p.peek() == '0':
		p.at++
	case !p.digits():
		return nil
	}
	if p.peek() == '.' {
		n.Tag = "!!float"
		p.at++
		if !p.digits() {
			return nil
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		n.Tag = "!!float"
		p.at++
		if c := p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.digits() {
			return nil
		}
	}
	n.Value = string(p.data[start:p.at])
	return n
}

func (p *jsonParser) digits() bool {
	start := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	if p.at == start {
		p.fail("a digit is expected here")
	}
	return p.at > start
}
