package openapi

import "strconv"

// quoteText shows text of a document in a message: on one line, without control characters, and not endless.
func quoteText(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strconv.Quote(s)
}
