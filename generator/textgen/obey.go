package textgen

import (
	"encoding/json"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/runtime/canon"
)

const (
	// mostLength is up to how many characters an example grows to be long enough.
	mostLength = 200
	// mostTurns is how often what a pattern repeats is repeated to find a text of the right length.
	mostTurns = 40
	// mostSteps bounds the work on a pattern whose repetitions stand inside of each other.
	mostSteps = 2000
)

// formats are texts of the formats that validators know.
var formats = map[string]string{
	"date": "2026-01-31", "time": "12:00:00Z", "duration": "P1D", "email": "name@example.com", "idn-email": "name@example.com",
	"uri": "https://example.com/", "url": "https://example.com/", "iri": "https://example.com/", "uri-reference": "/a", "iri-reference": "/a", "json-pointer": "/a",
	"hostname": "host.example.com", "idn-hostname": "host.example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"int32": "1", "int64": "1", "uint64": "1", "float": "10.5", "double": "10.5",
}

// formatText is a text of a format, and the name of one that nobody here knows.
func formatText(format string) string {
	switch format {
	case "date-time":
		return textAs(canon.Instant)
	case "uuid":
		return textAs(canon.UUID)
	case "byte":
		return textAs(canon.Base64)
	case "decimal":
		return textAs(canon.Decimal)
	}
	if text, ok := formats[format]; ok {
		return text
	}
	return format
}

// obey makes a JSON string one that is as long as the schemas say, of their format, and of their patterns where those are simple. Where no
// such text is found it stays.
func (d declared) obey(quoted string) string {
	var text string
	if json.Unmarshal([]byte(quoted), &text) != nil {
		return quoted
	}
	usual := text == textAs(canon.Exact)
	for _, s := range d {
		if usual && s.Format != "" {
			text, usual = formatText(s.Format), false
		}
	}
	for _, candidate := range d.candidates(text) {
		if d.takes(candidate) {
			return quote(candidate)
		}
	}
	return quote(text)
}

// candidates are texts that may fit, the best first.
func (d declared) candidates(text string) []string {
	out := []string{text, d.measured(text), d.measured(textAs(canon.Exact))}
	for _, s := range d {
		pattern, err := syntax.Parse(s.Pattern, syntax.Perl)
		if s.Pattern == "" || err != nil {
			continue
		}
		for turns := range mostTurns {
			b := speller{turns: turns}
			if !b.spell(pattern) || b.Len() > mostLength {
				break
			}
			out = append(out, b.String())
		}
	}
	return out
}

// measured cuts or repeats a text to a length that the schemas take.
func (d declared) measured(text string) string {
	for _, s := range d {
		for n := utf8.RuneCountInString(text); text != "" && uint64(n) < min(s.MinLength, mostLength); n = utf8.RuneCountInString(text) {
			text += text
		}
	}
	for _, s := range d {
		if runes := []rune(text); s.MaxLength != nil && uint64(len(runes)) > *s.MaxLength {
			text = string(runes[:*s.MaxLength])
		}
	}
	return text
}

// takes reports whether the schemas take a text. A pattern that Go cannot read takes all.
func (d declared) takes(text string) bool {
	for _, s := range d {
		if !takes(s, text) {
			return false
		}
	}
	return true
}

func takes(s *openapi.Schema, text string) bool {
	n := uint64(utf8.RuneCountInString(text))
	if n < s.MinLength || s.MaxLength != nil && n > *s.MaxLength {
		return false
	}
	if s.Pattern == "" {
		return true
	}
	pattern, err := regexp.Compile(s.Pattern)
	return err != nil || pattern.MatchString(text)
}

// speller writes a text of a pattern, in which what may be repeated comes turns times, as far as it may.
type speller struct {
	strings.Builder
	turns, steps int
}

// spell writes a text of p. False: the pattern is not simple, or its text is long.
func (b *speller) spell(p *syntax.Regexp) bool {
	if b.steps++; b.steps > mostSteps || b.Len() > mostLength {
		return false
	}
	switch p.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText:
		return true
	case syntax.OpLiteral:
		b.WriteString(string(p.Rune))
		return true
	case syntax.OpCharClass:
		return b.class(p.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
		return true
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range p.Sub {
			if !b.spell(sub) {
				return false
			}
		}
		return true
	case syntax.OpAlternate:
		return b.spell(p.Sub[0])
	case syntax.OpStar:
		return b.repeat(p.Sub[0], 0, mostTurns)
	case syntax.OpPlus:
		return b.repeat(p.Sub[0], 1, mostTurns)
	case syntax.OpQuest:
		return b.repeat(p.Sub[0], 0, 1)
	case syntax.OpRepeat:
		if p.Max < 0 {
			return b.repeat(p.Sub[0], p.Min, mostTurns)
		}
		return b.repeat(p.Sub[0], p.Min, p.Max)
	case syntax.OpNoMatch, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
	}
	return false
}

func (b *speller) repeat(p *syntax.Regexp, least, most int) bool {
	for range max(least, min(b.turns, most)) {
		if !b.spell(p) {
			return false
		}
	}
	return true
}

// class writes a character of a class, a plain one if it has one. ranges are pairs of the first and the last character.
func (b *speller) class(ranges []rune) bool {
	for _, wanted := range "1Aa-" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= wanted && wanted <= ranges[i+1] {
				b.WriteRune(wanted)
				return true
			}
		}
	}
	if len(ranges) < 2 || ranges[0] < ' ' {
		return false
	}
	b.WriteRune(ranges[0])
	return true
}
