package clients

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// JSON's own freedom, which never counts, and what it leaves open, which is refused.
func TestJSON(t *testing.T) {
	tell(t, []difference{
		{name: "member order, also nested", commands: [][]request{
			in(`{"amount":"1","customer":{"name":"n","city":"c"},"memo":"m"}`, `{"memo":"m","customer":{"city":"c","name":"n"},"amount":"1"}`),
			in(`{"amount":"1","customer":{"name":"c","city":"n"},"memo":"m"}`),
		}},
		{name: "an object key order that depends on locale or case", commands: [][]request{in(
			`{"customer":{"Zeta":"1","alpha":"2","Äste":"3","İd":"4"}}`, `{"customer":{"alpha":"2","Äste":"3","Zeta":"1","İd":"4"}}`, `{"customer":{"İd":"4","\u00c4ste":"3","alpha":"2","Zeta":"1"}}`,
		)}},
		{name: "white space", commands: [][]request{in(`{"amount":"1","lines":[{"sku":"a"}]}`, " {\n\t\"amount\" : \"1\" ,\r\n \"lines\" : [ { \"sku\" : \"a\" } ] } ")}, refused: in("{\u00a0\"amount\":\"1\"}", "{\f\"amount\":\"1\"}")},
		{name: "duplicate members, also through escapes", commands: [][]request{in(`{"amount":"1"}`)}, refused: in(
			`{"amount":"1","amount":"1"}`, `{"amount":"1","am\u006funt":"2"}`, `{"customer":{"name":"a","name":"a"}}`, `{"lines":[{"sku":"a","\u0073ku":"b"}]}`, `{"amount":"1","sentAt":"2026-01-01T00:00:00Z","sentAt":"2026-01-01T00:00:00Z"}`,
		)},
		{name: "a member that differs only in case from a declared one", commands: [][]request{in(`{"amount":"1"}`)}, refused: in(
			`{"Amount":"1"}`, `{"amount":"1","AMOUNT":"2"}`, `{"customer":{"Name":"n"}}`, `{"amount":"1","\u017fentAt":"2026-01-01T00:00:00Z"}`, `{"amount":"1","lineſ":[]}`, `{"amount":"1","nic\u212a":"n"}`,
		)},
		{name: "lone surrogates, invalid UTF-8", commands: [][]request{in(`{"memo":"😂"}`, `{"memo":"\ud83d\ude02"}`)}, refused: in(
			`{"memo":"\ud83d"}`, `{"memo":"\ude02\ud83d"}`, `{"memo":"\ud83dx"}`, "{\"memo\":\"\xff\"}", "{\"memo\":\"a\xc3\"}", "{\"memo\":\"\xed\xa0\xbd\"}", "{\"amount\":\"1\",\"sentAt\":\"\xff\"}",
		)},
		{name: "NFC and NFD stay different", commands: [][]request{in(`{"memo":"é"}`, `{"memo":"\u00e9"}`), in("{\"memo\":\"e\u0301\"}", `{"memo":"e\u0301"}`), in(`{"memo":"e"}`)}},
		{name: "data after the value", commands: [][]request{in(`{"amount":"1"}`)}, refused: in(`{"amount":"1"}{}`, `{"amount":"1"},`, `{"amount":"1"} x`, "\ufeff"+`{"amount":"1"}`)},
	})
}

// Numbers as clients print them.
func TestNumbers(t *testing.T) {
	tell(t, []difference{
		{name: "2^53-1, 2^53, 2^53+1, 2^63 and 10^30 as integers",
			commands: [][]request{
				in(`{"count":9007199254740991}`), in(`{"count":9007199254740992}`), in(`{"count":9007199254740993}`), in(`{"count":9223372036854775807}`), in(`{"count":-9223372036854775808}`),
			},
			later: in(`{"count":9223372036854775808}`, `{"count":1000000000000000000000000000000}`), // no program has a type for them yet
		},
		{name: "large numbers with a fraction's type", commands: [][]request{
			in(`{"total":9007199254740992}`, `{"total":9007199254740992.0}`), in(`{"total":9007199254740993}`), in(`{"total":9223372036854775807}`), in(`{"total":9223372036854775808}`),
			in(`{"total":1000000000000000000000000000000}`, `{"total":1e30}`), in(`{"total":1000000000000000000000000000001}`),
		}},
		{name: "1, 1.0, 1e0 and -0 as integers", commands: [][]request{in(`{"count":1}`), in(`{"count":0}`, `{"count":-0}`), in(`{"count":-1}`)}, refused: in(`{"count":1.0}`, `{"count":1e0}`, `{"count":01}`, `{"count":+1}`, `{"count":-0.0}`)},
		{name: "1, 1.0, 1e0 and -0 as decimals", commands: [][]request{in(`{"total":1}`, `{"total":1.0}`, `{"total":1e0}`, `{"total":10e-1}`), in(`{"total":0}`, `{"total":-0}`, `{"total":0.00}`, `{"total":-0e5}`), in(`{"total":-1}`)}},
		{name: `"10.00" and "10" as decimals`, commands: [][]request{in(`{"amount":"10.00"}`, `{"amount":"10"}`, `{"amount":"1e1"}`, `{"amount":10}`), in(`{"amount":"10.01"}`), in(`{"amount":"1"}`)}, refused: in(`{"amount":"10,00"}`, `{"amount":" 10"}`, `{"amount":"+10"}`, `{"amount":"NaN"}`, `{"amount":""}`)},
		{name: "0.001 and 0.0010", commands: [][]request{in(`{"total":0.001}`, `{"total":0.0010}`, `{"total":1e-3}`), in(`{"total":0.01}`), in(`{"total":0.0011}`), in(`{"total":0}`)}},
	})
	t.Run("exponent bombs", func(t *testing.T) {
		start := time.Now()
		tell(t, []difference{{name: "and digits without end", commands: [][]request{in(`{"total":1e38}`)}, refused: in(
			`{"total":1e39}`, `{"total":1e999999999}`, `{"total":-1e-999999999}`, `{"total":1e`+strings.Repeat("9", 100_000)+`}`, `{"total":`+strings.Repeat("9", 500_000)+`}`, `{"total":`+strings.Repeat("9", 39)+`}`, `{"count":`+strings.Repeat("9", 39)+`}`, `{"amount":"1e999999999"}`,
			`{"total":0.`+strings.Repeat("0", 500_000)+`1}`,
		)}})
		assert.Less(t, time.Since(start), 5*time.Second)
	})
}

// What was not said, or said to be nothing.
func TestAbsence(t *testing.T) {
	session := request{method: "DELETE", target: "/sessions/s"}
	sent := func(body string) request { r := session; r.body = body; return r.with(jsonLine) }
	tell(t, []difference{
		{name: "absent, null and empty", commands: [][]request{in(`{}`), in(`{"memo":null}`), in(`{"memo":""}`), in(`{"memo":"null"}`), in(`{"memo":" "}`)}},
		{name: "absent, null, empty and default, as the contract joins them", commands: [][]request{in(`{}`, `{"nick":null}`, `{"nick":"nobody"}`), in(`{"nick":""}`), in(`{"nick":"x"}`)}},
		{name: "a default that the contract does not fill in", commands: [][]request{in(`{}`), in(`{"channel":"web"}`), in(`{"channel":""}`)}, refused: in(`{"channel":null}`)},
		{name: "an absent array and an empty one", commands: [][]request{in(`{}`), in(`{"tags":[]}`), in(`{"tags":[""]}`)}, refused: in(`{"tags":null}`, `{"tags":"a"}`)},
		{name: "absent body, {}, null and an empty one", commands: [][]request{{session, session.with(jsonLine)}, {sent(`{}`), sent(" { }\n")}, {sent(`null`)}, {sent(`{"reason":""}`)}}, refused: []request{sent(` `), sent(`""`), sent(`[]`)}},
	})
}

// Values with more than one spelling.
func TestValues(t *testing.T) {
	tell(t, []difference{
		{name: "list", commands: [][]request{in(`{"lines":[{"sku":"a"},{"sku":"b"}]}`), in(`{"lines":[{"sku":"b"},{"sku":"a"}]}`), in(`{"lines":[{"sku":"a"},{"sku":"b"},{"sku":"b"}]}`)}},
		{name: "set", commands: [][]request{in(`{"tags":["a","b"]}`, `{"tags":["b","a"]}`, `{"tags":["b","a","\u0062"]}`), in(`{"tags":["a"]}`), in(`{"tags":["a","B"]}`)}},
		{name: "multiset", commands: [][]request{in(`{"bag":["a","b","b"]}`, `{"bag":["b","a","b"]}`), in(`{"bag":["a","b"]}`), in(`{"bag":["a","a","b"]}`)}},
		{name: "date-time offsets", commands: [][]request{
			in(`{"at":"2026-11-30T09:00:00Z"}`, `{"at":"2026-11-30T10:00:00+01:00"}`, `{"at":"2026-11-30T09:00:00-00:00"}`, `{"at":"2026-11-29T22:30:00-10:30"}`), in(`{"at":"2026-11-30T09:00:00+01:00"}`),
		}, refused: in(`{"at":"2026-11-30T09:00:00"}`, `{"at":"2026-11-30"}`, `{"at":"2026-11-30T09:00:00+0100"}`)},
		{name: "lower-case t and z", commands: [][]request{in(`{"at":"2026-11-30T09:00:00Z"}`, `{"at":"2026-11-30t09:00:00z"}`)}, refused: in(`{"at":"2026-11-30 09:00:00Z"}`)},
		{name: "fractions of a second, ten digits, a comma", commands: [][]request{in(`{"at":"2026-11-30T09:00:00.5Z"}`, `{"at":"2026-11-30T09:00:00.500000000Z"}`), in(`{"at":"2026-11-30T09:00:00Z"}`, `{"at":"2026-11-30T09:00:00.000Z"}`), in(`{"at":"2026-11-30T09:00:00.500000001Z"}`)},
			refused: in(`{"at":"2026-11-30T09:00:00.5000000000Z"}`, `{"at":"2026-11-30T09:00:00,5Z"}`, `{"at":"2026-11-30T09:00:00.Z"}`, `{"at":"2026-12-31T23:59:60Z"}`)},
		{name: "base64 with stray bits or line breaks", commands: [][]request{in(`{"document":"AQ=="}`, `{"document":"A\u0051=="}`), in(`{"document":"AQI="}`), in(`{"document":""}`)},
			refused: in(`{"document":"AR=="}`, `{"document":"AQJ="}`, `{"document":"AQ==\n"}`, `{"document":"A Q="}`, `{"document":"AQ"}`, `{"document":"_-8="}`, `{"document":"AQ\r\n=="}`)},
		{name: "uuid case", commands: [][]request{in(`{"customerId":"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"}`, `{"customerId":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"}`), in(`{"customerId":"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12"}`)},
			refused: in(`{"customerId":"{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"}`, `{"customerId":"a0eebc999c0b4ef8bb6d6bb9bd380a11"}`)},
		{name: "text case and blanks", commands: [][]request{in(`{"memo":"a"}`), in(`{"memo":"A"}`), in(`{"memo":"a "}`)}},
	})
}

// What is no part of the command.
func TestWhatDoesNotCount(t *testing.T) {
	tell(t, []difference{
		{name: "readOnly sent by a client", commands: [][]request{in(`{"amount":"1"}`, `{"amount":"1","status":"new"}`, `{"amount":"1","status":"done"}`)}},
		{name: "server-stamped members and defaults", commands: [][]request{in(`{"amount":"1"}`, `{"amount":"1","receivedAt":"2026-11-30T09:00:00Z"}`, `{"amount":"1","receivedAt":"2026-11-30T09:00:07Z"}`)}},
		{name: "a member that the contract ignores", commands: [][]request{in(`{"amount":"1","sentAt":"2026-11-30T09:00:00Z"}`, `{"sentAt":"2026-11-30T09:00:07+01:00","amount":"1"}`, `{"amount":"1"}`)}},
		{name: "unknown members are rejected", commands: [][]request{in(`{"amount":"1"}`)}, refused: in(`{"amount":"1","extra":1}`, `{"extra":null}`, `{"customer":{"extra":1}}`)},
	})
	play(t, []sequence{
		{"unknown members are included", []step{
			{runs, ordered(`{"requestId":"a","sku":"x","extra":1}`)}, {replay, ordered(`{"extra":1.0,"requestId":"a","sku":"x"}`)}, {mismatch, ordered(`{"requestId":"a","sku":"x"}`)}, {mismatch, ordered(`{"requestId":"a","sku":"x","extra":"1"}`)},
			{mismatch, ordered(`{"requestId":"a","sku":"x","extra":1,"more":null}`)},
		}},
		{"unknown members are ignored", []step{
			{runs, batched(`{"meta":{"requestId":"a"},"name":"x","extra":1}`)}, {replay, batched(`{"meta":{"requestId":"a","extra":{}},"name":"x"}`)}, {replay, batched(`{"extra":1e999,"name":"x","meta":{"requestId":"a"}}`)},
			{refused, batched(`{"meta":{"requestId":"b"},"name":"x","Name":"y"}`)}, {refused, batched(`{"meta":{"requestId":"b"},"name":"x","extra":{"a":1,"a":1}}`)},
		}},
	})
}
