package generator

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnifiedDiff(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"a line changed", "1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\nx\n6\n7\n8\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		{"from nothing", "", "1\n", "@@ -0,0 +1,1 @@\n+1\n"},
		{"to nothing", "1\n", "", "@@ -1,1 +0,0 @@\n-1\n"},
		{"no last line end", "1\n2", "1\n2\n", "@@ -1,2 +1,2 @@\n 1\n-2\n\\ No newline at end of file\n+2\n"},
		{"far apart", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "1\n2\n3\n4\n5\n6\n7\n", "@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-b\n"},
		{"near each other", "a\n1\n2\n3\n4\n5\n6\nb\n", "1\n2\n3\n4\n5\n6\n", "@@ -1,8 +1,6 @@\n-a\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n"},
		{"equal", "1\n", "1\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, "--- f\n+++ g\n"+c.want, unifiedDiff("f", c.from, "g", c.to))
		})
	}
}

// Applying the edits to one text gives the other, and patch agrees where it is installed.
func TestDiffLeadsFromOneTextToTheOther(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(n int) string {
		var b strings.Builder
		for range random.IntN(n) {
			b.WriteString(string(rune('a'+random.IntN(4))) + "\n")
		}
		return b.String()
	}
	patch, _ := exec.LookPath("patch")
	for i := range 3000 {
		from, to := text(20), text(20)
		edits := diffLines(splitLines(from), splitLines(to))
		require.Equal(t, from, side(edits, '-'))
		require.Equal(t, to, side(edits, '+'))
		require.Equal(t, longestCommon(splitLines(from), splitLines(to)), count(edits, ' '), "a shorter way exists")
		if patch != "" && i < 30 && from != to && from != "" && to != "" {
			file := put(t, t.TempDir(), "f", from)
			cmd := exec.Command(patch, "-s", file)
			cmd.Dir, cmd.Stdin = filepath.Dir(file), strings.NewReader(unifiedDiff("f", from, "f", to))
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, to, tree(t, os.DirFS(filepath.Dir(file)))["f"])
		}
	}
}

func TestDiffOfTextsFarApartIsBounded(t *testing.T) {
	from, to := strings.Repeat("a\n", 50000), strings.Repeat("b\n", 50000)
	edits := diffLines(splitLines("same\n"+from), splitLines("same\n"+to))
	assert.Equal(t, "same\n"+to, side(edits, '+'))
}

// side is the text that one side of a difference has.
func side(edits []edit, kind byte) string {
	var b strings.Builder
	for _, e := range edits {
		if e.kind == ' ' || e.kind == kind {
			b.WriteString(e.line)
		}
	}
	return b.String()
}

// longestCommon is how many lines the longest common subsequence has, by the textbook's table.
func longestCommon(a, b []string) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			if a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			}
		}
	}
	return table[len(a)][len(b)]
}
