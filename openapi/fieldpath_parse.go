package openapi

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/idemgen/idemgen/openapi/diag"
)

// FieldPathError says what is wrong with the text of a field path, and where.
type FieldPathError struct {
	Text    string
	Offset  int    // in bytes from the start of Text
	Message string // one line, lower case, no full stop
	Hint    string // the path as it may have been meant; empty when there is no good guess
}

// Error names the character, counted from 1.
func (e *FieldPathError) Error() string {
	return fmt.Sprintf("field path %s: character %d: %s", quoteText(e.Text), e.Character(), e.Message)
}

// Character is the place of the fault in characters, counted from 1.
func (e *FieldPathError) Character() int { return utf8.RuneCountInString(e.Text[:e.Offset]) + 1 }

// ParseFieldPath reads a field path (ANNOTATION section 2). Its error is a *FieldPathError.
func ParseFieldPath(text string) (FieldPath, error) {
	p := pathParser{text: text}
	path, fault := p.path()
	if fault != nil {
		return FieldPath{}, fault
	}
	return path, nil
}

type pathParser struct {
	text string
	at   int
}

func (p *pathParser) fault(at int, format string, args ...any) *FieldPathError {
	return &FieldPathError{Text: p.text, Offset: at, Message: fmt.Sprintf(format, args...)}
}

func (p *pathParser) path() (FieldPath, *FieldPathError) {
	var path FieldPath
	var fault *FieldPathError
	if path.In, fault = p.root(); fault != nil {
		return path, fault
	}
	for p.at < len(p.text) {
		start := p.at
		seg, fault := p.segment()
		if fault != nil {
			return path, fault
		}
		if fault := p.checkParameter(path, seg, start); fault != nil {
			return path, fault
		}
		path.Segments = append(path.Segments, seg)
	}
	if path.In != InBody && len(path.Segments) == 0 {
		return path, p.fault(len(p.text), "%s needs a name: %s.NAME", path.In, path.In)
	}
	return path, nil
}

// root reads the word that says which part of the request the path starts in.
func (p *pathParser) root() (In, *FieldPathError) {
	end := strings.IndexAny(p.text, ".[")
	if end < 0 {
		end = len(p.text)
	}
	word := p.text[:end]
	words := make([]string, 0, 4)
	for _, in := range []In{InBody, InPath, InQuery, InHeader} {
		if word == in.String() {
			p.at = end
			return in, nil
		}
		words = append(words, in.String())
	}
	fault := p.fault(0, "a field path begins with body, path, query or header, not with %s", quoteText(word))
	if near, ok := diag.Nearest(word, words); ok {
		fault.Hint = near + p.text[end:]
	}
	return 0, fault
}

// checkParameter holds what paths, queries and headers demand: a name first, and of a header a token without members.
func (p *pathParser) checkParameter(path FieldPath, seg Segment, start int) *FieldPathError {
	first := len(path.Segments) == 0
	switch {
	case path.In == InBody:
		return nil
	case first && seg.Kind != SegName:
		return p.fault(start, "%s needs a name first: %s.NAME", path.In, path.In)
	case path.In == InHeader && first && !isToken(seg.Name):
		return p.fault(start, "%s is not a header name", quoteText(seg.Name))
	case path.In == InHeader && !first && seg.Kind != SegElement:
		return p.fault(start, "a header has no members")
	}
	return nil
}

func (p *pathParser) segment() (Segment, *FieldPathError) {
	switch p.text[p.at] {
	case '.':
		p.at++
		return p.afterDot()
	case '[':
		p.at++
		return p.afterBracket()
	}
	return Segment{}, p.badRune()
}

func (p *pathParser) afterDot() (Segment, *FieldPathError) {
	if p.at == len(p.text) {
		return Segment{}, p.fault(p.at, "a name or * must follow the dot")
	}
	if p.text[p.at] == '*' {
		p.at++
		return Segment{Kind: SegWildcard}, nil
	}
	start := p.at
	for p.at < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		if !plainRune(r) {
			break
		}
		p.at += size
	}
	if p.at > start {
		return Segment{Kind: SegName, Name: p.text[start:p.at]}, nil
	}
	if c := p.text[p.at]; c == '.' || c == '[' {
		return Segment{}, p.fault(p.at, "a name or * must follow the dot")
	}
	return Segment{}, p.badRune()
}

// badRune explains a character that stands where only a step may begin, or a plain name may go on.
func (p *pathParser) badRune() *FieldPathError {
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	if r == utf8.RuneError && size <= 1 {
		return p.fault(p.at, "not valid UTF-8")
	}
	if prev := p.at - 1; prev >= 0 && (p.text[prev] == ']' || p.text[prev] == '*') {
		return p.fault(p.at, `a dot or [ must follow, not %s`, quoteText(string(r)))
	}
	fault := p.fault(p.at, `a name with %s is written in quotes: ["NAME"]`, quoteText(string(r)))
	fault.Hint = p.quotedGuess()
	return fault
}

// quotedGuess writes the name that the parser stumbled in with quotes around it.
func (p *pathParser) quotedGuess() string {
	dot := strings.LastIndexByte(p.text[:p.at], '.')
	if dot < 0 || !utf8.ValidString(p.text) {
		return ""
	}
	name, rest := p.text[dot+1:], ""
	if end := strings.IndexAny(name, ".["); end >= 0 {
		name, rest = name[:end], name[end:]
	}
	var b strings.Builder
	b.WriteString(p.text[:dot])
	writeName(&b, name)
	return b.String() + rest
}

func (p *pathParser) afterBracket() (Segment, *FieldPathError) {
	open := p.at - 1
	if p.at == len(p.text) {
		return Segment{}, p.fault(open, "this [ is never closed")
	}
	switch c := p.text[p.at]; {
	case c == ']':
		p.at++
		return Segment{Kind: SegElement}, nil
	case c == '"':
		return p.quoted(open)
	case c == '*':
		return Segment{}, p.fault(p.at, "every element is written []")
	case c >= '0' && c <= '9':
		return Segment{}, p.fault(p.at, "elements are not chosen by number; [] means every element")
	}
	return Segment{}, p.fault(p.at, `inside [ ] stands nothing, or a name in double quotes`)
}

// quoted reads "name"] with the escapes of JSON.
func (p *pathParser) quoted(open int) (Segment, *FieldPathError) {
	p.at++
	var name strings.Builder
	for p.at < len(p.text) && p.text[p.at] != '"' {
		r, fault := p.quotedRune()
		if fault != nil {
			return Segment{}, fault
		}
		name.WriteRune(r)
	}
	if p.at == len(p.text) {
		return Segment{}, p.fault(open+1, "this quote is never closed")
	}
	p.at++
	if p.at == len(p.text) || p.text[p.at] != ']' {
		return Segment{}, p.fault(p.at, "] must follow the quoted name")
	}
	p.at++
	return Segment{Kind: SegName, Name: name.String()}, nil
}

func (p *pathParser) quotedRune() (rune, *FieldPathError) {
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	switch {
	case r == utf8.RuneError && size <= 1:
		return 0, p.fault(p.at, "not valid UTF-8")
	case r < 0x20:
		return 0, p.fault(p.at, `a control character is written as an escape: \u%04x`, r)
	case r != '\\':
		p.at += size
		return r, nil
	}
	return p.escape()
}

func (p *pathParser) escape() (rune, *FieldPathError) {
	start := p.at
	if p.at+1 < len(p.text) {
		const codes, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
		if i := strings.IndexByte(codes, p.text[p.at+1]); i >= 0 {
			p.at += 2
			return rune(meanings[i]), nil
		}
	}
	unit, ok := p.unicodeEscape()
	if !ok {
		return 0, p.fault(start, `not an escape of JSON: \" \\ \/ \b \f \n \r \t or \u and four hex digits`)
	}
	if !utf16.IsSurrogate(unit) {
		return unit, nil
	}
	if low, ok := p.unicodeEscape(); ok {
		if r := utf16.DecodeRune(unit, low); r != utf8.RuneError {
			return r, nil
		}
	}
	return 0, p.fault(start, "half of a surrogate pair names no character")
}

// unicodeEscape reads \uXXXX, and stays where it is when there is none.
func (p *pathParser) unicodeEscape() (rune, bool) {
	if len(p.text) < p.at+6 || p.text[p.at] != '\\' || p.text[p.at+1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(p.text[p.at+2:p.at+6], 16, 16)
	if err != nil {
		return 0, false
	}
	p.at += 6
	return rune(unit), true
}
