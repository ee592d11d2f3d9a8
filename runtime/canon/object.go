package canon

// Frame is an object that is being read. It fits a cache line: there is one for each object of the body.
type Frame struct {
	shape *Shape
	spans []Span
	// base is where the object's members begin in the scanner's out.
	base    uint32
	current int32 // one more than the index of the declared member that is open, noMember or dynamicMember
	last    int32 // one more than the index of the declared member that was opened last
	// Where the object's part of each stack begins.
	entries, text, place uint32
	slab                 int // of a map with declared members: one more than where its spans begin

	seen     uint32 // declared members that were sent
	started  bool   // Next was called
	named    bool   // it has found a member
	disorder bool   // the declared members did not come in canonical order
	unsorted bool   // the dynamic ones neither
	nulled   bool   // a declared member was taken back
}

const (
	noMember      = 0
	dynamicMember = -1
)

// takenBack marks a member that was sent and has no canonical text.
var takenBack = Span{-1, -1}

// Object expects an object. len(spans) is the number of the shape's members.
func (s *Scanner) Object(shape *Shape, spans []Span) Frame {
	// Small enough to be inlined, so that the frame is built where it is used. The first Next does the rest.
	s.openObject()
	return Frame{shape: shape, spans: spans}
}

// beginObject remembers where an object begins.
func (s *Scanner) beginObject(f *Frame) {
	f.started = true
	f.base = uint32(len(s.out))
	f.entries, f.text, f.place = uint32(len(s.entries)), uint32(len(s.text)), s.place
}

// openObject consumes the opening bracket.
func (s *Scanner) openObject() {
	if s.peek() != '{' {
		s.refuseHere(s.pos, reasonObject)
		return
	}
	if s.enter(s.pos) {
		s.pos++
	}
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
	if spans != nil {
		f.slab = slab + 1
	}
	return f
}

// Next goes to the next member. At the object's end it checks required members, writes the members in canonical order and returns false.
func (s *Scanner) Next(f *Frame) bool {
	data, pos := s.data, s.pos
	if f.started {
		if pos >= len(data) || data[pos] != ',' {
			return s.nextSlow(f)
		}
		pos++
	} else {
		s.beginObject(f)
	}
	pos = skipSpace(data, pos)
	if pos < len(data) && data[pos] == '"' {
		if end := quoteEnd(data, pos+1); end+1 < len(data) && data[end+1] == ':' {
			f.named = true
			s.name, s.nameStart, s.nameIn = data[pos+1:end], pos+1, 0
			s.pos = skipSpace(data, end+2)
			return true
		}
	}
	return s.nextSlow(f)
}

// nextSlow is Next for what is written unusually, and for the object's end.
func (s *Scanner) nextSlow(f *Frame) bool {
	if s.pos < len(s.data) && s.data[s.pos] == '}' && f.named {
		s.pos++
		s.closeObject(f)
		return false
	}
	first := !f.named
	f.named = true
	if s.nextName(first) {
		return true
	}
	if !s.refused.set {
		s.closeObject(f)
	}
	return false
}

// closeMember ends the member that was opened last. Members that write nothing may have come since.
func (s *Scanner) closeMember(f *Frame) {
	switch {
	case f.current > 0:
		f.spans[f.current-1].end = len(s.out)
	case f.current == dynamicMember:
		s.entries[len(s.entries)-1].end = uint32(len(s.out))
		s.place = f.place
	}
}

// Member begins declared member i, whose value follows. A second one with the same name is a refusal.
func (s *Scanner) Member(f *Frame, i int) {
	span := &f.spans[i]
	if span.start != 0 {
		s.refuseAt(s.nameStart-1, reasonDuplicate)
		return
	}
	s.closeMember(f)
	span.start = len(s.out)
	f.disorder = f.disorder || int32(i) < f.last
	f.current, f.last = int32(i)+1, int32(i)+1
	f.seen++
	key := f.shape.Members[i].Key
	n, from := len(s.out), s.nameStart-2
	if s.pos-from == len(key)+1 && s.nameIn == 0 && len(key) < pieceSize && from+pieceSize <= len(s.data) && n+pieceSize <= cap(s.out) {
		// The name was sent in canonical spelling: it is copied together with what stands before and after it.
		out := s.out[n : n+pieceSize]
		*(*[pieceSize]byte)(out) = *(*[pieceSize]byte)(s.data[from:])
		out[0] = ','
		s.out = s.out[:n+len(key)+1]
		return
	}
	s.out = append(append(s.out, ','), key...)
}

// Ignore skips the value of declared member i, which is checked as JSON.
func (s *Scanner) Ignore(f *Frame, i int) {
	if f.spans[i].start != 0 {
		s.refuseAt(s.nameStart-1, reasonDuplicate)
		return
	}
	f.spans[i] = takenBack
	f.seen++
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
	case f.current > 0:
		s.out = s.out[:f.spans[f.current-1].start]
		f.spans[f.current-1] = takenBack
		f.nulled = true
	case f.current == dynamicMember:
		top := &s.entries[len(s.entries)-1]
		s.out = s.out[:top.start]
		top.start, top.end = 0, 0
		s.place = f.place
	}
	f.current = noMember
	return true
}

// closeObject ends an object after its closing bracket.
func (s *Scanner) closeObject(f *Frame) {
	s.depth--
	s.closeMember(f)
	if int(f.seen) < len(f.spans) || f.nulled {
		s.closeAbsent(f)
		if s.refused.set {
			return
		}
	}
	if len(s.entries) > int(f.entries) {
		s.closeDynamic(f)
	} else if f.disorder {
		s.closeDisorder(f)
	}
	s.text = s.text[:f.text]
	if f.slab > 0 {
		s.spans = s.spans[:f.slab-1]
	}
	if s.refused.set {
		return
	}
	if len(s.out) == int(f.base) {
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
			f.disorder = f.disorder || int32(i) < f.last
			f.last = int32(i) + 1
		}
	}
}

// closeDisorder puts declared members into canonical order.
func (s *Scanner) closeDisorder(f *Frame) {
	if s.depth == 0 {
		s.order = s.order[:0]
		for _, span := range f.spans {
			if span.start > 0 {
				s.order = append(s.order, span)
			}
		}
		s.permute(int(f.base))
		return
	}
	// Members at both ends that are in their place stay.
	low, start := 0, int(f.base)
	for ; low < len(f.spans) && (f.spans[low].start == start || f.spans[low].start <= 0); low++ {
		start = max(start, f.spans[low].end)
	}
	high, end := len(f.spans), len(s.out)
	for ; high > low && (f.spans[high-1].end == end || f.spans[high-1].start <= 0); high-- {
		if f.spans[high-1].start > 0 {
			end = f.spans[high-1].start
		}
	}
	tmp := s.tmp[:0]
	for _, span := range f.spans[low:high] {
		if span.start > 0 {
			tmp = appendPiece(tmp, s.out, span.start, span.end)
		}
	}
	copy(s.out[start:end], tmp)
	s.tmp = tmp
}

// permute brings the text from start on into the order of the spans in s.order, which cover it.
// The body's own members stay where they are: the hash takes them in order. Not when a field covers them as a whole, for its digest is
// taken from out.
func (s *Scanner) permute(start int) {
	if s.depth == 0 && !s.whole {
		s.top = append(s.top[:0], s.order...)
		s.out[s.order[0].start] = '{'
		return
	}
	tmp := s.tmp[:0]
	for _, span := range s.order {
		tmp = appendPiece(tmp, s.out, span.start, span.end)
	}
	copy(s.out[start:], tmp)
	s.tmp = tmp
}
