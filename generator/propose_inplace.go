package generator

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/propose"
	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// insertion are lines that go into a file at one place.
type insertion struct {
	at    openapi.Insertion
	lines []propose.Line
	// lift puts them above the comments that stand directly before the place.
	lift bool
}

// renderInPlace puts the drafts into the texts of their files.
func (p *proposing) renderInPlace(defaults bool) error {
	var all []insertion
	if defaults {
		all = p.defaultsInPlace()
	}
	for _, d := range p.drafts {
		if d.Left == "" {
			all = append(all, insertion{at: d.Candidate.Insert, lines: d.Lines(p.opts.extension())})
		}
	}
	for _, file := range filesOf(all) {
		if err := p.edit(file, slices.DeleteFunc(slices.Clone(all), func(i insertion) bool { return i.at.File != file })); err != nil {
			return err
		}
	}
	return nil
}

// defaultsInPlace gives the scope at the document's root, or has every operation give it where the root cannot be edited.
func (p *proposing) defaultsInPlace() []insertion {
	root, block := p.doc.Insert, p.doc.InsertDefault
	switch {
	case block.Line == 0 && root.Refused == "":
		return []insertion{{at: root, lines: propose.DefaultLines(p.opts.extension(), p.doc.Defaults.Key.Set), lift: true}}
	case block.Line > 0 && block.Refused == "":
		return []insertion{{at: block, lines: propose.ScopeLines()}}
	}
	for _, d := range p.drafts {
		d.ScopeHere = d.NeedsScope
	}
	return nil
}

// filesOf lists the files of insertions, each once, in order.
func filesOf(all []insertion) (out []string) {
	for _, i := range all {
		if !slices.Contains(out, i.at.File) {
			out = append(out, i.at.File)
		}
	}
	return out
}

// edit renders one file, and compares what it says with what it said.
func (p *proposing) edit(file string, list []insertion) error {
	path := filepath.FromSlash(file)
	before := p.before[path]
	if before == nil {
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("generator: propose %s: %w", slash(p.document), err)
		}
		if p.before == nil {
			p.before = map[string][]byte{}
		}
		p.before[path], before = data, data
	}
	after, placed := insertLines(before, list)
	if !openapi.OnlyAdds(file, before, after, p.opts.extension()) {
		return p.notInPlace(diag.Pos{File: file, Line: list[0].at.Line, Col: 1}, "lines would change what stands there")
	}
	for line, l := range placed {
		p.placed[place{file, line}] = l
	}
	p.files = append(p.files, File{Path: path, Content: after, Document: p.document})
	return nil
}

// insertLines puts lines into a text, each with the line end of the one before it. All other bytes stay. It also gives the new lines by
// their numbers.
func insertLines(text []byte, list []insertion) ([]byte, map[int]propose.Line) {
	bom := text[:len(text)-len(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")))]
	lines := bytes.SplitAfter(text[len(bom):], []byte("\n"))
	before := map[int][]insertion{} // by the index of the line that follows
	for _, i := range list {
		at := i.at.Line - 1
		for i.lift && at > 0 && isCommentAt(lines[at-1], i.at.Indent) {
			at--
		}
		before[at] = append(before[at], i)
	}
	var out []byte
	placed := map[int]propose.Line{}
	number := 1
	for at := 0; at <= len(lines); at++ {
		for _, i := range before[at] {
			end := lineEnd(lines, at)
			if len(out) > 0 && out[len(out)-1] != '\n' { // the file's last line has no end
				out = append(out, end...)
			}
			for _, l := range i.lines {
				out = append(out, strings.Repeat(" ", i.at.Indent)+l.Text+end...)
				placed[number] = l
				number++
			}
		}
		if at < len(lines) {
			out = append(out, lines[at]...)
			number++
		}
	}
	return slices.Concat(bom, out), placed
}

// isCommentAt reports whether a line is a comment that begins after so many blanks.
func isCommentAt(line []byte, indent int) bool {
	text := bytes.TrimLeft(line, " ")
	return len(line)-len(text) == indent && bytes.HasPrefix(text, []byte("#"))
}

// lineEnd is how the nearest line before index at ends that has an end.
func lineEnd(lines [][]byte, at int) string {
	for at--; at >= 0; at-- {
		switch {
		case bytes.HasSuffix(lines[at], []byte("\r\n")):
			return "\r\n"
		case bytes.HasSuffix(lines[at], []byte("\n")):
			return "\n"
		}
	}
	return "\n"
}
