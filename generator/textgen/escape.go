package textgen

import (
	"fmt"
	"strings"
	"unicode"
)

// markdown is text that a renderer may read as it is.
type markdown string

// code shows s as it is spelled. In a code span a backslash is an ordinary character and in a cell of a table it is not, so what has more
// than plain characters is written as an element whose text is made of character references: no renderer finds structure in those.
func code(s string) markdown {
	if plainCode(s) {
		return markdown("`" + s + "`")
	}
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range shown(s) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	b.WriteString("</code>")
	return markdown(b.String())
}

// plainCode reports whether s can stand between two backticks, in a table too.
func plainCode(s string) bool {
	if s == "" || strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ") {
		return false
	}
	for _, r := range s {
		if r < ' ' || r > '~' || strings.ContainsRune("`|\\", r) {
			return false
		}
	}
	return true
}

// prose is a sentence of a document within a line: its white space is one space, and nothing in it is markup.
func prose(s string) markdown {
	var b strings.Builder
	for _, r := range shown(strings.Join(strings.Fields(s), " ")) {
		switch {
		case strings.ContainsRune(`*_[]#`, r):
			b.WriteString(`\` + string(r))
		case strings.ContainsRune("\\`<>&|~!@$^={}+", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return markdown(strings.ReplaceAll(b.String(), "://", "&#58;//")) // no link to anywhere
}

// shown spells out what a reader would not see, or would see something else for.
func shown(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == ' ' || unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "U+%04X", r)
	}
	return b.String()
}

// fenced is a block of code. Its fence is longer than every run of backticks inside.
func fenced(language, text string) markdown {
	longest, run := 2, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return markdown(fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence)
}

// link leads to a heading of the same text.
func link(text markdown, heading string) markdown {
	return markdown(fmt.Sprintf("[%s](#%s)", text, heading))
}

// listed joins a list with commas, and its last two with a word.
func listed(items []markdown) markdown {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	var b strings.Builder
	for i, item := range items {
		switch {
		case i == len(items)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(string(item))
	}
	return markdown(b.String())
}

// codes shows every one of a list as it is spelled.
func codes(texts []string) []markdown {
	out := make([]markdown, len(texts))
	for i, text := range texts {
		out[i] = code(text)
	}
	return out
}
