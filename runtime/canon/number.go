package canon

import (
	"encoding/binary"
	"math/bits"
)

// maxDigits and maxExponent bound numbers under Int, Decimal and Generic before anything is expanded.
const (
	maxDigits   = 38
	maxExponent = 38
)

const (
	reasonDigits   = "a number of more than 38 digits"
	reasonExponent = "an exponent beyond 38"
	reasonPlain    = "an integer is written without fraction and exponent"
)

// numberParts are the pieces of a JSON number: indexes into its text.
type numberParts struct {
	negative bool
	integer  int // first digit
	point    int // after the integer digits
	fraction int // first fraction digit; equal to digits when there is none
	digits   int // after the last digit of the mantissa
	exponent int // first character after e or E; equal to end when there is none
	end      int
}

// scanNumber finds the number at i by JSON's grammar. ok is false when there is none; end is then where it fails.
func scanNumber(text []byte, i int) (p numberParts, ok bool) {
	if i < len(text) && text[i] == '-' {
		p.negative = true
		i++
	}
	p.integer = i
	if i < len(text) && text[i] == '0' {
		i++
	} else {
		i = digitsEnd(text, i)
	}
	p.point, p.fraction, p.digits, p.exponent, p.end = i, i, i, i, i
	if i == p.integer {
		return p, false
	}
	if i < len(text) && text[i] == '.' {
		p.fraction = i + 1
		i = digitsEnd(text, i+1)
		p.digits, p.exponent, p.end = i, i, i
		if i == p.fraction {
			return p, false
		}
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		i++
		p.exponent = i
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		p.end = digitsEnd(text, i)
		if p.end == i {
			return p, false
		}
	}
	return p, true
}

func digitsEnd(text []byte, i int) int {
	for i < len(text) && text[i]-'0' < 10 {
		i++
	}
	return i
}

// whole reports whether p covers text.
func (p numberParts) whole(text []byte) bool { return p.end == len(text) }

// power reads the exponent; ok is false beyond ±maxExponent. Its length costs nothing but reading it.
func (p numberParts) power(text []byte) (power int, ok bool) {
	i := p.exponent
	if i == p.end {
		return 0, true
	}
	negative := text[i] == '-'
	if negative || text[i] == '+' {
		i++
	}
	for ; i < p.end; i++ {
		power = power*10 + int(text[i]-'0')
		if power > maxExponent {
			return 0, false
		}
	}
	if negative {
		power = -power
	}
	return power, true
}

// wordDigits is how many of the first eight bytes of text are digits before something else comes. Without a loop there is no branch for
// the length of a number to mispredict.
func wordDigits(text []byte) int {
	w := binary.LittleEndian.Uint64(text) ^ eachByte*'0'
	return bits.TrailingZeros64((w+eachByte*(0x80-10)|w)&eachHigh) >> 3
}

// shortNumber measures an unsigned number at i of at most seven digits before and seven after its point, without exponent: the end of its
// integer digits, of its canonical text, and its own. end is i when it is no such number or stands near to the end of data.
func shortNumber(data []byte, i int) (point, last, end int) {
	if i+24 > len(data) {
		return i, i, i
	}
	n := wordDigits(data[i:])
	point = i + n
	if uint(n-1) > 6 || data[i] == '0' && n > 1 {
		return i, i, i
	}
	last, end = point, point
	if data[point] == '.' {
		n = wordDigits(data[point+1:])
		end = point + 1 + n
		if uint(n-1) > 6 {
			return i, i, i
		}
		for last = end; data[last-1] == '0'; last-- {
		}
		if last-1 == point {
			last = point
		}
	}
	if c := data[end]; c|0x20 == 'e' || c-'0' < 10 {
		return i, i, i
	}
	return point, last, end
}

// appendSimple appends the normalised text of the number at i when it is a plain one, without exponent and of at most 18 digits
// before and after its point; end is i when it is not, and the grammar has to be asked.
func appendSimple(dst, text []byte, i int, as Normaliser) (out []byte, end int) {
	start := i
	if i < len(text) && text[i] == '-' {
		i++
	}
	integer := i
	i = digitsEnd(text, i)
	if n := i - integer; n == 0 || n > 18 || text[integer] == '0' && (n > 1 || integer > start) {
		return dst, start
	}
	if i == len(text) || text[i] != '.' && text[i]|0x20 != 'e' {
		return append(dst, text[start:i]...), i
	}
	point := i
	i = digitsEnd(text, i+1)
	if n := i - point; as == Int || text[point] != '.' || n == 1 || n > 19 || i < len(text) && text[i]|0x20 == 'e' || integer > start {
		return dst, start
	}
	last := i
	for text[last-1] == '0' {
		last--
	}
	if last-1 == point {
		last = point
	}
	return append(dst, text[start:last]...), i
}

// appendInt appends the normalised text of an integer.
func appendInt(dst, text []byte, p numberParts) ([]byte, string) {
	switch {
	case p.point != p.end:
		return dst, reasonPlain
	case p.point-p.integer > maxDigits:
		return dst, reasonDigits
	case text[p.integer] == '0':
		return append(dst, '0'), "" // also for -0
	case p.negative:
		dst = append(dst, '-')
	}
	return append(dst, text[p.integer:p.point]...), ""
}

// appendDecimal appends the normalised text of a decimal number: plain digits.
func appendDecimal(dst, text []byte, p numberParts) ([]byte, string) {
	if p.point == p.end {
		return appendInt(dst, text, p)
	}
	if p.point-p.integer+p.digits-p.fraction > maxDigits {
		return dst, reasonDigits
	}
	power, ok := p.power(text)
	if !ok {
		return dst, reasonExponent
	}
	var buffer [maxDigits]byte
	digits := append(append(buffer[:0], text[p.integer:p.point]...), text[p.fraction:p.digits]...)
	point := p.point - p.integer + power
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
		point--
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if len(digits) == 0 {
		return append(dst, '0'), ""
	}
	if p.negative {
		dst = append(dst, '-')
	}
	return appendPlain(dst, digits, point), ""
}

// appendPlain appends 0.digits × 10^point without an exponent.
func appendPlain(dst, digits []byte, point int) []byte {
	switch {
	case point <= 0:
		dst = appendZeros(append(dst, '0', '.'), -point)
		return append(dst, digits...)
	case point >= len(digits):
		return appendZeros(append(dst, digits...), point-len(digits))
	}
	dst = append(append(dst, digits[:point]...), '.')
	return append(dst, digits[point:]...)
}

func appendZeros(dst []byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, '0')
	}
	return dst
}
