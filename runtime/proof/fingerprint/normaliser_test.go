package fingerprint_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/fingerprint"
)

// spelling is how one normaliser is examined: draw makes JSON texts that it accepts, few values in many spellings; decode gives the
// value that Go's usual decoder for the type makes of such a text, as something that == compares.
type spelling struct {
	as     canon.Normaliser
	draw   func(t *rapid.T) string
	decode func(t require.TestingT, text string) any
}

// Two texts share a canonical text if and only if Go's usual decoder gives equal values for them: what the normaliser calls equal is equal
// to the handler, and what differs to the handler is another command.
func TestNormalisersAgreeWithDecoders(t *testing.T) {
	for _, sp := range []spelling{
		{canon.Exact, drawText, decodeInto[string]},
		{canon.Int, drawInt, decodeInt},
		{canon.Decimal, drawDecimal, decodeDecimal},
		{canon.Double, drawDouble, decodeInto[float64]},
		{canon.Boolean, sampled("true", "false"), decodeInto[bool]},
		{canon.Instant, drawInstant, decodeInstant},
		{canon.UUID, drawUUID, decodeUUID},
		{canon.Base64, drawBase64, decodeBase64},
		{canon.ASCIILower, drawText, foldedText(bytes.ToLower)},
		{canon.ASCIIUpper, drawText, foldedText(bytes.ToUpper)},
		{canon.ASCIITrim, drawText, decodeTrimmed},
		{canon.Generic, drawGeneric, decodeGeneric},
	} {
		t.Run(sp.as.String(), func(t *testing.T) {
			equal, other := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				e, o := comparePairs(t, sp)
				equal, other = equal+e, other+o
			})
			assert.Positive(t, other, "no two texts differed in value")
			if sp.as != canon.Boolean { // which has one spelling of each value
				assert.Positive(t, equal, "no two spellings were equal")
			}
		})
	}
}

// comparePairs draws a few texts and compares each with each. It counts the pairs of different spellings of one value, and of different
// values.
func comparePairs(t *rapid.T, sp spelling) (equal, other int) {
	var texts [8]string
	for i := range texts {
		texts[i] = sp.draw(t)
		for _, earlier := range texts[:i] {
			same := canonicalAs(t, sp.as, texts[i]) == canonicalAs(t, sp.as, earlier)
			require.Equal(t, sp.decode(t, texts[i]) == sp.decode(t, earlier), same, "%s and %s", texts[i], earlier)
			switch {
			case !same:
				other++
			case texts[i] != earlier:
				equal++
			}
		}
	}
	return equal, other
}

// canonicalAs gives the canonical text of one JSON value under a normaliser.
func canonicalAs(t require.TestingT, as canon.Normaliser, body string) string {
	c := &canon.Contract{Name: "value", Accepts: []canon.Media{canon.JSON}, BodyRequired: true, Body: &canon.Node{Kind: canon.LeafNode, As: as}}
	s := canon.Acquire()
	defer s.Release()
	_, err := fingerprint.NewDriver(c).Fingerprint(s, &canon.Request{Body: []byte(body)})
	require.NoError(t, err, "%s", body)
	return string(s.AppendCanonical(nil))
}

func decodeInto[T any](t require.TestingT, text string) any {
	var value T
	require.NoError(t, json.Unmarshal([]byte(text), &value), "%s", text)
	return value
}

func sampled(from ...string) func(*rapid.T) string {
	return func(t *rapid.T) string { return rapid.SampledFrom(from).Draw(t, "text") }
}

// drawText makes strings of few characters, so that two are often the same; among them what only looks the same.
func drawText(t *rapid.T) string {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("aAkKé\u212a\u017f \t\u00a0\u000b😂\u0000\"")), 0, 2, -1).Draw(t, "characters")
	return string(spellString(t, nil, text))
}

// quoted spells a text that stands in a string.
func quoted(t *rapid.T, text string) string { return string(spellString(t, nil, text)) }

// drawInt makes integers as numbers and as strings.
func drawInt(t *rapid.T) string {
	text := rapid.SampledFrom([]string{"0", "-0", "1", "-1", "10", "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775807", "-9223372036854775808"}).Draw(t, "integer")
	if rapid.Bool().Draw(t, "string") {
		return quoted(t, text)
	}
	return text
}

func decodeInt(t require.TestingT, text string) any {
	return decodeInto[int64](t, numberIn(t, text))
}

// numberIn gives a number's spelling, as the command's type for numbers hands it to the program.
func numberIn(t require.TestingT, text string) string {
	return string(decodeInto[idem.Number](t, text).(idem.Number))
}

// drawDecimal makes few values in many spellings.
func drawDecimal(t *rapid.T) string {
	digits := rapid.SampledFrom([]string{"0", "1", "12", "123", "10", "100", "9007199254740993"}).Draw(t, "digits")
	shift := rapid.IntRange(-4, 4).Draw(t, "shift")
	text := digits
	switch rapid.SampledFrom([]string{"plain", "fraction", "exponent"}).Draw(t, "style") {
	case "fraction":
		text += "." + rapid.SampledFrom([]string{"0", "00", "5", "50", "05"}).Draw(t, "fraction")
	case "exponent":
		text += rapid.SampledFrom([]string{"", ".0", ".5"}).Draw(t, "fraction") + rapid.SampledFrom([]string{"e", "E", "e0", "e-0"}).Draw(t, "e") + "0"
		if shift != 0 {
			text = digits + fmt.Sprintf("e%+d", shift)
		}
	}
	if rapid.Bool().Draw(t, "negative") {
		text = "-" + text
	}
	if rapid.Bool().Draw(t, "string") {
		return quoted(t, text)
	}
	return text
}

func decodeDecimal(t require.TestingT, text string) any {
	value, ok := new(big.Rat).SetString(numberIn(t, text))
	require.True(t, ok, "%s", text)
	return value.RatString()
}

// drawDouble makes spellings around the borders between doubles.
func drawDouble(t *rapid.T) string {
	return rapid.SampledFrom([]string{"0", "-0", "0.0", "1e-400", "5e-324", "4e-324", "2e-324", "0.1", "1e-1", "0.1000000000000000055511151231257827", "0.10000000000000001", "0.10000000000000002",
		"9007199254740992", "9007199254740993", "9007199254740994", "9007199254740992.5", "1e21", "1000000000000000000000", "999999999999999999999", "1.7976931348623157e308", "1.79769313486231570e+308",
		"1e-7", "0.0000001", "1e-6", "0.000001", "-1", "1", "1.0"}).Draw(t, "number")
}

// drawInstant makes few moments at many offsets.
func drawInstant(t *rapid.T) string {
	moment := time.Date(2024, 2, 28, 23, 59, 59, 0, time.UTC).Add(time.Duration(rapid.SampledFrom([]int64{0, 1, 1_000_000_000, 120_000_000}).Draw(t, "nanoseconds")))
	minutes := rapid.SampledFrom([]int{0, 1, -1, 60, -330, 1439, -1439}).Draw(t, "offset")
	local := moment.Add(time.Duration(minutes) * time.Minute)
	text := local.Format("2006-01-02T15:04:05")
	fraction := strings.TrimRight(fmt.Sprintf("%09d", local.Nanosecond()), "0")
	if zeros := rapid.IntRange(0, 9-len(fraction)).Draw(t, "zeros"); len(fraction)+zeros > 0 {
		text += "." + fraction + strings.Repeat("0", zeros)
	}
	switch sign := "+"; {
	case minutes == 0 && rapid.Bool().Draw(t, "Z"):
		text += "Z"
	default:
		if minutes < 0 || minutes == 0 && rapid.Bool().Draw(t, "minus nothing") {
			sign, minutes = "-", -minutes
		}
		text += fmt.Sprintf("%s%02d:%02d", sign, minutes/60, minutes%60)
	}
	if rapid.Bool().Draw(t, "lower") {
		text = strings.ToLower(text)
	}
	return quoted(t, text)
}

// decodeInstant asks both the time package, which knows no lower case, and the command's type.
func decodeInstant(t require.TestingT, text string) any {
	characters := decodeInto[string](t, text).(string)
	moment, err := time.Parse(time.RFC3339Nano, strings.ToUpper(characters))
	require.NoError(t, err)
	command := decodeInto[idem.Instant](t, text).(idem.Instant)
	require.True(t, moment.Equal(command.Time), "%s: %s and %s", characters, moment, command)
	return moment.UnixNano()
}

func drawUUID(t *rapid.T) string {
	text := rapid.SampledFrom([]string{"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12", "00000000-0000-0000-0000-000000000000"}).Draw(t, "uuid")
	var b strings.Builder
	for _, r := range text {
		if rapid.Bool().Draw(t, "upper") {
			b.WriteString(strings.ToUpper(string(r)))
			continue
		}
		b.WriteRune(r)
	}
	return quoted(t, b.String())
}

func decodeUUID(t require.TestingT, text string) any {
	raw, err := hex.DecodeString(strings.ReplaceAll(decodeInto[string](t, text).(string), "-", ""))
	require.NoError(t, err)
	return [16]byte(raw)
}

func drawBase64(t *rapid.T) string {
	raw := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0xfb, 0xff}), 0, 4).Draw(t, "bytes")
	text, err := json.Marshal(raw)
	if err != nil || raw == nil {
		return `""`
	}
	return quoted(t, strings.Trim(string(text), `"`))
}

func decodeBase64(t require.TestingT, text string) any {
	return string(decodeInto[[]byte](t, text).([]byte))
}

// foldedText gives characters as change, which knows all of Unicode, leaves them when it sees ASCII alone.
func foldedText(change func([]byte) []byte) func(require.TestingT, string) any {
	return func(t require.TestingT, text string) any {
		out := []byte(decodeInto[string](t, text).(string))
		for i, c := range out {
			if c < 0x80 {
				copy(out[i:], change([]byte{c}))
			}
		}
		return string(out)
	}
}

func decodeTrimmed(t require.TestingT, text string) any {
	return strings.TrimFunc(decodeInto[string](t, text).(string), func(r rune) bool { return strings.ContainsRune("\t\n\f\r ", r) })
}

// drawGeneric makes small values, and spells them.
func drawGeneric(t *rapid.T) string {
	return genericValue(t, rapid.IntRange(0, 2).Draw(t, "levels"))
}

func genericValue(t *rapid.T, levels int) string {
	kinds := []string{"null", "true", "text", "number"}
	if levels > 0 {
		kinds = []string{"array", "object"}
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "text":
		return quoted(t, rapid.SampledFrom([]string{"", "1", "a", "null", "\u0001"}).Draw(t, "characters"))
	case "number":
		return rapid.SampledFrom([]string{"1", "1.0", "1e0", "10", "1e1", "-0", "0", "0.0"}).Draw(t, "number")
	case "array":
		var elements []string
		for range rapid.IntRange(0, 2).Draw(t, "elements") {
			elements = append(elements, genericValue(t, levels-1))
		}
		return "[" + strings.Join(elements, " ,") + "]"
	case "object":
		var members []string
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"number", "object", "a"}), 0, 2, rapid.ID).Draw(t, "names") {
			members = append(members, quoted(t, name)+": "+genericValue(t, levels-1))
		}
		return "{" + strings.Join(members, ",") + "}"
	default:
		return kind
	}
}

func decodeGeneric(t require.TestingT, text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	require.NoError(t, d.Decode(&value))
	return describe(t, value)
}

// describe writes a decoded value so that equal ones have one text. Numbers are compared as exact fractions.
func describe(t require.TestingT, value any) string {
	switch v := value.(type) {
	case map[string]any:
		var members []string
		for name, member := range v {
			members = append(members, strconv.Quote(name)+":"+describe(t, member))
		}
		slices.Sort(members)
		return fmt.Sprint("object", members)
	case []any:
		var elements []string
		for _, element := range v {
			elements = append(elements, describe(t, element))
		}
		return fmt.Sprintf("array%q", elements)
	case json.Number:
		exact, ok := new(big.Rat).SetString(v.String())
		require.True(t, ok)
		return "number " + exact.RatString()
	case string:
		return strconv.Quote(v)
	}
	return fmt.Sprint(value)
}

// Lists, sets and multisets of decimals are equal when their decoded elements are: in order, as a set, as a bag.
func TestArrayKindsAgreeWithDecoders(t *testing.T) {
	for kind, arrange := range map[canon.ArrayKind]func([]string) []string{
		canon.List:     func(values []string) []string { return values },
		canon.Multiset: func(values []string) []string { slices.Sort(values); return values },
		canon.Set:      func(values []string) []string { slices.Sort(values); return slices.Compact(values) },
	} {
		t.Run(kind.String(), func(t *testing.T) {
			c := &canon.Contract{Name: "array", Accepts: []canon.Media{canon.JSON}, BodyRequired: true,
				Body: &canon.Node{Kind: canon.ArrayNode, Array: kind, Elem: &canon.Node{Kind: canon.LeafNode, As: canon.Decimal}}}
			equal, other := 0, 0
			rapid.Check(t, func(t *rapid.T) {
				var texts [2]string
				var values [2][]string
				for i := range texts {
					elements := rapid.SliceOfN(rapid.SampledFrom([]string{"1", "1.0", `"1"`, "10", "1e1", "2", "0"}), 0, 3).Draw(t, "elements")
					for _, e := range elements {
						values[i] = append(values[i], decodeDecimal(t, e).(string))
					}
					s := canon.Acquire()
					_, err := fingerprint.NewDriver(c).Fingerprint(s, &canon.Request{Body: []byte("[" + strings.Join(elements, ",") + "]")})
					require.NoError(t, err)
					texts[i] = string(s.AppendCanonical(nil))
					s.Release()
					values[i] = arrange(values[i])
				}
				require.Equal(t, reflect.DeepEqual(values[0], values[1]), texts[0] == texts[1], "%v and %v", values[0], values[1])
				if texts[0] == texts[1] {
					equal++
				} else {
					other++
				}
			})
			assert.Positive(t, equal)
			assert.Positive(t, other)
		})
	}
}

// Content under digest is equal when its bytes are, wherever it was sent.
func TestContentDigestAgreesWithContent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.StringOfN(rapid.RuneFrom([]rune("ab\u0000é")), 0, 3, -1)
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		first, err := canon.NormaliseText(canon.ContentDigest, a)
		require.NoError(t, err)
		second, err := canon.NormaliseText(canon.ContentDigest, b)
		require.NoError(t, err)
		require.Equal(t, a == b, first == second)
		require.True(t, strings.HasSuffix(first, ":"+strconv.Itoa(len(a))))
	})
}
