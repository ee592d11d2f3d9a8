package openapi

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// textIndex turns the YAML reader's places into ours. That reader counts characters and knows five kinds of line break;
// editors, and diagnostics with them, count bytes and break lines at line feeds.
type textIndex struct {
	data   []byte
	same   bool  // both ways of counting agree
	breaks []int // offset of each line's start, as YAML breaks lines
	lines  []int // the same at line feeds

	// The last answer: places are asked for in order, and a line may be megabytes long.
	lastLine, lastCol, lastAt int
}

func newTextIndex(data []byte) *textIndex {
	x := &textIndex{data: data, same: true, breaks: []int{0}, lines: []int{0}}
	for at := 0; at < len(data); {
		size := 1
		switch c := data[at]; {
		case c == '\r':
			x.same = x.same && bytes.HasPrefix(data[at:], []byte("\r\n"))
			if bytes.HasPrefix(data[at:], []byte("\r\n")) {
				size = 2
			}
			x.breaks = append(x.breaks, at+size)
		case c == '\n':
			x.breaks = append(x.breaks, at+1)
		case c >= utf8.RuneSelf:
			x.same = false
			var r rune
			r, size = utf8.DecodeRune(data[at:])
			if r == '\u0085' || r == '\u2028' || r == '\u2029' {
				x.breaks = append(x.breaks, at+size)
			}
		}
		at += size
		if data[at-1] == '\n' {
			x.lines = append(x.lines, at)
		}
	}
	return x
}

// offset gives the byte offset of the YAML reader's place.
func (x *textIndex) offset(line, col int) int {
	if line < 1 {
		return 0
	}
	if line > len(x.breaks) {
		return len(x.data)
	}
	at, from := x.breaks[line-1], 1
	if line == x.lastLine && col >= x.lastCol {
		at, from = x.lastAt, x.lastCol
	}
	for ; from < col && at < len(x.data); from++ {
		_, size := utf8.DecodeRune(x.data[at:])
		at += size
	}
	x.lastLine, x.lastCol, x.lastAt = line, from, at
	return at
}

// place gives our line and column of the YAML reader's.
func (x *textIndex) place(line, col int) (int, int) {
	if x.same {
		return line, col
	}
	at := x.offset(line, col)
	n := sort.SearchInts(x.lines, at+1)
	return n, at - x.lines[n-1] + 1
}
