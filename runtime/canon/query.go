package canon

// queryValue is a value of a declared query parameter: a piece of the raw query.
type queryValue struct {
	param      int32
	bare       bool // a name without an equals sign
	start, end uint32
}

// indexQuery finds the declared parameters in the query, which it reads once. Pieces are divided by "&" alone; names are compared
// after decoding. It refuses a bad escape, in undeclared pieces too, and a second value of a parameter that has one.
func (s *Scanner) indexQuery(params []Param) bool {
	from := len(params)
	for from > 0 && params[from-1].In == InQuery {
		from--
	}
	if from == len(params) {
		return true
	}
	query := s.req.Query
	if len(query) > maxBody {
		s.refuse(refused{place: "query", offset: -1, reason: "a query of more than 128 MiB"})
		return false
	}
	for start := 0; start < len(query); {
		end := start
		equals := -1
		for ; end < len(query) && query[end] != '&'; end++ {
			if query[end] == '=' && equals < 0 {
				equals = end
			}
		}
		if end > start && !s.indexPair(params[from:], from, start, equals, end) {
			return false
		}
		start = end + 1
	}
	return true
}

// indexPair looks at one piece of the query; equals is below 0 when it has no equals sign.
func (s *Scanner) indexPair(params []Param, from, start, equals, end int) bool {
	nameEnd, value := end, end
	if equals >= 0 {
		nameEnd, value = equals, equals+1
	}
	mark := len(s.text)
	ok := s.decodeQuery(start, nameEnd)
	i := findParam(params, s.text[mark:])
	ok = s.decodeQuery(value, end) && ok
	s.text = s.text[:mark]
	if !ok {
		s.refuse(refused{place: "query", offset: -1, reason: reasonEscape})
		return false
	}
	if i < 0 {
		return true
	}
	if p := &params[i]; p.Array == 0 || p.Split != 0 {
		for _, v := range s.query {
			if int(v.param) == from+i {
				s.refuseParam(p, reasonRepeated)
				return false
			}
		}
	}
	s.query = append(s.query, queryValue{param: int32(from + i), bare: equals < 0, start: uint32(value), end: uint32(end)})
	return true
}

// findParam finds a name among parameters in canonical order; -1 when it is none.
func findParam(params []Param, name []byte) int {
	low, high := 0, len(params)
	for low < high {
		middle := int(uint(low+high) >> 1)
		switch c := compareNameTo(name, params[middle].Name); {
		case c == 0:
			return middle
		case c < 0:
			high = middle
		default:
			low = middle + 1
		}
	}
	return -1
}

// decodeQuery appends a piece of the query to the text stack, "+" and escapes decoded; false when an escape is bad.
func (s *Scanner) decodeQuery(start, end int) bool {
	query := s.req.Query[start:end]
	for i := 0; i < len(query); i++ {
		c := query[i]
		switch c {
		case '+':
			c = ' '
		case '%':
			if i+2 >= len(query) {
				return false
			}
			high, ok1 := hexDigit(query[i+1])
			low, ok2 := hexDigit(query[i+2])
			if !ok1 || !ok2 {
				return false
			}
			c = high<<4 | low
			i += 2
		}
		s.text = append(s.text, c)
	}
	return true
}

// queryParam writes the parameter at index i of the table.
func (s *Scanner) queryParam(p *Param, i int) {
	var a ArrayFrame
	started := false
	for _, v := range s.query {
		if int(v.param) != i {
			continue
		}
		mark := len(s.text)
		s.decodeQuery(int(v.start), int(v.end)) // its escapes were checked
		text := s.text[mark:]
		if !started {
			started = true
			s.beginParam(p)
			a = ArrayFrame{kind: p.Array, field: p.Field}
			s.beginArray(&a)
		}
		s.queryElement(p, &a, text, v.bare)
		s.text = s.text[:mark]
	}
	switch {
	case !started:
		s.absentParam(p)
	case p.Array != 0 && !s.refused.set:
		s.closeArray(&a)
	case !s.refused.set:
		s.count(p.Field, a.base)
	}
}

// queryElement writes one value: alone, or as elements of an array.
func (s *Scanner) queryElement(p *Param, a *ArrayFrame, text []byte, bare bool) {
	switch {
	case bare:
		if p.Array != 0 {
			s.beginElement(a)
		}
		s.out = append(s.out, "null"...)
	case p.Array == 0:
		s.paramValue(p, text)
	default:
		s.splitElements(p, a, text)
	}
}
