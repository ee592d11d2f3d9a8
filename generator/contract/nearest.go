package contract

import "strings"

// nearest gives the candidate that word is most likely a misspelling of; none when every one is too far away.
func nearest(word string, candidates []string) (string, bool) {
	best, limit := "", 1+max(1, len(word)/3)
	for _, c := range candidates {
		if d := distance(folded(word), folded(c)); d < limit {
			best, limit = c, d
		}
	}
	return best, best != ""
}

// folded takes away what people spell differently without meaning anything by it.
func folded(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
}

// distance is the number of letters to change, add or take away between a and b.
func distance(a, b string) int {
	const longest = 64 // a longer name is compared by its beginning: the work stays small
	x, y := []rune(a), []rune(b)
	x, y = x[:min(len(x), longest)], y[:min(len(y), longest)]
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}

func lines(list []string) string { return strings.Join(list, "\n") }
