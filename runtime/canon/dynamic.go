package canon

import "slices"

// entry is a dynamic member: its name and its span of the scanner's out. A span that begins at 0 was taken back.
type entry struct {
	name       nameRef
	start, end uint32
}

// Entry begins a dynamic member under the name that Next found. Declared names in another case are refused.
func (s *Scanner) Entry(f *Frame) {
	if s.foldsToDeclared(f.shape) {
		s.refuseAt(s.nameStart-1, reasonFold)
		return
	}
	s.closeMember(f)
	s.addEntry(f, uint32(len(s.out)))
	f.current = dynamicMember
	if s.nameIn == 0 {
		s.out = append(append(append(s.out, ',', '"'), s.Name()...), '"', ':')
	} else {
		s.out = append(appendJSONText(append(s.out, ','), s.Name()), ':')
	}
	if len(s.sums) > 0 {
		s.goTo(f.place, s.Name())
	}
}

// addEntry remembers the name that Next found, for order and against duplicates.
func (s *Scanner) addEntry(f *Frame, start uint32) {
	if n := len(s.entries); n > int(f.entries) && !f.unsorted {
		f.unsorted = compareNames(s.nameText(s.entries[n-1].name), s.Name()) >= 0
	}
	s.entries = append(s.entries, entry{name: s.nameRef(), start: start})
}

// Unknown handles an undeclared member with its value as the shape says. Declared names in another case are refused.
func (s *Scanner) Unknown(f *Frame) {
	switch {
	case f.shape.Unknown == IncludeUnknown:
		s.Entry(f)
		s.Generic(-1)
	case s.foldsToDeclared(f.shape):
		s.refuseAt(s.nameStart-1, reasonFold)
	case f.shape.Unknown == IgnoreUnknown:
		s.closeMember(f)
		f.current = noMember
		s.addEntry(f, 0)
		s.skip()
	default:
		s.refuseAt(s.nameStart-1, reasonUnknown)
	}
}

// closeDynamic refuses duplicates among an object's dynamic members and merges them with the declared ones.
func (s *Scanner) closeDynamic(f *Frame) {
	entries := s.entries[f.entries:]
	s.entries = s.entries[:f.entries]
	if f.unsorted && !s.sortEntries(entries) {
		return
	}
	if len(f.spans) == 0 && s.depth > 0 {
		if f.unsorted {
			s.rewriteEntries(int(f.base), entries)
		}
		return
	}
	s.order = s.order[:0]
	moved := false
	add := func(span Span) {
		if n := len(s.order); n > 0 && s.order[n-1].start > span.start {
			moved = true
		}
		s.order = append(s.order, span)
	}
	next := 0
	for _, e := range entries {
		if e.start == 0 {
			continue
		}
		for ; next < len(f.spans) && s.declaredFirst(f.shape.Members[next].Name, e); next++ {
			if f.spans[next].start > 0 {
				add(f.spans[next])
			}
		}
		add(Span{int(e.start), int(e.end)})
	}
	for ; next < len(f.spans); next++ {
		if f.spans[next].start > 0 {
			add(f.spans[next])
		}
	}
	if moved {
		s.permute(int(f.base))
	}
}

// rewriteEntries writes the members of a map anew, in order.
func (s *Scanner) rewriteEntries(base int, entries []entry) {
	tmp := s.tmp[:0]
	for _, e := range entries {
		if e.start > 0 {
			tmp = appendPiece(tmp, s.out, int(e.start), int(e.end))
		}
	}
	copy(s.out[base:], tmp)
	s.tmp = tmp
}

func (s *Scanner) declaredFirst(name string, e entry) bool {
	return compareNameTo(s.nameText(e.name), name) > 0
}

// sortEntries sorts by name; false after it has refused a duplicate.
func (s *Scanner) sortEntries(entries []entry) bool {
	compare := func(a, b entry) int { return compareNames(s.nameText(a.name), s.nameText(b.name)) }
	if len(entries) > fewElements {
		slices.SortFunc(entries, func(a, b entry) int {
			if c := compare(a, b); c != 0 {
				return c
			}
			return s.compareOffsets(a.name, b.name)
		})
	} else {
		for i := 1; i < len(entries); i++ {
			e, j := entries[i], i
			for ; j > 0 && compare(entries[j-1], e) > 0; j-- {
				entries[j] = entries[j-1]
			}
			entries[j] = e
		}
	}
	duplicate := -1
	for i := 1; i < len(entries); i++ {
		if before := entries[i-1].name; before.size == entries[i].name.size && compare(entries[i-1], entries[i]) == 0 {
			later := max(s.nameOffset(before), s.nameOffset(entries[i].name))
			if duplicate < 0 || later < duplicate {
				duplicate = later
			}
		}
	}
	if duplicate >= 0 {
		s.refuseAt(duplicate, reasonDuplicate)
	}
	return duplicate < 0
}
