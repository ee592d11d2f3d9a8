package trace

import (
	"fmt"
	"strconv"
	"strings"
)

// word is a part of a line: bare, or the value of a quoted one.
type word struct {
	text   string
	column int // from 1, in bytes
	quoted bool
}

const arrow = "->"

// split gives the words of a line without its comment.
func split(line string) ([]word, error) {
	var words []word
	for at := 0; at < len(line); {
		rest := line[at:]
		switch rest[0] {
		case ' ', '\t', '\r':
			at++
		case '#':
			return words, nil
		case '"':
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, &problem{at + 1, `a quoted word has no end, or an escape that Go does not know`}
			}
			text, _ := strconv.Unquote(quoted) // QuotedPrefix has seen that it is one
			words = append(words, word{text, at + 1, true})
			at += len(quoted)
		default:
			n := strings.IndexAny(rest, " \t\r\"#")
			if n < 0 {
				n = len(rest)
			}
			words = append(words, word{rest[:n], at + 1, false})
			at += n
		}
	}
	return words, nil
}

// problem is what is wrong at a column of a line.
type problem struct {
	column int
	text   string
}

func (p *problem) Error() string { return p.text }

func problemf(w word, format string, args ...any) error {
	return &problem{w.column, fmt.Sprintf(format, args...)}
}

// Result writes a result as Parse gives it in Step.Want: what is between its words does not count.
func Result(text string) string {
	words, err := split(text)
	if err != nil {
		return text
	}
	return join(words)
}

// join writes words with single blanks between them, and none before a comma, colon or semicolon; quoted words as Go quotes them.
func join(words []word) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 && w.text != "," && w.text != ":" && w.text != ";" {
			b.WriteByte(' ')
		}
		if w.quoted {
			b.WriteString(strconv.Quote(w.text))
			continue
		}
		b.WriteString(w.text)
	}
	return b.String()
}
