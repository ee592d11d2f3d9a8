package diag

import (
	"fmt"
	"strings"
)

// Text gives the row for a terminal, its snippets indented.
func (i Info) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s\n\n%s\n", i.Code, i.Severity, i.Title, i.Explanation)
	i.snippets(func(title, text string) {
		fmt.Fprintf(&b, "\n%s:\n\n", title)
		for line := range strings.Lines(text) {
			if line != "\n" {
				line = "    " + line
			}
			b.WriteString(line)
		}
	})
	return b.String()
}

// Markdown gives the row for a web page. Nothing of it comes from a user's document.
func (i Info) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s** %s: %s\n\n%s\n", i.Code, i.Severity, i.Title, i.Explanation)
	i.snippets(func(title, text string) { fmt.Fprintf(&b, "\n%s:\n\n```\n%s```\n", title, text) })
	return b.String()
}

// snippets gives those that the row has, each with one line break at its end.
func (i Info) snippets(show func(title, text string)) {
	for _, s := range []struct{ title, text string }{{"Bad", i.Bad}, {"Good", i.Good}} {
		if s.text != "" {
			show(s.title, strings.TrimSuffix(s.text, "\n")+"\n")
		}
	}
}
