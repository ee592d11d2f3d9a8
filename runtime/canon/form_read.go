package canon

import "slices"

// spliced finds the splice that covers an offset of the JSON text; nil when it was written from text.
func (f *form) spliced(pos int) *splice {
	i, ok := slices.BinarySearchFunc(f.splices, uint32(pos), func(p splice, at uint32) int {
		switch {
		case p.end <= at:
			return -1
		case p.start > at:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return &f.splices[i]
}

// textFollows reports whether the value that follows is text of a form, which stands for what the leaf expects.
func (s *Scanner) textFollows() bool {
	return s.form.on && s.peek() == '"' && s.form.spliced(s.pos) == nil
}

// indexesFollow reports whether what follows was sent as names with indexes, the first of which is 0: the text has them in order.
func (s *Scanner) indexesFollow() bool {
	const first = `{"0":`
	return s.form.on && len(s.data)-s.pos > len(first) && string(s.data[s.pos:s.pos+len(first)]) == first && s.form.spliced(s.pos) == nil
}

// fileFollows reports whether the value that follows is the digest of a file.
func (s *Scanner) fileFollows() bool {
	if !s.form.on || s.peek() != '"' {
		return false
	}
	p := s.form.spliced(s.pos)
	return p != nil && p.file
}

// arraySpelling says how an array was sent.
type arraySpelling uint8

const (
	asArray   arraySpelling = iota // [a,b]; in a form a name that is repeated or ends with []
	asSingle                       // a form's name that stands once
	asMembers                      // a form's names with indexes: {"0":a,"1":b}
)

// formArray begins an array of a form that is not spelled as one.
func (s *Scanner) formArray() arraySpelling {
	if s.form.on {
		p := s.form.spliced(s.pos)
		switch c := s.peek(); {
		case p != nil && int(p.start) == s.pos, p == nil && c == '"':
			s.enter(s.pos) // a schema may be an array of itself
			return asSingle
		case p == nil && c == '{':
			if s.enter(s.pos) {
				s.pos++
			}
			return asMembers
		}
	}
	s.refuseHere(s.pos, reasonArray)
	return asArray
}

// formElement is Element for an array that is not spelled as one.
func (s *Scanner) formElement(a *ArrayFrame) bool {
	first := a.index == 0
	switch {
	case s.refused.set:
		return false
	case first:
		s.beginArray(a)
	}
	more := first
	if a.sent == asMembers {
		more = s.nextName(first)
	}
	switch {
	case s.refused.set:
		return false
	case !more:
		s.depth--
		s.closeArray(a)
		return false
	case a.sent == asMembers && !isNumber(s.name, a.index):
		s.refuseAt(s.nameStart-1, reasonIndexes)
		return false
	}
	s.beginElement(a)
	return true
}

// isNumber reports whether name is how index is written.
func isNumber(name []byte, index uint32) bool {
	if !isIndex(name) {
		return false
	}
	n := uint32(0)
	for _, c := range name {
		n = n*10 + uint32(c-'0')
	}
	return n == index
}

// formBoolean reads true or false from text.
func (s *Scanner) formBoolean(field int) {
	at, start := s.pos, len(s.out)
	text, ok := s.readText()
	if !ok {
		return
	}
	out, reason := Boolean.appendContent(s.out, text)
	if reason != "" {
		s.refuseAt(at, reason)
		return
	}
	s.out = out
	s.count(field, start)
}

// bodyOffset gives where the body has what stands at an offset of the JSON text; -1 when it is not one place.
func (f *form) bodyOffset(pos int) int {
	p := f.spliced(pos)
	switch {
	case p == nil:
		return -1
	case p.file:
		return int(p.body)
	}
	return int(p.body) + pos - int(p.start)
}
