package contract

import (
	"strings"
	"unicode"
)

// initialisms are words that Go spells in capitals.
const initialisms = " ACL API ASCII BIC CPU CSS CSV CVC CVV DNS EAN EOF FAQ GUID HTML HTTP HTTPS IBAN ID IDP IP ISBN ISO JSON JWT KYC MFA OTP PAN PDF PIN PSP QPS RAM RPC SDK SEPA SKU SLA SMS SMTP SQL SSH SSN SSO TCP TLS TTL UDP UI UID URI URL URN USD UTF UUID VAT VM XML XSRF XSS "

// exported makes an exported Go identifier of any text: accountId becomes AccountID, dry_run becomes DryRun, 3ds becomes X3ds.
func exported(text string) string {
	var b strings.Builder
	for _, word := range words(text) {
		b.WriteString(capital(word))
	}
	name := b.String()
	if name == "" {
		return "X"
	}
	if first := []rune(name)[0]; !unicode.IsUpper(first) {
		return "X" + name
	}
	return name
}

// capital writes one word as a part of an identifier.
func capital(word string) string {
	upper := strings.ToUpper(word)
	if isInitialism(upper) {
		return upper
	}
	if stem, ok := strings.CutSuffix(upper, "S"); ok && isInitialism(stem) {
		return stem + "s"
	}
	runes := []rune(word)
	return string(unicode.ToUpper(runes[0])) + string(runes[1:])
}

func isInitialism(upper string) bool { return strings.Contains(initialisms, " "+upper+" ") }

// words splits at everything that is no letter or digit, and where the case says that a new word begins. A sign before a
// number is a word: +1 and -1 are two names.
func words(text string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, string(word))
		}
		word = nil
	}
	runes := []rune(text)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			if sign, ok := signWord(runes, i); ok {
				out = append(out, sign)
			}
			continue
		}
		if i > 0 && startsWord(runes, i) {
			end()
		}
		word = append(word, r)
	}
	end()
	return out
}

func signWord(runes []rune, i int) (string, bool) {
	first := i == 0 && i+1 < len(runes) && unicode.IsDigit(runes[i+1])
	switch {
	case first && runes[i] == '+':
		return "Plus", true
	case first && runes[i] == '-':
		return "Minus", true
	}
	return "", false
}

// startsWord reports whether a word begins at i: after a small letter or a digit, and at the last capital of HTTPServer
// but not inside of IDs.
func startsWord(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	if !unicode.IsUpper(runes[i-1]) {
		return true
	}
	if i+1 >= len(runes) || !unicode.IsLower(runes[i+1]) {
		return false
	}
	plural := runes[i+1] == 's' && (i+2 == len(runes) || !unicode.IsLower(runes[i+2]))
	return !plural
}

// unexported writes an exported name with a small beginning: HTTPCheck becomes httpCheck.
func unexported(name string) string {
	runes := []rune(name)
	n := 0
	for n < len(runes) && unicode.IsUpper(runes[n]) {
		n++
	}
	if n > 1 && n < len(runes) && unicode.IsLetter(runes[n]) {
		n-- // the last capital begins the next word
	}
	return strings.ToLower(string(runes[:n])) + string(runes[n:])
}

// asciiLower keeps the ASCII letters and digits of name, in lower case.
func asciiLower(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
}
