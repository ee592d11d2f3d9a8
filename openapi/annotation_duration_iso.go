package openapi

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// isoUnit is a designator of ISO 8601 and its length.
type isoUnit struct {
	letter byte
	size   time.Duration
}

// parseISODuration reads PnWnDTnHnMnS, any part of which may be left out; integers only.
func parseISODuration(text string) (time.Duration, error) {
	date, clock, hasClock := strings.Cut(text[1:], "T")
	fault := "is no ISO 8601 duration of weeks, days, hours, minutes and seconds"
	switch {
	case strings.ContainsAny(date, "YM"):
		fault = "has years or months, which differ in length; use days"
	case date == "" && clock == "" || hasClock && clock == "":
	default:
		total, ok := addISO(0, date, []isoUnit{{'W', 7 * day}, {'D', day}})
		if ok {
			total, ok = addISO(total, clock, []isoUnit{{'H', time.Hour}, {'M', time.Minute}, {'S', time.Second}})
		}
		switch {
		case ok && total == 0:
			fault = faultZero
		case ok && total < 0:
			fault = faultTooLong
		case ok:
			return total, nil
		}
	}
	return 0, &durationError{text: text, fault: fault}
}

// addISO adds what part says, its units in order and each at most once. The sum is negative when it is too long.
func addISO(total time.Duration, part string, units []isoUnit) (time.Duration, bool) {
	for part != "" {
		digits := leadingDigits(part)
		if digits == 0 || digits == len(part) {
			return 0, false
		}
		for len(units) > 0 && units[0].letter != part[digits] {
			units = units[1:]
		}
		if len(units) == 0 {
			return 0, false
		}
		n, err := strconv.ParseInt(part[:digits], 10, 64)
		if err != nil || total < 0 || n > (math.MaxInt64-int64(total))/int64(units[0].size) {
			total = -1
		} else {
			total += time.Duration(n) * units[0].size
		}
		units, part = units[1:], part[digits+1:]
	}
	return total, true
}
