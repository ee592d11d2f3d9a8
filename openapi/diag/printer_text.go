package diag

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ReadFunc gives the content of a file that a diagnostic names; [os.ReadFile] is one.
// An error leaves the excerpt out and stops nothing: the finding matters more than its picture.
type ReadFunc func(file string) ([]byte, error)

// TextPrinter writes for people:
//
//	payments.yaml:12:9: error: the file has no schema Paymnt [IDG113]
//	   12 |         $ref: '#/components/schemas/Paymnt'
//	      |         ^
//	  hint: $ref: '#/components/schemas/Payment'
//	  payments.yaml:40:5: the first one
type TextPrinter struct {
	// Read gives the lines of the excerpts. Nil leaves them out.
	Read ReadFunc
	// Paint colours the severity and the caret. Nil paints nothing.
	Paint func(s Severity, text string) string
}

// Print implements [Printer].
func (p TextPrinter) Print(w io.Writer, ds []Diagnostic) error {
	files := &lineCache{read: p.Read}
	var b strings.Builder
	for _, d := range ds {
		p.one(&b, d, files)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("diag: print: %w", err)
	}
	return nil
}

func (p TextPrinter) one(b *strings.Builder, d Diagnostic, files *lineCache) {
	head := d.String()
	if p.Paint != nil {
		word := d.severity().String()
		head = strings.Replace(head, word+": ", p.Paint(d.severity(), word)+": ", 1)
	}
	b.WriteString(head + "\n")
	if line, ok := files.line(d.Pos); ok {
		p.excerpt(b, d, line)
	}
	if d.Hint != "" {
		writeHint(b, d.Hint)
	}
	for _, r := range d.Related {
		fmt.Fprintf(b, "  %s: %s\n", printable(r.Pos.String()), oneLine(r.Message))
	}
}

// excerpt writes the line of the diagnostic's place and the caret below it.
func (p TextPrinter) excerpt(b *strings.Builder, d Diagnostic, line string) {
	number := strconv.Itoa(d.Pos.Line)
	gutter := strings.Repeat(" ", max(5-len(number), 0))
	end := 0
	if d.End.Line == d.Pos.Line {
		end = d.End.Col
	}
	shown, caret := window(line, d.Pos.Col, end)
	fmt.Fprintf(b, "%s%s | %s\n", gutter, number, strings.TrimRight(shown, " "))
	if d.Pos.Col == 0 {
		return
	}
	indent := len(caret) - len(strings.TrimLeft(caret, " "))
	mark := caret[indent:]
	if p.Paint != nil {
		mark = p.Paint(d.severity(), mark)
	}
	fmt.Fprintf(b, "%s | %s%s\n", strings.Repeat(" ", len(gutter)+len(number)), caret[:indent], mark)
}

// writeHint puts a hint of one line beside its label, and a longer one below it, so that it can be copied as a block.
func writeHint(b *strings.Builder, hint string) {
	lines := strings.Split(strings.TrimRight(hint, "\n"), "\n")
	if len(lines) == 1 {
		fmt.Fprintf(b, "  hint: %s\n", printable(lines[0]))
		return
	}
	b.WriteString("  hint:\n")
	for _, line := range lines {
		fmt.Fprintf(b, "    %s\n", printable(line))
	}
}

// lineCache splits every file once, however many diagnostics it has.
type lineCache struct {
	read  ReadFunc
	lines map[string][][]byte
}

func (c *lineCache) line(pos Pos) (string, bool) {
	if c.read == nil || !pos.IsValid() || pos.File == "" {
		return "", false
	}
	lines, ok := c.lines[pos.File]
	if !ok {
		if c.lines == nil {
			c.lines = map[string][][]byte{}
		}
		if data, err := c.read(pos.File); err == nil {
			data = bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")) // columns do not count a byte order mark
			lines = bytes.Split(data, []byte("\n"))
		}
		c.lines[pos.File] = lines
	}
	if pos.Line > len(lines) {
		return "", false
	}
	return string(bytes.TrimSuffix(lines[pos.Line-1], []byte("\r"))), true
}
