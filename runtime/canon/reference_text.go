package canon

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// refLeaf gives the canonical text of a value under a normaliser.
func refLeaf(as Normaliser, v *refValue, place string) (string, *Refusal) {
	if as == Generic {
		return refGeneric(v, place)
	}
	wanted := "a string is expected"
	isString := v.kind == refStringValue || v.kind == refFileValue // a file stands for the text of its digest
	var fits bool
	switch as {
	case Int, Decimal:
		fits, wanted = v.kind == refNumberValue || isString, "a number is expected"
	case Double:
		fits, wanted = v.kind == refNumberValue, "a number is expected"
	case Boolean:
		fits, wanted = v.kind == refWordValue && v.text != "null", "true or false is expected"
	default:
		fits = isString
	}
	fits = fits || v.kind == refTextValue
	if !fits {
		return "", refRefuse(place, v.offset, wanted)
	}
	if v.fault != nil {
		return "", v.fault
	}
	if v.kind == refFileValue && as == ContentDigest {
		return refString(v.text), nil // it is one already
	}
	text, reason := refText(as, v.text)
	if reason != "" {
		return "", refRefuse(place, v.offset, reason)
	}
	return text, nil
}

// refText gives the canonical text of a scalar from its characters, or the reason why it has none.
func refText(as Normaliser, text string) (canonical, reason string) {
	if !utf8.ValidString(text) {
		return "", "invalid UTF-8"
	}
	switch as {
	case Exact, Generic:
	case Boolean:
		if text != "true" && text != "false" {
			return "", "true or false is expected"
		}
		return text, ""
	case Int:
		text, reason = refInt(text)
	case Decimal:
		text, reason = refDecimal(text)
	case Double:
		text, reason = refDouble(text)
	case Instant:
		text, reason = refInstant(text)
	case UUID:
		if !refUUIDForm.MatchString(text) {
			return "", "a UUID is expected"
		}
		text = strings.ToLower(text)
	case Base64:
		raw, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || base64.StdEncoding.EncodeToString(raw) != text { // the decoder skips line breaks
			return "", "padded standard base64 is expected"
		}
	case ContentDigest:
		text = refDigest(text)
	case ASCIILower:
		text = strings.Map(func(r rune) rune { return refShift(r, 'A', 'a') }, text)
	case ASCIIUpper:
		text = strings.Map(func(r rune) rune { return refShift(r, 'a', 'A') }, text)
	case ASCIITrim:
		text = strings.Trim(text, "\t\n\f\r ")
	default:
		return "", "the contract names no normaliser"
	}
	return refString(text), reason
}

// refDigest gives the normalised text of content.
func refDigest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:]) + ":" + strconv.Itoa(len(content))
}

// refShift moves a letter of the 26 from first on to the same one of the 26 from to on.
func refShift(r, first, to rune) rune {
	if r >= first && r < first+26 {
		return r - first + to
	}
	return r
}

var (
	refUUIDForm    = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	refIntForm     = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
	refNumberForm  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$`)
	refInstantForm = regexp.MustCompile(`^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$`)
)

const refDigits = 38 // at most, and the exponent's bound

func refInt(text string) (string, string) {
	if !refIntForm.MatchString(text) {
		return "", "an integer is expected"
	}
	if len(strings.TrimPrefix(text, "-")) > refDigits {
		return "", "a number of more than 38 digits"
	}
	n, _ := new(big.Int).SetString(text, 10)
	return n.String(), ""
}

func refDecimal(text string) (string, string) {
	parts := refNumberForm.FindStringSubmatch(text)
	if parts == nil {
		return "", "a number is expected"
	}
	if len(parts[1])+len(parts[2]) > refDigits {
		return "", "a number of more than 38 digits"
	}
	if parts[3] != "" {
		exponent, _ := new(big.Int).SetString(parts[3], 10)
		if exponent.CmpAbs(big.NewInt(refDigits)) > 0 {
			return "", "an exponent beyond 38"
		}
	}
	value, _ := new(big.Rat).SetString(text)
	plain := value.FloatString(2 * refDigits) // exact: no more than 38 fraction digits, moved by no more than 38
	return strings.TrimSuffix(strings.TrimRight(plain, "0"), "."), ""
}

// refDouble relies on encoding/json, which prints doubles as ECMAScript does except for -0.
func refDouble(text string) (string, string) {
	if !refNumberForm.MatchString(text) {
		return "", "a number is expected"
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return "", "a number beyond the range of a double"
	}
	plain, _ := json.Marshal(value)
	if string(plain) == "-0" {
		return "0", ""
	}
	return string(plain), ""
}

func refInstant(text string) (string, string) {
	parts := refInstantForm.FindStringSubmatch(text)
	if parts == nil {
		return "", "an RFC 3339 date-time is expected"
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(parts[i]) // empty is 0
		return n
	}
	year, month, day := number(1), number(2), number(3)
	hour, minute, second := number(4), number(5), number(6)
	if second == 60 && hour < 24 && minute < 60 {
		return "", "a leap second"
	}
	local := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	if local.Year() != year || local.Month() != time.Month(month) || local.Day() != day ||
		local.Hour() != hour || local.Minute() != minute || local.Second() != second {
		return "", "a moment that calendar and clock do not have"
	}
	if len(parts[7]) > 9 {
		return "", "more than nine fraction digits"
	}
	if number(9) > 23 || number(10) > 59 {
		return "", "an offset beyond 23:59"
	}
	east := time.Duration(number(9))*time.Hour + time.Duration(number(10))*time.Minute
	if parts[8] == "-" {
		east = -east
	}
	moment := local.Add(-east)
	if moment.Year() < 0 || moment.Year() > 9999 {
		return "", "an instant beyond the years 0000 to 9999"
	}
	fraction := strings.TrimRight(parts[7], "0")
	if fraction != "" {
		fraction = "." + fraction
	}
	return moment.Format("2006-01-02T15:04:05") + fraction + "Z", ""
}
