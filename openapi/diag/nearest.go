package diag

import (
	"strings"
	"unicode/utf8"
)

// Nearest gives the candidate that word is most likely a misspelling of, for hints. It would rather give none than a strange one.
func Nearest(word string, candidates []string) (string, bool) {
	best, bestDistance := "", 1+max(1, utf8.RuneCountInString(word)/3)
	for _, c := range candidates {
		a, b := []rune(fold(word)), []rune(fold(c))
		if max(len(a), len(b)) > longestWord || max(len(a)-len(b), len(b)-len(a)) >= bestDistance {
			continue
		}
		if d := editDistance(a, b); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// longestWord keeps the work small: paths of an API are shorter.
const longestWord = 250

// fold takes away what people spell differently without meaning anything by it.
func fold(s string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s))
}

// editDistance counts the characters to insert, delete, replace or swap with their neighbour to get from x to y.
func editDistance(x, y []rune) int {
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
