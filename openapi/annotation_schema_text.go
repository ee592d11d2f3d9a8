package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// The patterns are regular expressions that ECMAScript and Go read alike. Each takes everything that the decoder takes, and as little of
// the rest as an expression of some length can say.
const (
	durationPattern = `^(?:0*[1-9][0-9]*[smhd]|P(?:(?:[0-9]+W)?[0-9]+D|[0-9]+W)(?:T` + isoTime + `)?|PT` + isoTime + `)$`
	isoTime         = `(?:[0-9]+H(?:[0-9]+M)?(?:[0-9]+S)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)`

	identifierPattern = `^[A-Za-z_][A-Za-z0-9_]*$`
	docsPattern       = `^[Hh][Tt][Tt][Pp][Ss]?://[!#-;=?-\[\]_a-z~]+$`

	// A name in quotes, with the escapes of JSON.
	quotedStep = `\["(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"\]`
)

// requestParts are the words that a field path begins with.
func requestParts() []string {
	var words []string
	for _, in := range []In{InBody, InPath, InQuery, InHeader} {
		words = append(words, in.String())
	}
	return words
}

// namedStep is a step to a name.
func namedStep() string {
	return `(?:\.` + classOf(plainRune) + `+|` + quotedStep + `)`
}

func headerStep() string {
	token := func(r rune) bool { return plainRune(r) && isToken(string(r)) }
	return `(?:\.` + classOf(token) + `+|` + quotedStep + `)`
}

func fieldPathSchema() jsonSchema {
	step := `(?:` + namedStep() + `|\[\]|\.\*)*`
	return jsonSchema{
		"type":        "string",
		"description": "A part of a request: body.amount, body.lines[].sku, path.accountId, query.expand, header.X-Version.",
		"pattern":     `^(?:body` + step + `|(?:path|query)` + namedStep() + step + `|header` + headerStep() + `(?:\[\])*)$`,
	}
}

// singlePathSchema names one value: no step goes to every element or entry, and the body as a whole is none.
func singlePathSchema() jsonSchema {
	return jsonSchema{
		"type":        "string",
		"description": "One value of a request: body.requestId, path.accountId, header.Idempotency-Key.",
		"pattern":     `^(?:(?:body|path|query)` + namedStep() + `+|header` + headerStep() + `)$`,
	}
}

// classOf is the class of the characters that is takes. Beyond ASCII it takes all or none.
func classOf(is func(rune) bool) string {
	open, listed := "[", true
	if is('\u00e4') {
		open, listed = "[^", false
	}
	var b strings.Builder
	b.WriteString(open)
	for r := rune(0); r < utf8.RuneSelf; r++ {
		if is(r) != listed {
			continue
		}
		last := r
		for last+1 < utf8.RuneSelf && is(last+1) == listed {
			last++
		}
		writeClassRune(&b, r)
		if last > r {
			b.WriteByte('-')
			writeClassRune(&b, last)
		}
		r = last
	}
	return b.String() + "]"
}

// writeClassRune writes letters and digits as they are and all else by its number, which means the same everywhere.
func writeClassRune(b *strings.Builder, r rune) {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		b.WriteRune(r)
		return
	}
	fmt.Fprintf(b, `\x%02x`, r)
}

func dimensionPattern() string {
	return fmt.Sprintf(`^[A-Za-z][A-Za-z0-9_\x2d]{0,%d}$`, maxDimension-1)
}

func tokenPattern() string {
	return `^` + classOf(func(r rune) bool { return isToken(string(r)) }) + `+$`
}

// namePattern is text without blanks at its ends and without characters that nobody sees. Beyond the basic plane it takes all.
func namePattern() string {
	var unseen strings.Builder
	unseen.WriteString(`\x00-\x1f\x7f`)
	for _, span := range invisibleSpans {
		if span[0] > 0xFFFF {
			continue
		}
		unseen.WriteRune(span[0])
		if span[1] > span[0] {
			unseen.WriteString("-" + string(span[1]))
		}
	}
	end := `[^ ` + unseen.String() + `]`
	return `^` + end + `(?:[^` + unseen.String() + `]*` + end + `)?$`
}

// refusedHeaderPattern finds the headers that no replay carries, whatever their case.
func refusedHeaderPattern() string {
	names := slices.Sorted(maps.Keys(refusedHeaders))
	for i, name := range names {
		names[i] = anyCase(name)
	}
	return `^(?:` + strings.Join(names, "|") + `)$|^` + anyCase("proxy-")
}

func anyCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'a' && r <= 'z' {
			fmt.Fprintf(&b, "[%c%c]", r-'a'+'A', r)
			continue
		}
		writeClassRune(&b, r)
	}
	return b.String()
}
