package generator

import (
	"fmt"
	"slices"
	"strings"
)

const (
	diffContext = 3
	// diffLimit bounds the work: texts that are further apart are shown as replaced from the first difference to the last.
	diffLimit = 1000
)

// edit is one line of a difference: kept (' '), removed ('-') or added ('+').
type edit struct {
	kind byte
	line string // with its line end
}

// unifiedDiff leads from one text to another in the unified form, without a header when they are equal.
func unifiedDiff(oldName, oldText, newName, newText string) string {
	edits := diffLines(splitLines(oldText), splitLines(newText))
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	oldLine, newLine, from := 0, 0, 0 // lines before edits[from]
	for from < len(edits) {
		start, end := nextHunk(edits, from)
		if start == len(edits) {
			break
		}
		oldLine, newLine = oldLine+count(edits[from:start], '-'), newLine+count(edits[from:start], '+')
		hunk := edits[start:end]
		olds, news := count(hunk, '-'), count(hunk, '+')
		fmt.Fprintf(&b, "@@ -%s +%s @@\n", lineRange(oldLine, olds), lineRange(newLine, news))
		for _, e := range hunk {
			b.WriteByte(e.kind)
			b.WriteString(e.line)
			if !strings.HasSuffix(e.line, "\n") {
				b.WriteString("\n\\ No newline at end of file\n")
			}
		}
		oldLine, newLine, from = oldLine+olds, newLine+news, end
	}
	return b.String()
}

// lineRange is how a hunk's header counts: from 1, and from the line before when there is none.
func lineRange(before, n int) string {
	if n > 0 {
		before++
	}
	return fmt.Sprintf("%d,%d", before, n)
}

// nextHunk finds the next changes from an index on, with the kept lines around them; changes that are near each other share a hunk.
func nextHunk(edits []edit, from int) (start, end int) {
	changed := func(e edit) bool { return e.kind != ' ' }
	first := slices.IndexFunc(edits[from:], changed)
	if first < 0 {
		return len(edits), len(edits)
	}
	start = max(from, from+first-diffContext)
	end = from + first
	for {
		next := slices.IndexFunc(edits[end:], changed)
		if next < 0 || next > 2*diffContext {
			return start, min(end+diffContext, len(edits))
		}
		end += next + 1
	}
}

// count gives the lines that one side has: kept ones, and those of the kind.
func count(edits []edit, kind byte) (n int) {
	for _, e := range edits {
		if e.kind == ' ' || e.kind == kind {
			n++
		}
	}
	return n
}

// splitLines keeps the line ends.
func splitLines(text string) []string { return slices.Collect(strings.Lines(text)) }

// diffLines gives a shortest way from a to b. What they share at both ends is left out of the search.
func diffLines(a, b []string) []edit {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	out := appendEdits(nil, ' ', a[:head])
	out = append(out, shortest(a[head:len(a)-tail], b[head:len(b)-tail])...)
	return appendEdits(out, ' ', a[len(a)-tail:])
}

func appendEdits(out []edit, kind byte, lines []string) []edit {
	for _, line := range lines {
		out = append(out, edit{kind, line})
	}
	return out
}

// shortest is the greedy search of E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986): reach[k] is how far into a
// a path with d changes gets on the diagonal k = x − y.
func shortest(a, b []string) []edit {
	limit := min(len(a)+len(b), diffLimit)
	reach := make([]int, 2*limit+3)
	at := limit + 1 // index of diagonal 0
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, slices.Clone(reach[at-d:at+d+1])) // what the round before left on the diagonals that this one asks for
		for k := -d; k <= d; k += 2 {
			x := reach[at+k-1] + 1
			if k == -d || k != d && reach[at+k-1] < reach[at+k+1] {
				x = reach[at+k+1]
			}
			for x < len(a) && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[at+k] = x
			if x >= len(a) && x-k >= len(b) {
				return backtrack(a, b, trace)
			}
		}
	}
	return appendEdits(appendEdits(nil, '-', a), '+', b)
}

// backtrack follows the search from the end of both texts to their beginning.
func backtrack(a, b []string, trace [][]int) []edit {
	var out []edit // backwards
	x, y := len(a), len(b)
	for d := len(trace) - 1; d > 0; d-- {
		before := func(k int) int { return trace[d][k+d] }
		k := x - y
		down := k == -d || k != d && before(k-1) < before(k+1)
		var fromX int
		if down {
			fromX = before(k + 1)
		} else {
			fromX = before(k-1) + 1
		}
		for x > fromX { // the lines kept after the change
			x, y = x-1, y-1
			out = append(out, edit{' ', a[x]})
		}
		if down {
			y--
			out = append(out, edit{'+', b[y]})
			continue
		}
		x--
		out = append(out, edit{'-', a[x]})
	}
	for x > 0 { // round 0 has kept lines alone
		x--
		out = append(out, edit{' ', a[x]})
	}
	slices.Reverse(out)
	return out
}
