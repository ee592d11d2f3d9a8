package canon

import (
	"net/textproto"
	"net/url"
	"strings"
)

// refGroups are the parts of the canonical text that parameters stand in.
var refGroups = map[In]string{InHeader: "header", InPath: "path", InQuery: "query"}

// paramMembers gives the groups of parameters that have members.
func (c *Contract) paramMembers(r *Request) ([]refMember, *Refusal) {
	query, refusal := c.queryValues(r.Query)
	if refusal != nil {
		return nil, refusal
	}
	groups := map[In][]refMember{}
	for _, p := range c.Params {
		place := refGroups[p.In] + "." + p.Name
		var values []refParam
		switch p.In {
		case InHeader:
			for _, line := range r.Header[textproto.CanonicalMIMEHeaderKey(p.Name)] {
				values = append(values, refParam{text: strings.Trim(line, " \t")})
			}
		case InPath:
			if p.Index >= 0 && p.Index < len(r.Path) {
				values = append(values, refParam{text: r.Path[p.Index]})
			}
		case InQuery:
			values = query[p.Name]
		}
		text, refusal := refParamText(p, values, place)
		if refusal != nil {
			return nil, refusal
		}
		if text != "" {
			groups[p.In] = append(groups[p.In], refMember{p.Name, text})
		}
	}
	var members []refMember
	for in, name := range refGroups {
		if len(groups[in]) > 0 {
			members = append(members, refMember{name, refObject(groups[in])})
		}
	}
	return members, nil
}

// refParam is one value of a parameter, decoded.
type refParam struct {
	text string
	bare bool // a query name without an equals sign: null
}

// queryValues reads the query when a parameter of it counts. It is checked wholly before any parameter is looked at.
func (c *Contract) queryValues(query string) (map[string][]refParam, *Refusal) {
	declared := map[string]Param{}
	for _, p := range c.Params {
		if p.In == InQuery {
			declared[p.Name] = p
		}
	}
	if len(declared) == 0 {
		return nil, nil
	}
	values := map[string][]refParam{}
	for piece := range strings.SplitSeq(query, "&") {
		name, value, found := strings.Cut(piece, "=")
		name, err := url.QueryUnescape(name)
		if err == nil {
			value, err = url.QueryUnescape(value)
		}
		if err != nil {
			return nil, refRefuse("query", -1, "a percent sign without two hexadecimal digits")
		}
		p, ok := declared[name]
		if piece == "" || !ok {
			continue
		}
		if single := p.Array == 0 || p.Split != 0; single && len(values[name]) > 0 {
			return nil, refRefuse("query."+name, -1, "the parameter stands more than once")
		}
		values[name] = append(values[name], refParam{text: value, bare: !found})
	}
	return values, nil
}

// refParamText gives the canonical text of a parameter; "" when it is absent.
func refParamText(p Param, values []refParam, place string) (string, *Refusal) {
	switch {
	case len(values) == 0 && p.Required:
		return "", refRefuse(place, -1, "a required parameter is missing")
	case len(values) == 0:
		return p.Default, nil
	case p.Array == 0 && len(values) > 1:
		return "", refRefuse(place, -1, "the parameter stands more than once")
	}
	var texts []string
	for _, v := range values {
		if v.bare {
			texts = append(texts, "null")
			continue
		}
		for _, element := range refSplit(p, v.text) {
			text, reason := refText(p.As, element)
			if reason != "" {
				return "", refRefuse(place, -1, reason)
			}
			texts = append(texts, text)
		}
	}
	if p.Array == 0 {
		return texts[0], nil
	}
	return refArray(p.Array, texts), nil
}

// refSplit gives the elements that stand in one value. Around those of a header there may be blanks.
func refSplit(p Param, text string) []string {
	if p.Array == 0 || p.Split == 0 {
		return []string{text}
	}
	elements := strings.Split(text, string(rune(p.Split)))
	if p.In == InHeader {
		for i := range elements {
			elements[i] = strings.Trim(elements[i], " \t")
		}
	}
	return elements
}
