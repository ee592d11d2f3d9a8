package canon

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"slices"
	"unicode/utf8"
)

// writeForm writes the pairs as one JSON object. Members come in the order of their ways, so the scanner has little to put in order.
func (s *Scanner) writeForm(body []byte) {
	f := &s.form
	f.sortPairs()
	f.text = append(f.text, '{')
	var last []byte
	depth := 0 // steps of the last way
	for from := 0; from < len(f.pairs); {
		way := f.way(from)
		to := from + 1
		for to < len(f.pairs) && bytes.Equal(f.way(to), way) {
			to++
		}
		shared, at := sharedSteps(last, way)
		for ; depth > shared+1; depth-- {
			f.text = append(f.text, '}')
		}
		if from > 0 {
			f.text = append(f.text, ',')
		}
		depth = shared + f.writeSteps(way[at:])
		switch {
		case to < len(f.pairs) && isBelow(f.way(to), way):
			s.refuseForm(-1, reasonTwoKinds)
		default:
			s.writeValues(body, f.pairs[from:to])
		}
		if s.refused.set {
			return
		}
		last, from = way, to
	}
	for ; depth > 1; depth-- {
		f.text = append(f.text, '}')
	}
	f.text = append(f.text, '}')
}

func (f *form) way(i int) []byte { return f.keys[f.pairs[i].way:f.pairs[i].wayEnd] }

// sortPairs puts the pairs into the order of their ways; those of one way stay in the order in which they were sent.
func (f *form) sortPairs() {
	compare := func(a, b pair) int {
		if c := bytes.Compare(f.keys[a.way:a.wayEnd], f.keys[b.way:b.wayEnd]); c != 0 {
			return c
		}
		return cmp.Compare(a.value, b.value)
	}
	if !slices.IsSortedFunc(f.pairs, compare) {
		slices.SortFunc(f.pairs, compare)
	}
}

func isBelow(way, above []byte) bool {
	return len(way) > len(above) && way[len(above)] == 0 && bytes.HasPrefix(way, above)
}

// sharedSteps counts the steps that two ways have in common, of which none is below the other, and gives where the next one begins.
func sharedSteps(a, b []byte) (steps, at int) {
	for i := 0; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		if a[i] == 0 {
			steps, at = steps+1, i+1
		}
	}
	return steps, at
}

// writeSteps writes the names of what is left of a way, with the opening brackets between them, and counts them.
func (f *form) writeSteps(way []byte) int {
	for steps := 1; ; steps++ {
		end := bytes.IndexByte(way, 0)
		if end < 0 {
			f.writeName(way[1:])
			return steps
		}
		f.writeName(way[1:end])
		f.text = append(f.text, '{')
		way = way[end+1:]
	}
}

// writeName writes a member's name, of a step without its first byte.
func (f *form) writeName(name []byte) {
	f.text = append(f.text, '"')
	for {
		nul := bytes.IndexByte(name, 0xFF)
		if nul < 0 {
			break
		}
		f.text = appendEscaped(appendEscapes(f.text, name[:nul]), 0)
		name = name[nul+1:]
	}
	f.text = append(appendEscapes(f.text, name), '"', ':')
}

// writeValues writes the values of one way: a name that is repeated, or ends with [], is an array.
func (s *Scanner) writeValues(body []byte, pairs []pair) {
	f := &s.form
	list := len(pairs) > 1 || pairs[0].listed
	if list {
		f.text = append(f.text, '[')
	}
	for i, p := range pairs {
		if i > 0 {
			f.text = append(f.text, ',')
		}
		if p.listed != pairs[0].listed {
			s.refuseForm(-1, reasonMixture)
			return
		}
		if s.writeValue(body, p); s.refused.set {
			return
		}
	}
	if list {
		f.text = append(f.text, ']')
	}
}

func (s *Scanner) writeValue(body []byte, p pair) {
	f := &s.form
	value := body[p.value:p.valueEnd]
	switch p.kind {
	case encodedText:
		var bad int
		if s.tmp, bad = appendDecoded(s.tmp[:0], value); bad >= 0 {
			s.refuseForm(int(p.value)+bad, reasonEscape)
			return
		}
		s.writeText(s.tmp, int(p.value))
	case plainText:
		s.writeText(value, int(p.value))
	case jsonText:
		s.spliceJSON(body, int(p.value), int(p.valueEnd))
	case fileContent:
		s.writeFile(value, int(p.value))
	case unread:
		f.text = append(f.text, '[', ']')
	}
}

// writeText writes a text that stands at an offset of the body.
func (s *Scanner) writeText(text []byte, offset int) {
	if !utf8.Valid(text) {
		s.refuseForm(offset, reasonUTF8)
		return
	}
	s.form.text = appendJSONText(s.form.text, text)
}

// writeFile writes what stands for a file.
func (s *Scanner) writeFile(content []byte, offset int) {
	f := &s.form
	start := len(f.text)
	switch f.use {
	case forScanner:
		f.text = append(appendContentDigest(append(f.text, '"'), content), '"')
	case forDecoder:
		f.text = append(base64.StdEncoding.AppendEncode(append(f.text, '"'), content), '"')
	case forLookup:
		f.text = append(f.text, '[', ']')
	}
	f.splices = append(f.splices, splice{start: uint32(start), end: uint32(len(f.text)), body: uint32(offset), file: true})
}

// spliceJSON writes a JSON text that stands in the body. It must be one value, or it could change what is around it.
func (s *Scanner) spliceJSON(body []byte, start, end int) {
	f := &s.form
	s.data, s.depth = body[:end], 0
	s.pos = skipSpace(s.data, start)
	first := s.pos
	s.pass()
	last := s.pos
	if !s.refused.set && skipSpace(s.data, last) < end {
		s.refuseAt(skipSpace(s.data, last), reasonTrailing)
	}
	s.data, s.pos = nil, 0
	if s.refused.set {
		place := appendPlace([]byte("body"), f.text, len(f.text), ofValue)
		s.refused.place = string(appendPlace(place, body[start:end], s.refused.offset-start, ofValue))
		return
	}
	at := len(f.text)
	f.text = append(f.text, body[first:last]...)
	f.splices = append(f.splices, splice{start: uint32(at), end: uint32(len(f.text)), body: uint32(first)})
}

// refuseForm refuses the value that is about to be written. offset is where it stands in the body, below 0 when that is not one place.
func (s *Scanner) refuseForm(offset int, reason string) {
	place := appendPlace([]byte("body"), s.form.text, len(s.form.text), ofValue)
	s.refuse(refused{place: string(place), offset: max(offset, -1), reason: reason})
}
