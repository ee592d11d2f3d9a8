package trace

import (
	"fmt"
	"strings"
)

// nearest proposes the known name that is most like what was written.
func nearest(written string, known []string) string {
	best, least := "", 3 // more than two changes are another word
	for _, name := range known {
		if d := distance(written, name); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ": there are " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance counts the characters to add, take away or change.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
