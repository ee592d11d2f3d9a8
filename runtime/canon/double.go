package canon

import "strconv"

const reasonFinite = "a number beyond the range of a double"

// appendDouble appends a number's text by RFC 8785 section 3.2.2.3. text is a JSON number.
func appendDouble(dst, text []byte) ([]byte, string) {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil { // the grammar was checked: only the range is left
		return dst, reasonFinite
	}
	return appendES6(dst, f), ""
}

// appendES6 lays out a finite double as ECMAScript's Number::toString does. Only the shortest digits come from strconv.
func appendES6(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // also for -0
	}
	if f < 0 {
		dst, f = append(dst, '-'), -f
	}
	var buffer, digits [32]byte
	text := strconv.AppendFloat(buffer[:0], f, 'e', -1, 64)
	n := 0
	i := 0
	for ; text[i] != 'e'; i++ {
		if text[i] != '.' {
			digits[n] = text[i]
			n++
		}
	}
	exponent, _ := strconv.Atoi(string(text[i+1:])) // strconv wrote it
	if point := exponent + 1; point > -6 && point <= 21 {
		return appendPlain(dst, digits[:n], point)
	}
	dst = append(dst, digits[0])
	if n > 1 {
		dst = append(append(dst, '.'), digits[1:n]...)
	}
	dst = append(dst, 'e')
	if exponent > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(exponent), 10)
}
