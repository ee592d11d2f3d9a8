package canon_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

var (
	digits38 = strings.Repeat("9", 38)
	digits39 = strings.Repeat("9", 39)
)

// maxDecimalText is the length of a decimal's text up to which it can be written without an exponent.
const maxDecimalText = 38

// texts says for each normaliser what becomes of a text, as a string in a body and as a parameter. "!" and a reason: it is refused.
var texts = []struct {
	as   canon.Normaliser
	text string
	want string
}{
	{canon.Exact, "", ""},
	{canon.Exact, " é\u0065\u0301\n\"\\\x7f\u2028<&> ", " é\u0065\u0301\n\"\\\x7f\u2028<&> "},

	{canon.Int, "0", "0"},
	{canon.Int, "-0", "0"},
	{canon.Int, "-7", "-7"},
	{canon.Int, "9007199254740993", "9007199254740993"},
	{canon.Int, digits38, digits38},
	{canon.Int, "-" + digits38, "-" + digits38},
	{canon.Int, digits39, "!a number of more than 38 digits"},
	{canon.Int, "1.0", "!an integer is written without fraction and exponent"},
	{canon.Int, "1e0", "!an integer is written without fraction and exponent"},
	{canon.Int, "007", "!an integer is expected"},
	{canon.Int, "+1", "!an integer is expected"},
	{canon.Int, " 1", "!an integer is expected"},
	{canon.Int, "1 ", "!an integer is expected"},
	{canon.Int, "1_000", "!an integer is expected"},
	{canon.Int, "-", "!an integer is expected"},
	{canon.Int, "", "!an integer is expected"},
	{canon.Int, "0x10", "!an integer is expected"},
	{canon.Int, "٣", "!an integer is expected"},

	{canon.Decimal, "10.00", "10"},
	{canon.Decimal, "1e1", "10"},
	{canon.Decimal, "1E+1", "10"},
	{canon.Decimal, "100e-1", "10"},
	{canon.Decimal, "0.001", "0.001"},
	{canon.Decimal, "0.0010", "0.001"},
	{canon.Decimal, "-0.50", "-0.5"},
	{canon.Decimal, "-0.00", "0"},
	{canon.Decimal, "0e38", "0"},
	{canon.Decimal, "12.345e1", "123.45"},
	{canon.Decimal, "12.345e-4", "0.0012345"},
	{canon.Decimal, "120", "120"},
	{canon.Decimal, "1e38", "1" + strings.Repeat("0", 38)},
	{canon.Decimal, "1e-38", "0." + strings.Repeat("0", 37) + "1"},
	{canon.Decimal, "1e0000000038", "1" + strings.Repeat("0", 38)},
	{canon.Decimal, "1e39", "!an exponent beyond 38"},
	{canon.Decimal, "1e-39", "!an exponent beyond 38"},
	{canon.Decimal, "1e1000000000", "!an exponent beyond 38"},
	{canon.Decimal, "0." + digits38, "!a number of more than 38 digits"},
	{canon.Decimal, "0." + digits38[1:], "0." + digits38[1:]},
	{canon.Decimal, digits39, "!a number of more than 38 digits"},
	{canon.Decimal, digits38[:20] + "." + digits38[20:], digits38[:20] + "." + digits38[20:]},
	{canon.Decimal, "0010.0", "!a number is expected"},
	{canon.Decimal, "+10", "!a number is expected"},
	{canon.Decimal, ".5", "!a number is expected"},
	{canon.Decimal, "5.", "!a number is expected"},
	{canon.Decimal, "1e", "!a number is expected"},
	{canon.Decimal, "NaN", "!a number is expected"},
	{canon.Decimal, "1,5", "!a number is expected"},
	{canon.Decimal, "", "!a number is expected"},

	{canon.Instant, "2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"},
	{canon.Instant, "2024-02-29t12:00:00z", "2024-02-29T12:00:00Z"},
	{canon.Instant, "2024-03-01T00:30:00+01:00", "2024-02-29T23:30:00Z"},
	{canon.Instant, "2023-12-31T23:30:00-00:45", "2024-01-01T00:15:00Z"},
	{canon.Instant, "2024-01-01T00:00:00+23:59", "2023-12-31T00:01:00Z"},
	{canon.Instant, "2024-12-31T23:59:00-23:59", "2025-01-01T23:58:00Z"},
	{canon.Instant, "2024-01-31T23:59:00-00:01", "2024-02-01T00:00:00Z"},
	{canon.Instant, "2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00Z"},
	{canon.Instant, "2024-01-01T00:00:00.120Z", "2024-01-01T00:00:00.12Z"},
	{canon.Instant, "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00Z"},
	{canon.Instant, "2024-01-01T00:00:00.123456789Z", "2024-01-01T00:00:00.123456789Z"},
	{canon.Instant, "0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"},
	{canon.Instant, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"},
	{canon.Instant, "2024-01-01T00:00:00.1234567890Z", "!more than nine fraction digits"},
	{canon.Instant, "2024-01-01T00:00:00,5Z", "!an RFC 3339 date-time is expected"},
	{canon.Instant, "2024-01-01T00:00:00.Z", "!an RFC 3339 date-time is expected"},
	{canon.Instant, "2024-01-01T00:00:00.5", "!an RFC 3339 date-time is expected"},
	{canon.Instant, "2024-01-01T00:00:00", "!an RFC 3339 date-time is expected"},
	{canon.Instant, "2024-01-01 00:00:00Z", "!an RFC 3339 date-time is expected"},
	{canon.Instant, "2024-01-01T00:00:00ZZ", "!an RFC 3339 date-time is expected"},
	{canon.Instant, "2024-01-01T00:00:00+0100", "!an RFC 3339 date-time is expected"},
	{canon.Instant, "2024-01-01T00:00:00+1:000", "!an RFC 3339 date-time is expected"},
	{canon.Instant, "2024-01-01", "!an RFC 3339 date-time is expected"},
	{canon.Instant, "", "!an RFC 3339 date-time is expected"},
	{canon.Instant, "2023-02-29T00:00:00Z", "!a day that the calendar does not have"},
	{canon.Instant, "1900-02-29T00:00:00Z", "!a day that the calendar does not have"},
	{canon.Instant, "2024-04-31T00:00:00Z", "!a day that the calendar does not have"},
	{canon.Instant, "2024-00-01T00:00:00Z", "!a day that the calendar does not have"},
	{canon.Instant, "2024-01-00T00:00:00Z", "!a day that the calendar does not have"},
	{canon.Instant, "2024-13-01T00:00:00Z", "!a day that the calendar does not have"},
	{canon.Instant, "2024-01-01T24:00:00Z", "!a time of day that the clock does not have"},
	{canon.Instant, "2024-01-01T00:60:00Z", "!a time of day that the clock does not have"},
	{canon.Instant, "2024-01-01T00:00:61Z", "!a time of day that the clock does not have"},
	{canon.Instant, "2016-12-31T23:59:60Z", "!a leap second"},
	{canon.Instant, "2024-01-01T00:00:00+24:00", "!an offset beyond 23:59"},
	{canon.Instant, "2024-01-01T00:00:00-00:60", "!an offset beyond 23:59"},
	{canon.Instant, "0000-01-01T00:00:00+00:01", "!an instant beyond the years 0000 to 9999"},
	{canon.Instant, "9999-12-31T23:59:59-00:01", "!an instant beyond the years 0000 to 9999"},

	{canon.UUID, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
	{canon.UUID, "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"},
	{canon.UUID, "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", "!a UUID is expected"},
	{canon.UUID, "urn:uuid:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "!a UUID is expected"},
	{canon.UUID, "a0eebc999c0b4ef8bb6d6bb9bd380a11", "!a UUID is expected"},
	{canon.UUID, "g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "!a UUID is expected"},
	{canon.UUID, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1-", "!a UUID is expected"},
	{canon.UUID, "a0eebc9909c0b-4ef8-bb6d-6bb9bd380a11", "!a UUID is expected"},
	{canon.UUID, "", "!a UUID is expected"},

	{canon.Base64, "", ""},
	{canon.Base64, "QQ==", "QQ=="},
	{canon.Base64, "QUI=", "QUI="},
	{canon.Base64, "+/+/", "+/+/"},
	{canon.Base64, "QR==", "!base64 with stray bits"},
	{canon.Base64, "QI==", "!base64 with stray bits"},
	{canon.Base64, "QUK=", "!base64 with stray bits"},
	{canon.Base64, "QUJ=", "!base64 with stray bits"},
	{canon.Base64, "QQ", "!padded standard base64 is expected"},
	{canon.Base64, "QQ=", "!padded standard base64 is expected"},
	{canon.Base64, "Q===", "!padded standard base64 is expected"},
	{canon.Base64, "====", "!padded standard base64 is expected"},
	{canon.Base64, "QQ==QQ==", "!padded standard base64 is expected"},
	{canon.Base64, "QU\nI", "!padded standard base64 is expected"},
	{canon.Base64, "QUI=\n", "!padded standard base64 is expected"},
	{canon.Base64, "-_-_", "!padded standard base64 is expected"},

	{canon.ASCIILower, "AbZÄ\u212a\"", "abzÄ\u212a\""},
	{canon.ASCIIUpper, "aBzä\u017f\n", "ABZä\u017f\n"},
	{canon.ASCIITrim, " \t\r\n\fa b\u00a0\v ", "a b\u00a0\v"},
	{canon.ASCIITrim, "  ", ""},
}

func TestNormaliseText(t *testing.T) {
	for _, tt := range texts {
		t.Run(tt.as.String()+" "+tt.text, func(t *testing.T) {
			got, err := canon.NormaliseText(tt.as, tt.text)
			if reason, refused := strings.CutPrefix(tt.want, "!"); refused {
				require.EqualError(t, err, "canon: normalise "+tt.as.String()+": "+reason)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
			if len(got) > maxDecimalText {
				return // the limits hold for what is written: 1e38 is accepted, its 39 digits are not
			}
			again, err := canon.NormaliseText(tt.as, got)
			require.NoError(t, err, "a normalised text is accepted")
			assert.Equal(t, got, again, "a normalised text stays")
		})
	}
}

func TestTextInBody(t *testing.T) {
	for _, tt := range texts {
		t.Run(tt.as.String()+" "+tt.text, func(t *testing.T) {
			got, refusal := read(t, " "+quoted(tt.text)+"\n", leaf(tt.as))
			if reason, refused := strings.CutPrefix(tt.want, "!"); refused {
				assert.Equal(t, &canon.Refusal{Place: "body", Offset: 1, Reason: reason}, refusal)
				return
			}
			require.Nil(t, refusal)
			assert.Equal(t, quoted(tt.want), got)
		})
	}
}

func TestTextInParameter(t *testing.T) {
	for _, tt := range texts {
		t.Run(tt.as.String()+" "+tt.text, func(t *testing.T) {
			got, refusal := readParams(t, canon.Request{Path: []string{tt.text}}, canon.Param{In: canon.InPath, Name: "p", As: tt.as})
			if reason, refused := strings.CutPrefix(tt.want, "!"); refused {
				assert.Equal(t, &canon.Refusal{Place: "path.p", Offset: -1, Reason: reason}, refusal)
				return
			}
			require.Nil(t, refusal)
			assert.Equal(t, `{"path":{"p":`+quoted(tt.want)+`}}`, got)
		})
	}
}

// The number of a body may be a token as well as a string; a string's faults are those of the table above.
func TestNumberToken(t *testing.T) {
	tests := []struct {
		as     canon.Normaliser
		token  string
		want   string // "!" and a reason when it is refused, at offset
		offset int
	}{
		{canon.Int, "-0", `"0"`, 0},
		{canon.Int, "1000000000000000000000000000000", `"1000000000000000000000000000000"`, 0},
		{canon.Int, "9007199254740991", `"9007199254740991"`, 0},
		{canon.Int, "9007199254740992", `"9007199254740992"`, 0},
		{canon.Int, "9223372036854775808", `"9223372036854775808"`, 0},
		{canon.Int, "1.0", "!an integer is written without fraction and exponent", 0},
		{canon.Int, "1e0", "!an integer is written without fraction and exponent", 0},
		{canon.Int, digits39, "!a number of more than 38 digits", 0},
		{canon.Int, "01", "!data after the end of the JSON value", 1},
		{canon.Int, "-", "!the body ends too early", 1},
		{canon.Int, "+1", "!an integer is expected", 0},
		{canon.Int, "true", "!an integer is expected", 0},
		{canon.Int, "null", "!an integer is expected", 0},
		{canon.Int, "{}", "!an integer is expected", 0},
		{canon.Int, "1.5", "!an integer is written without fraction and exponent", 0},
		{canon.Int, "1234567", `"1234567"`, 0},
		{canon.Int, "12345678", `"12345678"`, 0},
		{canon.Int, "0", `"0"`, 0},
		{canon.Decimal, "1234567.7654321", `"1234567.7654321"`, 0},
		{canon.Decimal, "1234567.76543210", `"1234567.7654321"`, 0},
		{canon.Decimal, "0.0", `"0"`, 0},
		{canon.Decimal, "100.0000000", `"100"`, 0},
		{canon.Decimal, "0.5", `"0.5"`, 0},
		{canon.Decimal, "1.5e1", `"15"`, 0},
		{canon.Decimal, "1.2.3", "!data after the end of the JSON value", 3},
		{canon.Decimal, "00.5", "!data after the end of the JSON value", 1},
		{canon.Decimal, "10.00", `"10"`, 0},
		{canon.Decimal, "1e1", `"10"`, 0},
		{canon.Decimal, "-0.0", `"0"`, 0},
		{canon.Decimal, "1.", "!the body ends too early", 2},
		{canon.Decimal, "1.x", "!a number is expected", 2},
		{canon.Decimal, "1ex", "!a number is expected", 2},
		{canon.Decimal, ".5", "!a number is expected", 0},
		{canon.Decimal, "NaN", "!a number is expected", 0},
		{canon.Decimal, "1e39", "!an exponent beyond 38", 0},
		{canon.Double, "10.00", `"10"`, 0},
		{canon.Double, "1e1", `"10"`, 0},
		{canon.Double, "-0", `"0"`, 0},
		{canon.Double, "1e21", `"1e+21"`, 0},
		{canon.Double, "123456789012345680000", `"123456789012345680000"`, 0},
		{canon.Double, "0.000001", `"0.000001"`, 0},
		{canon.Double, "0.0000001", `"1e-7"`, 0},
		{canon.Double, "-1.5e-9", `"-1.5e-9"`, 0},
		{canon.Double, "9007199254740993", `"9007199254740992"`, 0},
		{canon.Double, "1e-400", `"0"`, 0},
		{canon.Double, strings.Repeat("1", 60), `"1.1111111111111112e+59"`, 0},
		{canon.Double, "1e400", "!a number beyond the range of a double", 0},
		{canon.Double, "-1e400", "!a number beyond the range of a double", 0},
		{canon.Double, `"1"`, "!a number is expected", 0},
		{canon.Double, "Infinity", "!a number is expected", 0},
		{canon.Generic, "5", `{"number":"5"}`, 0},
		{canon.Generic, "5.0", `{"number":"5"}`, 0},
		{canon.Generic, `"5"`, `"5"`, 0},
		{canon.Generic, "1e39", "!an exponent beyond 38", 0},
		{canon.Generic, digits39, "!a number of more than 38 digits", 0},
		{canon.Boolean, "true", "true", 0},
		{canon.Boolean, "false", "false", 0},
		{canon.Boolean, `"true"`, "!true or false is expected", 0},
		{canon.Boolean, "1", "!true or false is expected", 0},
		{canon.Boolean, "truE", "!true or false is expected", 0},
		{canon.Boolean, "trueX", "!data after the end of the JSON value", 4},
		{canon.Exact, "5", "!a string is expected", 0},
		{canon.Exact, "null", "!a string is expected", 0},
		{canon.Instant, "5", "!a string is expected", 0},
	}
	for _, tt := range tests {
		t.Run(tt.as.String()+" "+tt.token, func(t *testing.T) {
			// Numbers are read in another way when there is room behind them.
			spacious, again := read(t, tt.token+strings.Repeat(" ", 40), leaf(tt.as))
			got, refusal := read(t, tt.token, leaf(tt.as))
			assert.Equal(t, got, spacious)
			assert.Equal(t, refusal == nil, again == nil)
			if reason, refused := strings.CutPrefix(tt.want, "!"); refused {
				assert.Equal(t, &canon.Refusal{Place: "body", Offset: tt.offset, Reason: reason}, refusal)
				return
			}
			require.Nil(t, refusal)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestNormaliseTextOfOthers(t *testing.T) {
	for _, text := range []string{"true", "false"} {
		got, err := canon.NormaliseText(canon.Boolean, text)
		require.NoError(t, err)
		assert.Equal(t, text, got)
	}
	for _, text := range []string{"True", "1", "yes", "", " true"} {
		_, err := canon.NormaliseText(canon.Boolean, text)
		assert.Error(t, err, text)
	}
	got, err := canon.NormaliseText(canon.ContentDigest, "abc")
	require.NoError(t, err)
	assert.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad:3", got)
	got, err = canon.NormaliseText(canon.Double, "1E0")
	require.NoError(t, err)
	assert.Equal(t, "1", got)
	got, err = canon.NormaliseText(canon.Generic, "5")
	require.NoError(t, err)
	assert.Equal(t, "5", got)
	_, err = canon.NormaliseText(canon.Exact, "\xff")
	assert.EqualError(t, err, "canon: normalise exact: invalid UTF-8")
	_, err = canon.NormaliseText(0, "x")
	assert.EqualError(t, err, "canon: normalise normaliser 0: the contract names no normaliser")
}

func TestParseInstant(t *testing.T) {
	got, err := canon.ParseInstant([]byte("2024-03-01t00:30:00.120+01:00"))
	require.NoError(t, err)
	assert.Equal(t, time.Date(2024, 2, 29, 23, 30, 0, 120_000_000, time.UTC), got)
	_, err = canon.ParseInstant([]byte("2024-01-01T00:00:60Z"))
	assert.EqualError(t, err, "canon: parse instant: a leap second")
}

// What the normaliser makes of an instant is the instant that the decoder reads.
func TestParseInstantAgrees(t *testing.T) {
	for _, tt := range texts {
		if tt.as != canon.Instant || strings.HasPrefix(tt.want, "!") {
			continue
		}
		got, err := canon.ParseInstant([]byte(tt.text))
		require.NoError(t, err)
		assert.Equal(t, tt.want, got.Format(time.RFC3339Nano))
	}
}

func TestNames(t *testing.T) {
	names := []string{"exact", "int", "decimal", "double", "boolean", "instant", "uuid", "base64", "digest",
		"ascii-lower", "ascii-upper", "ascii-trim", "generic"}
	for i, name := range names {
		n := canon.Normaliser(i + 1)
		assert.Equal(t, name, n.String())
		assert.Equal(t, 1, n.Version())
		parsed, ok := canon.ParseNormaliser(name)
		assert.True(t, ok)
		assert.Equal(t, n, parsed)
	}
	for _, name := range []string{"", "Exact", "string"} {
		_, ok := canon.ParseNormaliser(name)
		assert.False(t, ok, name)
	}
	assert.Equal(t, "normaliser 14", canon.Normaliser(14).String())
	for kind, name := range map[canon.ArrayKind]string{canon.List: "list", canon.Set: "set", canon.Multiset: "multiset"} {
		assert.Equal(t, name, kind.String())
		parsed, ok := canon.ParseArrayKind(name)
		assert.True(t, ok)
		assert.Equal(t, kind, parsed)
	}
	_, ok := canon.ParseArrayKind("")
	assert.False(t, ok)
	assert.Equal(t, "reject", canon.RejectUnknown.String())
	assert.Equal(t, "ignore", canon.IgnoreUnknown.String())
	assert.Equal(t, "include", canon.IncludeUnknown.String())
}
