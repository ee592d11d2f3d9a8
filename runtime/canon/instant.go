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
	if len(text) <= fractionAt || text[4] != '-' || text[7] != '-' || text[10]|0x20 != 't' || text[13] != ':' || text[16] != ':' {
		return c, reasonInstant
	}
	century, year := twoDigits(text, 0), twoDigits(text, 2)
	c.year = century*100 + year
	c.month, c.day = twoDigits(text, 5), twoDigits(text, 8)
	c.hour, c.minute, c.second = twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)
	if max(century, year, c.month, c.day, c.hour, c.minute, c.second) == noDigits {
		return c, reasonInstant
	}
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

// noDigits is more than two digits can say.
const noDigits = 100

// twoDigits reads the two digits at i.
func twoDigits(text []byte, i int) int {
	high, low := text[i]-'0', text[i+1]-'0'
	if high > 9 || low > 9 {
		return noDigits
	}
	return int(high)*10 + int(low)
}

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
	if len(text) != len("+00:00") || text[3] != ':' || text[0] != '+' && text[0] != '-' {
		return 0, reasonInstant
	}
	hours, minutes := twoDigits(text, 1), twoDigits(text, 4)
	if hours == noDigits || minutes == noDigits {
		return 0, reasonInstant
	}
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
	layout := [fractionAt]byte{4: '-', 7: '-', 10: 'T', 13: ':', 16: ':'}
	putTwo(layout[0:], c.year/100)
	putTwo(layout[2:], c.year%100)
	putTwo(layout[5:], c.month)
	putTwo(layout[8:], c.day)
	putTwo(layout[11:], c.hour)
	putTwo(layout[14:], c.minute)
	putTwo(layout[17:], c.second)
	dst = append(dst, layout[:]...)
	if len(c.fraction) > 0 {
		dst = append(append(dst, '.'), c.fraction...)
	}
	return append(dst, 'Z'), ""
}

func putTwo(dst []byte, n int) { dst[0], dst[1] = byte('0'+n/10), byte('0'+n%10) }
