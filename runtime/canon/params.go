package canon

import (
	"strings"
	"unicode/utf8"
)

// Params reads the parameters, which stand in canonical order: header, path, query, and by name within each (CompareNames).
// It must come after the body.
//
// A query name without an equals sign stands as null, so "a", "a=" and no "a" are three different things. A value with separators is
// split after it was decoded, as handlers do it.
func (s *Scanner) Params(params []Param) {
	s.endBody()
	if s.refused.set || !s.indexQuery(params) {
		return
	}
	for i := range params {
		p := &params[i]
		switch p.In {
		case InHeader:
			s.headerParam(p)
		case InPath:
			s.pathParam(p)
		case InQuery:
			s.queryParam(p, i)
		}
		if s.refused.set {
			return
		}
	}
}

var (
	groupNames = [...]string{InHeader: `,"header":`, InPath: `,"path":`, InQuery: `,"query":`}
	places     = [...]string{InHeader: "header.", InPath: "path.", InQuery: "query."}
)

// beginParam writes the name of a parameter, and before the first of a group the group's.
func (s *Scanner) beginParam(p *Param) {
	if s.group != p.In {
		s.endGroup()
		s.group = p.In
		s.out = append(s.out, groupNames[p.In]...)
		s.first = len(s.out)
	}
	s.out = append(AppendJSONString(append(s.out, ','), p.Name), ':')
	s.out[s.first] = '{'
}

func (s *Scanner) endGroup() {
	if s.group != 0 {
		s.out = append(s.out, '}')
		s.group = 0
	}
}

// absentParam writes the default of a parameter that was not sent.
func (s *Scanner) absentParam(p *Param) {
	switch {
	case p.Required:
		s.refuseParam(p, reasonParam)
	case p.Default != "":
		s.beginParam(p)
		start := len(s.out)
		s.out = append(s.out, p.Default...)
		s.count(p.Field, start)
	}
}

func (s *Scanner) refuseParam(p *Param, reason string) {
	s.refuse(refused{place: places[p.In], name: p.Name, offset: -1, reason: reason})
}

func (s *Scanner) headerParam(p *Param) {
	lines := s.headerLines(p.Name)
	if len(lines) == 0 {
		s.absentParam(p)
		return
	}
	if p.Array == 0 {
		if len(lines) > 1 {
			s.refuseParam(p, reasonRepeated)
			return
		}
		s.single(p, trimOWS(lines[0]))
		return
	}
	s.beginParam(p)
	a := ArrayFrame{kind: p.Array, field: p.Field}
	s.beginArray(&a)
	for _, line := range lines {
		s.addElements(p, &a, trimOWS(line))
	}
	s.closeArray(&a)
}

// headerLines finds a header by its lower-case name.
func (s *Scanner) headerLines(name string) []string {
	mark := len(s.text)
	upper := true
	for i := 0; i < len(name); i++ {
		c := name[i]
		if upper && c-'a' < 26 {
			c -= 'a' - 'A'
		}
		s.text = append(s.text, c)
		upper = c == '-'
	}
	lines := s.req.Header[string(s.text[mark:])]
	s.text = s.text[:mark]
	return lines
}

// trimOWS leaves out the optional white space of RFC 9110 section 5.6.3.
func trimOWS(text string) string { return strings.Trim(text, " \t") }

func (s *Scanner) pathParam(p *Param) {
	if p.Index < 0 || p.Index >= len(s.req.Path) {
		s.absentParam(p)
		return
	}
	value := s.req.Path[p.Index]
	if p.Array == 0 {
		s.single(p, value)
		return
	}
	s.beginParam(p)
	a := ArrayFrame{kind: p.Array, field: p.Field}
	s.beginArray(&a)
	s.addElements(p, &a, value)
	s.closeArray(&a)
}

// single writes a parameter that has one value.
func (s *Scanner) single(p *Param, value string) {
	s.beginParam(p)
	start := len(s.out)
	mark := len(s.text)
	s.text = append(s.text, value...)
	s.paramValue(p, s.text[mark:])
	s.text = s.text[:mark]
	s.count(p.Field, start)
}

// addElements writes the elements that stand in one value.
func (s *Scanner) addElements(p *Param, a *ArrayFrame, value string) {
	mark := len(s.text)
	s.text = append(s.text, value...)
	s.splitElements(p, a, s.text[mark:])
	s.text = s.text[:mark]
}

func (s *Scanner) splitElements(p *Param, a *ArrayFrame, value []byte) {
	if p.Split == 0 {
		s.beginElement(a)
		s.paramValue(p, value)
		return
	}
	from := 0
	for i := 0; i <= len(value); i++ {
		if i < len(value) && value[i] != p.Split {
			continue
		}
		element := value[from:i]
		if p.In == InHeader {
			element = trimSpaceTab(element)
		}
		s.beginElement(a)
		s.paramValue(p, element)
		from = i + 1
	}
}

func trimSpaceTab(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
		text = text[1:]
	}
	for len(text) > 0 && (text[len(text)-1] == ' ' || text[len(text)-1] == '\t') {
		text = text[:len(text)-1]
	}
	return text
}

// paramValue writes the canonical value of one decoded text.
func (s *Scanner) paramValue(p *Param, text []byte) {
	if !utf8.Valid(text) {
		s.refuseParam(p, reasonUTF8)
		return
	}
	var reason string
	switch p.As {
	case Exact, Generic:
		s.out = appendJSONText(s.out, text)
	case ASCIILower, ASCIIUpper, ASCIITrim:
		s.out = s.appendTextValue(p.As, text)
	case Boolean:
		s.out, reason = p.As.appendContent(s.out, text)
	default:
		s.out, reason = p.As.appendContent(append(s.out, '"'), text)
		s.out = append(s.out, '"')
	}
	if reason != "" {
		s.refuseParam(p, reason)
	}
}
