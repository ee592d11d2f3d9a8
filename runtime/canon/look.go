package canon

import "slices"

// look is what was seen on the way ahead to members of one name. A member that names a branch may stand behind all the others, and unions
// may stand in each other: without it, each level would read all levels below it once more.
type look struct {
	name  string
	jumps []jump // objects that were passed, in the order of their beginnings
	end   int    // how far the input was passed
}

// jump says where an object has the member: the offset of its value, 0 when it has none.
type jump struct{ start, value uint32 }

// noJump is the size below which looking again costs less than remembering.
const noJump = 64

// lookAhead gives the offset of the value of the object's first member of this name; 0 when there is none, or a fault before it.
// The scanner stays where it is, and nothing is refused.
func (s *Scanner) lookAhead(name string) int {
	l := s.lookFor(name)
	if s.pos < l.end {
		start := uint32(s.pos)
		if i, ok := slices.BinarySearchFunc(l.jumps, start, func(j jump, at uint32) int { return int(j.start) - int(at) }); ok {
			return int(l.jumps[i].value)
		}
		kept := len(l.jumps)
		value, _ := s.glanceAhead(l)
		l.jumps = l.jumps[:kept]
		return value
	}
	l.jumps = l.jumps[:0] // reading goes forward only
	var value int
	value, l.end = s.glanceAhead(l)
	return value
}

// lookFor finds what was seen of a name. A contract has few of them.
func (s *Scanner) lookFor(name string) *look {
	for i := range s.looks {
		if s.looks[i].name == name {
			return &s.looks[i]
		}
	}
	n := len(s.looks)
	if n < cap(s.looks) {
		s.looks = s.looks[:n+1] // with the buffer that it had
	} else {
		s.looks = append(s.looks, look{})
	}
	l := &s.looks[n]
	l.name, l.jumps, l.end = name, l.jumps[:0], 0
	return l
}

// glanceAhead looks through the object that follows, up to the member or the object's end, and comes back.
func (s *Scanner) glanceAhead(l *look) (value, end int) {
	data, at, depth := s.data, s.pos, s.depth
	text := len(s.text)
	name, nameStart, nameIn := s.name, s.nameStart, s.nameIn
	if s.enter(at) {
		s.pos++
		for first := true; s.nextName(first); first = false {
			found := string(s.name) == l.name
			s.text = s.text[:text]
			if found {
				value = s.pos
				break
			}
			s.glance(l)
		}
	}
	end = s.pos
	s.data, s.pos, s.depth, s.text = data, at, depth, s.text[:text]
	s.name, s.nameStart, s.nameIn = name, nameStart, nameIn
	s.refused = refused{}
	return value, end
}

// glance passes a value and notes where the objects in it have the member.
func (s *Scanner) glance(l *look) {
	at := s.pos
	switch s.peek() {
	case '{':
		if !s.enter(at) {
			return
		}
		i, text := len(l.jumps), len(s.text)
		l.jumps = append(l.jumps, jump{start: uint32(at)})
		s.pos++
		for first := true; s.nextName(first); first = false {
			if l.jumps[i].value == 0 && string(s.name) == l.name {
				l.jumps[i].value = uint32(s.pos)
			}
			s.text = s.text[:text]
			s.glance(l)
		}
		s.depth--
		if s.pos-at < noJump {
			l.jumps = l.jumps[:i] // and with it the smaller ones in it
		}
	case '[':
		if !s.enter(at) {
			return
		}
		s.pos++
		for first := true; s.nextElement(first); first = false {
			s.glance(l)
		}
		s.depth--
	default:
		s.skip()
	}
}

// keepLooks forgets what was seen, and drops large buffers.
func (s *Scanner) keepLooks() {
	for i := range s.looks[:cap(s.looks)] {
		l := &s.looks[:cap(s.looks)][i]
		l.name, l.jumps = "", keep(l.jumps, 8)
	}
	s.looks = keep(s.looks, 64)
}
