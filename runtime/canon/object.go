package canon

// Frame is an object that is being read.
type Frame struct {
	shape *Shape
	spans []Span
	// base is where the object's members begin in the scanner's out.
	base    int
	current int // the declared member that is open, noMember or dynamicMember
	last    int // the declared member that was opened last
	// Where the object's part of each stack begins.
	entries, text, place, slab int

	started  bool
	disorder bool // the declared members did not come in canonical order
	unsorted bool // the dynamic ones neither
}

const (
	noMember      = -1
	dynamicMember = -2
)

// takenBack marks a member that was sent and has no canonical text.
var takenBack = Span{-1, -1}

// Object expects an object. len(spans) is the number of the shape's members.
func (s *Scanner) Object(shape *Shape, spans []Span) Frame {
	f := Frame{
		shape: shape, spans: spans, base: len(s.out), current: noMember, last: noMember,
		entries: len(s.entries), text: len(s.text), place: len(s.place), slab: len(s.spans),
	}
	if s.peek() != '{' {
		s.refuseHere(s.pos, reasonObject)
		return f
	}
	if s.enter(s.pos) {
		s.pos++
	}
	return f
}

// Map expects an object whose members are all dynamic (additionalProperties with a schema): in its loop, call Entry and then one value.
// A shape whose members are declared beside the dynamic ones works as under Object; nil declares none.
func (s *Scanner) Map(shape *Shape) Frame {
	slab := len(s.spans)
	var spans []Span
	if shape != nil && len(shape.Members) > 0 {
		for range shape.Members {
			s.spans = append(s.spans, Span{})
		}
		spans = s.spans[slab:len(s.spans):len(s.spans)]
	}
	f := s.Object(shape, spans)
	f.slab = slab
	return f
}

// Next goes to the next member. At the object's end it checks required members, writes the members in canonical order and returns false.
func (s *Scanner) Next(f *Frame) bool {
	s.closeMember(f)
	first := !f.started
	f.started = true
	if s.nextName(first) {
		return true
	}
	if !s.refused.set {
		s.closeObject(f)
	}
	return false
}

func (s *Scanner) closeMember(f *Frame) {
	switch {
	case f.current >= 0:
		f.spans[f.current].end = len(s.out)
	case f.current == dynamicMember:
		s.entries[len(s.entries)-1].end = uint32(len(s.out))
		s.place = s.place[:f.place]
	}
	f.current = noMember
}

// Member begins declared member i, whose value follows. A second one with the same name is a refusal.
func (s *Scanner) Member(f *Frame, i int) {
	if f.spans[i].start != 0 {
		s.refuseAt(s.nameAt, reasonDuplicate)
		return
	}
	f.disorder = f.disorder || i < f.last
	f.current, f.last = i, i
	f.spans[i].start = len(s.out)
	s.out = append(append(s.out, ','), f.shape.Members[i].Key...)
}

// Ignore skips the value of declared member i, which is checked as JSON.
func (s *Scanner) Ignore(f *Frame, i int) {
	if f.spans[i].start != 0 {
		s.refuseAt(s.nameAt, reasonDuplicate)
		return
	}
	f.spans[i] = takenBack
	s.skip()
}

// Null consumes a null and writes it; false when another value follows. For fields whose null is distinct.
func (s *Scanner) Null(field int) bool {
	if s.peek() != 'n' || !s.literal("null") {
		return false
	}
	start := len(s.out)
	s.out = append(s.out, "null"...)
	s.count(field, start)
	return true
}

// NullAbsent consumes a null and takes the member that was begun last back; false when another value follows. A default then stands
// for it. It still counts as sent where the member is required, since the schema lets null through.
func (s *Scanner) NullAbsent(f *Frame) bool {
	if s.peek() != 'n' || !s.literal("null") {
		return false
	}
	switch {
	case f.current >= 0:
		s.out = s.out[:f.spans[f.current].start]
		f.spans[f.current] = takenBack
	case f.current == dynamicMember:
		top := &s.entries[len(s.entries)-1]
		s.out = s.out[:top.start]
		top.start, top.end = 0, 0
		s.place = s.place[:f.place]
	}
	f.current = noMember
	return true
}

// closeObject ends an object after its closing bracket.
func (s *Scanner) closeObject(f *Frame) {
	s.depth--
	s.closeAbsent(f)
	if s.refused.set {
		return
	}
	if len(s.entries) > f.entries {
		s.closeDynamic(f)
	} else if f.disorder {
		s.closeDisorder(f)
	}
	s.text, s.spans = s.text[:f.text], s.spans[:f.slab]
	if s.refused.set {
		return
	}
	if len(s.out) == f.base {
		s.out = append(s.out, '{', '}')
		return
	}
	if len(s.top) == 0 {
		s.out[f.base] = '{'
	}
	s.out = append(s.out, '}')
}

// closeAbsent looks after declared members that were not sent.
func (s *Scanner) closeAbsent(f *Frame) {
	for i := range f.spans {
		if f.spans[i].start > 0 {
			continue
		}
		m := &f.shape.Members[i]
		switch {
		case f.spans[i].start == 0 && m.Required:
			s.refuse(refused{offset: s.pos - 1, name: m.Name, reason: reasonRequired})
			return
		case m.Default != "" && !m.Ignored:
			start := len(s.out)
			s.out = append(append(append(s.out, ','), m.Key...), m.Default...)
			f.spans[i] = Span{start, len(s.out)}
			f.disorder = f.disorder || i < f.last
			f.last = i
		}
	}
}

// closeDisorder puts declared members into canonical order.
func (s *Scanner) closeDisorder(f *Frame) {
	base := len(s.order)
	for _, span := range f.spans {
		if span.start > 0 {
			s.order = append(s.order, span)
		}
	}
	s.permute(f.base, base)
}

// smallBody is up to where moving the body's own members costs less than hashing them one by one.
const smallBody = 2048

// permute brings the text from start on into the order of the spans from base on in s.order, which cover it.
// The body's own members stay where they are when there is much of them: the hash takes them in order. Not when a field covers them
// as a whole, for its digest is taken from out.
func (s *Scanner) permute(start, base int) {
	order := s.order[base:]
	s.order = s.order[:base]
	if s.depth == 0 && !s.whole && len(s.out)-start > smallBody {
		s.top = append(s.top[:0], order...)
		s.out[order[0].start] = '{'
		return
	}
	s.tmp = s.tmp[:0]
	for _, span := range order {
		s.tmp = append(s.tmp, s.out[span.start:span.end]...)
	}
	copy(s.out[start:], s.tmp)
}
