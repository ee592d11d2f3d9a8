package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	tabWidth = 4 // a tab reaches to the next multiple of it

	// A document can be one line of megabytes; what is shown of it lies around the caret.
	shownBefore = 60 // bytes
	shownAfter  = 60
)

// window gives the part of line around the byte column col as a terminal shows it, and a line with a caret below that place,
// drawn out to the column end when end is greater. Both have spaces in place of tabs.
func window(line string, col, end int) (shown, caret string) {
	at := min(max(col-1, 0), len(line))
	from, to := 0, len(line)
	lead, tail := "", ""
	if at > shownBefore*2 {
		from = boundary(line, at-shownBefore)
		lead = "… "
	}
	if to-at > shownAfter*2 {
		to = boundary(line, at+shownAfter)
		tail = " …"
	}
	cells := &cellWriter{}
	cells.write(lead)
	cells.write(line[from:at])
	start := cells.width
	cells.write(line[at:min(max(end-1, at), to)])
	stop := max(cells.width, start+1)
	cells.write(line[min(max(end-1, at), to):to])
	cells.write(tail)
	return cells.text.String(), strings.Repeat(" ", start) + "^" + strings.Repeat("~", stop-start-1)
}

// boundary is the first start of a character at or after offset at.
func boundary(line string, at int) int {
	for at < len(line) && !utf8.RuneStart(line[at]) {
		at++
	}
	return at
}

// cellWriter counts the terminal cells of what it writes.
type cellWriter struct {
	text  strings.Builder
	width int
}

func (c *cellWriter) write(text string) {
	for _, r := range text {
		if r == '\t' {
			n := tabWidth - c.width%tabWidth
			c.text.WriteString(strings.Repeat(" ", n))
			c.width += n
			continue
		}
		shown := printable(string(r))
		c.text.WriteString(shown)
		r, _ = utf8.DecodeRuneInString(shown)
		c.width += cellsOf(r)
	}
}

// cellsOf is how many terminal cells r takes: 0 for marks that combine, 2 for the wide East Asian and pictographic blocks.
func cellsOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// wide holds the blocks that Unicode Standard Annex 11 calls wide or full-width, as far as whole blocks go.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115F, Stride: 1}, // Hangul initial consonants
		{Lo: 0x2E80, Hi: 0x303E, Stride: 1}, // CJK radicals and punctuation
		{Lo: 0x3041, Hi: 0x4DBF, Stride: 1}, // kana, CJK symbols, extension A
		{Lo: 0x4E00, Hi: 0xA4CF, Stride: 1}, // CJK, Yi
		{Lo: 0xA960, Hi: 0xA97F, Stride: 1}, // Hangul extension
		{Lo: 0xAC00, Hi: 0xD7A3, Stride: 1}, // Hangul syllables
		{Lo: 0xF900, Hi: 0xFAFF, Stride: 1}, // CJK compatibility
		{Lo: 0xFE30, Hi: 0xFE6F, Stride: 1}, // CJK compatibility forms
		{Lo: 0xFF00, Hi: 0xFF60, Stride: 1}, // full-width forms
		{Lo: 0xFFE0, Hi: 0xFFE6, Stride: 1}, // full-width signs
	},
	R32: []unicode.Range32{
		{Lo: 0x1F300, Hi: 0x1F64F, Stride: 1}, // pictographs, emoticons
		{Lo: 0x1F680, Hi: 0x1F6FF, Stride: 1}, // transport
		{Lo: 0x1F900, Hi: 0x1FAFF, Stride: 1}, // supplemental pictographs
		{Lo: 0x20000, Hi: 0x3FFFD, Stride: 1}, // CJK extensions
	},
}
