package fingerprint_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// draft is a JSON value that is to be changed: raw text of a scalar, or members and elements. Names are raw texts too, so that they can be
// spelled, and broken, like everything else.
type draft struct {
	open  byte // '{', '[' or 0
	raw   string
	names []string
	kids  []*draft
}

// parseDraft reads a body that is valid; nil when it is not.
func parseDraft(body string) *draft {
	d := jsontext.NewDecoder(strings.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	return parseValue(d)
}

func parseValue(d *jsontext.Decoder) *draft {
	open := byte(d.PeekKind())
	if open != '{' && open != '[' {
		raw, err := d.ReadValue()
		if err != nil {
			return nil
		}
		return &draft{raw: string(raw)}
	}
	n := &draft{open: open}
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		if open == '{' {
			name, err := d.ReadValue()
			if err != nil {
				return nil
			}
			n.names = append(n.names, string(name))
		}
		kid := parseValue(d)
		if kid == nil {
			return nil
		}
		n.kids = append(n.kids, kid)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	return n
}

// all lists n and everything below it.
func (n *draft) all() []*draft {
	list := []*draft{n}
	for _, kid := range n.kids {
		list = append(list, kid.all()...)
	}
	return list
}

func (n *draft) copy() *draft {
	c := &draft{open: n.open, raw: n.raw, names: append([]string(nil), n.names...)}
	for _, kid := range n.kids {
		c.kids = append(c.kids, kid.copy())
	}
	return c
}

// print writes n, now and then with white space.
func (n *draft) print(r *rand.Rand, b *bytes.Buffer) {
	space := func() {
		if r.IntN(16) == 0 {
			b.WriteString([]string{"\f", " ", "\n", "\t\r\n", "  "}[min(r.IntN(500), 1+r.IntN(4))])
		}
	}
	space()
	defer space()
	if n.open == 0 {
		b.WriteString(n.raw)
		return
	}
	b.WriteByte(n.open)
	for i, kid := range n.kids {
		if i > 0 {
			b.WriteByte(',')
		}
		if n.open == '{' {
			space()
			b.WriteString(n.names[i])
			space()
			b.WriteByte(':')
		}
		kid.print(r, b)
	}
	b.WriteByte(n.open + 2) // '}' and ']' stand two behind their opening bracket
}

// oddScalars take a scalar's place.
func oddScalars() []string {
	return []string{
		`null`, `true`, `false`, `{}`, `[]`, `""`, `0`, `-0`, `-0.0`, `1`, `1.0`, `1e0`, `10`, `1e1`, `1E+1`, `10.00`, `"10"`, `"1e1"`, `"10.0"`, `01`, `-`, `1.`, `.5`, `1e`, `+1`, `"+1"`, `" 1"`, `"1 "`,
		`9007199254740993`, `9223372036854775808`, `12345678`, `1234567.1234567`, `12345678.12345678`, `99999999999999999999999999999999999999`, `100000000000000000000000000000000000000`,
		`0.00000000000000000000000000000000000001`, `0.0000000000000000000000000000000000000`, `1e38`, `1e39`, `1e-38`, `1e-39`, `1e00000038`, `0e39`, `1e400`, `"1e400"`, `-1e-400`, `5e-324`, `1e21`, `1e-7`, `123456789012345678901e0`,
		`"2026-11-30T09:00:00Z"`, `"2026-11-30t09:00:00.10z"`, `"2026-11-30T09:00:00,1Z"`, `"2026-11-30T09:00:00.1234567890Z"`, `"2026-11-30T23:59:60Z"`, `"2026-11-30 09:00:00Z"`, `"2026-02-29T00:00:00Z"`,
		`"2024-02-29T00:00:00+23:59"`, `"0000-01-01T00:00:00+00:01"`, `"9999-12-31T23:59:59-00:01"`, `"2026-12-31T24:00:00Z"`, `"2026-11-30T09:00:00-00:00"`, `"2026-01-01T00:00:00+24:00"`, `"2026-03-01T00:30:00.5+01:00"`,
		`"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"`, `"{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}"`, `"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A1g"`, `"a0eebc999c0b4ef8bb6d6bb9bd380a11"`, `"A0EEBC99-9C0B-4EF8-BB6D-6BB9-D380A11"`,
		`"AQ=="`, `"AR=="`, `"AQI="`, `"AQJ="`, `"AQ"`, `"AQ==\n"`, `"A Q="`, `"_-8="`, `"===="`, `"A==="`, `"AQID"`,
		`"\ud83d\ude02"`, `"\ud83d"`, `"\ude02\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\u00zz"`, `"\x"`, `"\u017f\u212a"`, `"Straße"`, `"e\u0301"`, `"é"`, "\"\xff\"", "\"a\xc3\"", "\"\xed\xa0\x80\"", "\"\x01\"", "\"\x7f\"",
		`"\t a \n"`, `"\u000b a"`, `"\u00a0a"`, `"\u0000"`, `"\u2028"`, `"\b\f\n\r\t\/\\\""`, `"a`, `"a\`, `tru`, `nulll`, `NaN`, `"long ascii text without any escape in it, longer than a few words"`,
		`"long text with é and \u00e9 and then some more, longer than a few words"`,
	}
}

func oddNames() []string {
	return []string{`"a"`, `"A"`, `"\u0061"`, `"new"`, `""`, `"number"`, `"object"`, `"ſkip"`, `"\u017fkip"`, `"mas\u212a"`, `"MASK"`, `"Stack"`, `"stac\u212a"`, `"é"`, `"É"`, `"Ümlaut"`, `"a/b~c"`, `"\u0001"`, "\"\u2028\"",
		`"\ud83d"`, `"\x"`, "\"\xff\"", "\"a\x02b\"", `"` + strings.Repeat("n", 64) + `"`, `"` + strings.Repeat("n", 63) + `éé"`, `null`, `a`, `"\ufb33"`, `"😂"`, `"\ud83d\ude02"`}
}

// change makes one change somewhere in root.
func (root *draft) change(r *rand.Rand) {
	places := root.all()
	n := places[r.IntN(len(places))]
	if n.open == 0 {
		n.changeScalar(r)
		return
	}
	if len(n.kids) == 0 || r.IntN(12) == 0 {
		n.insert(r, places[r.IntN(len(places))].copy())
		return
	}
	i, j := r.IntN(len(n.kids)), r.IntN(len(n.kids))
	switch r.IntN(9) {
	case 0, 1, 2: // another order
		n.kids[i], n.kids[j] = n.kids[j], n.kids[i]
		if n.open == '{' {
			n.names[i], n.names[j] = n.names[j], n.names[i]
		}
	case 3: // a value in another's place
		n.kids[i], n.kids[j] = n.kids[j], n.kids[i]
	case 4:
		n.kids = append(n.kids[:i:i], n.kids[i+1:]...)
		if n.open == '{' {
			n.names = append(n.names[:i:i], n.names[i+1:]...)
		}
	case 5: // twice
		n.kids = append(n.kids, n.kids[i].copy())
		if n.open == '{' {
			n.names = append(n.names, respell(r, n.names[i]))
		}
	case 6:
		if n.open == '{' {
			n.names[i] = respell(r, n.names[i])
		}
	case 7:
		n.kids[i] = &draft{raw: "null"}
	case 8:
		*n.kids[i] = *places[r.IntN(len(places))].copy()
	}
}

// insert puts a member or element somewhere, be it a copy of something else or odd.
func (n *draft) insert(r *rand.Rand, kid *draft) {
	if r.IntN(2) == 0 {
		odd := oddScalars()
		kid = &draft{raw: odd[r.IntN(len(odd))]}
	}
	n.kids = append(n.kids, kid)
	if n.open == '{' {
		odd := oddNames()
		n.names = append(n.names, odd[r.IntN(len(odd))])
	}
}

func (n *draft) changeScalar(r *rand.Rand) {
	odd := oddScalars()
	switch quoted := strings.HasPrefix(n.raw, `"`); {
	case r.IntN(2) == 0:
		n.raw = odd[r.IntN(len(odd))]
	case quoted && r.IntN(4) > 0:
		n.raw = respell(r, n.raw)
	case quoted:
		n.raw = strings.Trim(n.raw, `"`)
	case r.IntN(3) == 0:
		n.raw = `"` + n.raw + `"`
	default: // a number, perhaps
		n.raw += []string{".0", "e0", "E+0", "00", "e1", ".10", "e-1"}[r.IntN(7)]
	}
}

// respell gives a string another spelling: an escape, another case, or one more character.
func respell(r *rand.Rand, raw string) string {
	inner := []rune(strings.TrimSuffix(strings.TrimPrefix(raw, `"`), `"`))
	if len(inner) == 0 {
		return `"x"`
	}
	i := r.IntN(len(inner))
	var b strings.Builder
	b.WriteByte('"')
	for j, c := range inner {
		switch plain := j == i && c != '\\' && (j == 0 || inner[j-1] != '\\'); {
		case plain && r.IntN(2) == 0 && c < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, c)
		case plain && r.IntN(2) == 0:
			b.WriteString(strings.ToUpper(string(c)))
		case plain && r.IntN(4) == 0:
			b.WriteString(string(c) + "é")
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// damage changes a byte or cuts the end off.
func damage(r *rand.Rand, body []byte) []byte {
	if len(body) == 0 {
		return body
	}
	i := r.IntN(len(body))
	switch r.IntN(3) {
	case 0:
		return body[:i]
	case 1:
		const bytes = "\"\\{}[],:0-e \x00\xff\xc3"
		body[i] = bytes[r.IntN(len(bytes))]
		return body
	}
	return append(body[:i:i], body[i+1:]...)
}

// mutate gives a body that is near to a valid one.
func mutate(r *rand.Rand, seeds []string) []byte {
	root := parseDraft(seeds[r.IntN(len(seeds))])
	if root == nil {
		return nil
	}
	for range min(r.IntN(6), r.IntN(6)) {
		root.change(r)
	}
	var b bytes.Buffer
	root.print(r, &b)
	body := b.Bytes()
	if r.IntN(10) == 0 {
		body = damage(r, body)
	}
	return body
}
