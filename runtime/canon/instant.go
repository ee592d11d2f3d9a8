package canon

import (
	"errors"
	"time"
)

const (
	reasonInstant    = "an RFC 3339 date-time is expected"
	reasonDate       = "a day that the calendar does not have"
	reasonClock      = "a time of day that the clock does not have"
	reasonLeap       = "a leap second"
	reasonFraction   = "more than nine fraction digits"
	reasonOffset     = "an offset beyond 23:59"
	reasonYear       = "an instant beyond the years 0000 to 9999"
	fractionAt       = len("2006-01-02T15:04:05")
	minutesADay      = 24 * 60
	maxFractionDigit = 9
)

// civil is an instant in UTC.
type civil struct {
	year, month, day     int
	hour, minute, second int
	fraction             []byte // digits without trailing zeros
}

// ParseInstant reads an RFC 3339 date-time as the normaliser Instant does: any offset to 23:59, T and Z in either case, up to nine
// fraction digits, no comma, no leap second. It is meant for decoders, so that they read what the fingerprint has read.
func ParseInstant(text []byte) (time.Time, error) {
	c, reason := parseInstant(text)
	if reason != "" {
		return time.Time{}, errors.New("canon: parse instant: " + reason)
	}
	nanoseconds := 0
	for i := 0; i < maxFractionDigit; i++ {
		nanoseconds *= 10
		if i < len(c.fraction) {
			nanoseconds += int(c.fraction[i] - '0')
		}
	}
	return time.Date(c.year, time.Month(c.month), c.day, c.hour, c.minute, c.second, nanoseconds, time.UTC), nil
}

// parseInstant is its own parser because time.Parse drops the tenth fraction digit, takes a comma, and refuses t and z.
func parseInstant(text []byte) (c civil, reason string) {
	if len(text) <= fractionAt || !matches(text[:fractionAt], "0000-00-00t00:00:00") {
		return c, reasonInstant
	}
	c.year = number(text[0:2])*100 + number(text[2:4])
	c.month, c.day = number(text[5:7]), number(text[8:10])
	c.hour, c.minute, c.second = number(text[11:13]), number(text[14:16]), number(text[17:19])
	switch {
	case c.month < 1 || c.month > 12 || c.day < 1 || c.day > daysIn(c.year, c.month):
		return c, reasonDate
	case c.hour > 23 || c.minute > 59 || c.second > 60:
		return c, reasonClock
	case c.second == 60:
		return c, reasonLeap
	}
	rest := text[fractionAt:]
	if rest[0] == '.' {
		end := digitsEnd(rest, 1)
		switch {
		case end == 1 || end == len(rest):
			return c, reasonInstant
		case end-1 > maxFractionDigit:
			return c, reasonFraction
		}
		c.fraction, rest = trimZeros(rest[1:end]), rest[end:]
	}
	offset, reason := parseOffset(rest)
	if reason != "" {
		return c, reason
	}
	return c.minus(offset)
}

// matches compares text with a pattern in which 0 stands for a digit and t for T or t.
func matches(text []byte, pattern string) bool {
	for i := range text {
		c := text[i]
		switch p := pattern[i]; {
		case p == '0' && c-'0' < 10:
		case p == 't' && c == 'T':
		case p != '0' && p == c:
		default:
			return false
		}
	}
	return true
}

// number reads two digits.
func number(text []byte) int { return int(text[0]-'0')*10 + int(text[1]-'0') }

func trimZeros(digits []byte) []byte {
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return digits
}

// parseOffset gives the offset from UTC in minutes. -00:00 is UTC too (RFC 3339 section 4.3).
func parseOffset(text []byte) (int, string) {
	if len(text) == 1 && text[0]|0x20 == 'z' {
		return 0, ""
	}
	if len(text) != len("+00:00") || !matches(text[1:], "00:00") || text[0] != '+' && text[0] != '-' {
		return 0, reasonInstant
	}
	hours, minutes := number(text[1:3]), number(text[4:6])
	if hours > 23 || minutes > 59 {
		return 0, reasonOffset
	}
	if text[0] == '-' {
		return -hours*60 - minutes, ""
	}
	return hours*60 + minutes, ""
}

// minus takes an offset of less than a day off.
func (c civil) minus(offset int) (civil, string) {
	minutes := c.hour*60 + c.minute - offset
	switch {
	case minutes < 0:
		minutes += minutesADay
		c.day--
		if c.day == 0 {
			c.month--
			if c.month == 0 {
				c.year, c.month = c.year-1, 12
			}
			c.day = daysIn(c.year, c.month)
		}
	case minutes >= minutesADay:
		minutes -= minutesADay
		c.day++
		if c.day > daysIn(c.year, c.month) {
			c.month, c.day = c.month+1, 1
			if c.month == 13 {
				c.year, c.month = c.year+1, 1
			}
		}
	}
	if c.year < 0 || c.year > 9999 {
		return c, reasonYear
	}
	c.hour, c.minute = minutes/60, minutes%60
	return c, ""
}

// daysIn follows the proleptic Gregorian calendar.
func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// appendInstant appends the normalised text: UTC, Z, no trailing zeros.
func appendInstant(dst, text []byte) ([]byte, string) {
	c, reason := parseInstant(text)
	if reason != "" {
		return dst, reason
	}
	dst = appendTwo(appendTwo(dst, c.year/100), c.year%100)
	dst = appendTwo(append(dst, '-'), c.month)
	dst = appendTwo(append(dst, '-'), c.day)
	dst = appendTwo(append(dst, 'T'), c.hour)
	dst = appendTwo(append(dst, ':'), c.minute)
	dst = appendTwo(append(dst, ':'), c.second)
	if len(c.fraction) > 0 {
		dst = append(append(dst, '.'), c.fraction...)
	}
	return append(dst, 'Z'), ""
}

func appendTwo(dst []byte, n int) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
