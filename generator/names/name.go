package names

import (
	"slices"
	"strings"
	"unicode"
)

// Name is a name of a document as rules compare it: apart from case and from what stands between its words.
type Name struct {
	words  []string // lower case
	joined string
}

// New reads a name.
func New(text string) Name {
	w := Words(text)
	return Name{words: w, joined: strings.Join(w, "")}
}

// Words splits at everything that is no letter or digit, and where a capital follows a small letter or begins a word: HTTPCode is two.
func Words(text string) (out []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
		}
		word = nil
	}
	runes := []rune(text)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			end()
		}
		word = append(word, r)
	}
	end()
	return out
}

// Words gives the words of n, in lower case.
func (n Name) Words() []string { return slices.Clone(n.words) }

// Same reports whether two names differ in spelling alone.
func (n Name) Same(other Name) bool { return n.joined == other.joined }

// Is reports whether the whole name is one of a list, in which words are not separated.
func (n Name) Is(list ...string) bool { return slices.Contains(list, n.joined) }

// EndsIn reports whether the name ends in one of the phrases, whose words are separated by blanks.
func (n Name) EndsIn(phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool {
		want := strings.Fields(p)
		if len(want) > len(n.words) {
			return false
		}
		tail := slices.Clone(n.words[len(n.words)-len(want):])
		tail[len(tail)-1] = singular(tail[len(tail)-1])
		return slices.Equal(tail, want)
	})
}

// Has gives the first of the words of list that the name has, in singular.
func (n Name) Has(list ...string) (string, bool) {
	for _, w := range n.words {
		if slices.Contains(list, singular(w)) {
			return singular(w), true
		}
	}
	return "", false
}

func singular(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return strings.TrimSuffix(word, "s")
	}
	return word
}
