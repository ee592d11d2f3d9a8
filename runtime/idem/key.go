package idem

import (
	"errors"
	"strconv"
	"strings"
)

// Errors of a key. Neither carries the key.
var (
	// ErrKeyMissing says that there is no key, or an empty one.
	ErrKeyMissing = errors.New("idem: idempotency key is missing")
	// ErrKeyMalformed says that something stands in the key's place which cannot be a key; errors wrap it with the reason.
	ErrKeyMalformed = errors.New("idem: idempotency key is malformed")
)

// KeyError is a malformed key with its reason.
type KeyError struct {
	// Reason is one lower-case sentence without a full stop.
	Reason string
}

// Error gives the reason.
func (e *KeyError) Error() string { return "idem: idempotency key is malformed: " + e.Reason }

// Unwrap makes errors.Is(err, ErrKeyMalformed) hold.
func (e *KeyError) Unwrap() error { return ErrKeyMalformed }

func malformedKey(reason string) error { return &KeyError{Reason: reason} }

// ParseKeyHeader reads the key from the lines of its header: bare (visible ASCII except `"`, `,` and `;`) or as a string of
// RFC 8941 section 3.3.3. Both spellings of a text are the same key. One header line with one value is accepted and nothing else:
// a list would leave it to chance which of its keys counts.
func ParseKeyHeader(lines []string) (string, error) {
	if len(lines) > 1 {
		return "", malformedKey("the header stands there more than once")
	}
	if len(lines) == 0 {
		return "", ErrKeyMissing
	}
	value := strings.Trim(lines[0], " \t")
	if strings.HasPrefix(value, `"`) {
		return parseQuotedKey(value[1:])
	}
	if strings.ContainsAny(value, `",;`) {
		return "", malformedKey(`a bare key contains none of ", comma and semicolon; a list of keys or parameters is not accepted`)
	}
	return visibleKey(value)
}

// parseQuotedKey reads what follows the opening quote.
func parseQuotedKey(rest string) (string, error) {
	var key strings.Builder
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '"':
			if i != len(rest)-1 {
				return "", malformedKey("something follows the closing quote; parameters and lists are not accepted")
			}
			return visibleKey(key.String())
		case '\\':
			i++
			if i == len(rest) || rest[i] != '"' && rest[i] != '\\' {
				return "", malformedKey(`a backslash stands before neither " nor \`)
			}
			key.WriteByte(rest[i])
		default:
			key.WriteByte(c)
		}
	}
	return "", malformedKey("the closing quote is missing")
}

// visibleKey checks what every key must be, wherever it stands.
func visibleKey(key string) (string, error) {
	if key == "" {
		return "", ErrKeyMissing
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] > '~' {
			return "", malformedKey("a character is not visible ASCII")
		}
	}
	return key, nil
}

// checkKey applies an operation's own demands. A UUID becomes lower case: RFC 9562 section 4 reads both cases as the same
// UUID, and a retry that spells it the other way must find its record.
func (k *KeySource) checkKey(key string) (string, error) {
	if len(key) < k.MinLength {
		return "", malformedKey("it has fewer than " + strconv.Itoa(k.MinLength) + " characters")
	}
	if len(key) > k.MaxLength {
		return "", malformedKey("it has more than " + strconv.Itoa(k.MaxLength) + " characters")
	}
	if k.Format != UUIDKey {
		return key, nil
	}
	if !isUUID(key) {
		return "", malformedKey("it is not a UUID of the form 8-4-4-4-12")
	}
	return strings.ToLower(key), nil
}

// place says in words where the key stands.
func (k *KeySource) place() string {
	switch k.In {
	case KeyInQuery:
		return "the query parameter " + k.Name
	case KeyInBody:
		return "the body's member " + strings.Join(k.Path, ".")
	case KeyInPath:
		return "the path parameter " + k.Name
	case KeyInHeader:
	}
	return "the header " + k.Name
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	return true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
