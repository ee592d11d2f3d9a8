package canon_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

const busyBody = `{"order":"A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11","note":null,"amount" : {"value":1.50e1,"x":[1,{"a":2}],"currency":"eur"},
	"labels":{"z":"1","\ud83d\ude02":"laugh","\ufb33":"dalet","gone":null,"a\n":"\u0041\/","é":"è"},"blob":"QQ==","flag":true,
	"items":[{"tags":["b","a","b"],"sku":"s","z":{"q":1,"b":[null,true,-0.0]},"quantity":"-0"},{"sku":"","y":"\n","x":[]}],
	"sentAt":{"c":1,"b":2,"a":[{}],"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10},"rate":1e21,"at":"2024-03-01t00:30:00.120+01:00","meta":{"b":1,"a":{}}}`

func busyRequest() *canon.Request {
	return &canon.Request{
		Body: []byte(busyBody), ContentType: "application/json; charset=UTF-8",
		Query: "expand=b+c&expand=%61&x=1&expand&dry=true", Path: []string{"acc/1"},
		Header: map[string][]string{"Stripe-Account": {" acct_1 "}},
	}
}

func TestNoAllocations(t *testing.T) {
	run := func(t *testing.T, r *canon.Request, fields int) {
		s := canon.Acquire()
		defer s.Release()
		s.TrackFields(fields)
		var text, sums []byte
		once := func() {
			if _, err := fingerprintPayment(s, r); err != nil {
				t.Fatal(err)
			}
			text = s.AppendCanonical(text[:0])
			sums = s.AppendFieldDigests(sums[:0])
		}
		once()
		assert.Zero(t, testing.AllocsPerRun(100, once))
	}
	t.Run("small", func(t *testing.T) { run(t, busyRequest(), 0) })
	t.Run("tracked", func(t *testing.T) { run(t, busyRequest(), paymentFields) })
	t.Run("large", func(t *testing.T) {
		r := busyRequest()
		items := strings.Repeat(`{"tags":["b","a","b"],"sku":"s","z":{"q":1}},`, 3000)
		r.Body = []byte(strings.Replace(busyBody, `"items":[`, `"items":[`+items, 1))
		run(t, r, 0)
	})
	t.Run("many tags, labels and ignored names", func(t *testing.T) {
		r := busyRequest()
		var tags, labels, ignored strings.Builder
		for i := range 100 {
			fmt.Fprintf(&tags, `"t%d",`, i*37%100)
			fmt.Fprintf(&labels, `"l%d":"",`, i*37%100)
			fmt.Fprintf(&ignored, `"i%d":"",`, i*37%100)
		}
		r.Body = []byte(strings.NewReplacer(`"tags":[`, `"tags":[`+tags.String(), `"labels":{`, `"labels":{`+labels.String(),
			`"sentAt":{`, `"sentAt":{`+ignored.String()).Replace(busyBody))
		run(t, r, 0)
	})
	t.Run("valid", func(t *testing.T) {
		body := []byte(busyBody)
		if n := testing.AllocsPerRun(100, func() { canon.Valid(body) }); !raceEnabled {
			assert.Zero(t, n)
		}
	})
}

// A scanner that comes from the pool after a request of ordinary size has its buffers.
func TestNoAllocationsWithPool(t *testing.T) {
	r := busyRequest()
	once := func() {
		s := canon.Acquire()
		defer s.Release()
		if _, err := fingerprintPayment(s, r); err != nil {
			t.Fatal(err)
		}
	}
	once()
	if n := testing.AllocsPerRun(100, once); !raceEnabled {
		assert.Zero(t, n)
	}
}

// bombs are bodies of about n bytes that are meant to cost more than they weigh.
var bombs = map[string]func(n int) string{
	"crafted names in a map": func(n int) string { return members(n, "labels", reversed) },
	"names with a long common beginning": func(n int) string {
		common := strings.Repeat("x", 1000)
		return members(n/100, "labels", func(i int) string { return common + reversed(i) })
	},
	"escaped names": func(n int) string {
		return members(n/2, "labels", func(i int) string { return `\u0041` + reversed(i) })
	},
	"names in an ignored part": func(n int) string { return members(n, "sentAt", reversed) },
	"names in generic":         func(n int) string { return members(n, "meta", reversed) },
	"generic numbers":          func(n int) string { return inBody("meta", "["+strings.Repeat("1e38,", n/5)+"1]") },
	"generic objects":          func(n int) string { return inBody("meta", "["+strings.Repeat("{},", n/3)+"{}]") },
	"deep objects out of order": func(n int) string {
		return inBody("meta", strings.Repeat(`{"b":{},"a":`, 120)+`"`+strings.Repeat("x", n)+`"`+strings.Repeat("}", 120))
	},
	"nested arrays again and again": func(n int) string {
		return inBody("meta", "["+strings.Repeat(strings.Repeat("[", 100)+strings.Repeat("]", 100)+",", n/200)+"1]")
	},
	"set of long equal beginnings": func(n int) string {
		common := strings.Repeat("x", 1000)
		var b strings.Builder
		for i := range n / 1000 {
			fmt.Fprintf(&b, `"%s%s",`, common, reversed(i))
		}
		return inBody("items", `[{"sku":"","tags":[`+b.String()+`""]}]`)
	},
	"set of equal elements": func(n int) string { return inBody("items", `[{"sku":"","tags":[`+strings.Repeat(`"",`, n/3)+`""]}]`) },
	"unknown members":       func(n int) string { return inBody("items", `[{"sku":"",`+dynamic(n, reversed)+`}]`) },
	"white space":           func(n int) string { return inBody("note", strings.Repeat(" \n\t\r", n/4)+"null") },
	"long exponent":         func(n int) string { return inBody("sentAt", "1e"+strings.Repeat("9", n)) },
	"long double":           func(n int) string { return inBody("rate", "0."+strings.Repeat("9", n)) },
	"escapes":               func(n int) string { return inBody("note", `"`+strings.Repeat(`\u0041\n`, n/8)+`"`) },
	"text beyond ASCII":     func(n int) string { return inBody("note", `"`+strings.Repeat("é€😂", n/9)+`"`) },
	"many items, each in disorder": func(n int) string {
		return inBody("items", `[`+strings.Repeat(`{"sku":"s","quantity":1},`, n/25)+`{"sku":""}]`)
	},
	"refused at the end, after many": func(n int) string {
		return inBody("meta", "["+strings.Repeat(`{"a":[1]},`, n/10)+"x]")
	},
}

// reversed numbers things so that neither their order nor their first bytes help.
func reversed(i int) string {
	digits := []byte(fmt.Sprintf("%07d", i))
	for a, b := 0, len(digits)-1; a < b; a, b = a+1, b-1 {
		digits[a], digits[b] = digits[b], digits[a]
	}
	return string(digits)
}

func dynamic(n int, name func(int) string) string {
	var b strings.Builder
	for i := range n / 14 {
		fmt.Fprintf(&b, `"%s":"",`, name(i))
	}
	return b.String() + `"last":""`
}

func members(n int, member string, name func(int) string) string {
	return inBody(member, "{"+dynamic(n, name)+"}")
}

func inBody(member, value string) string {
	return `{` + smallest + `,"` + member + `":` + value + `}`
}

// Thirty-two times the body may cost about thirty-two times the time. A hundred leave room for sorting, caches and a machine that does
// much else; n to the power of 1.5 costs 181 times as much, and what is quadratic a thousand times.
func TestBombsAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			s := canon.Acquire()
			defer s.Release()
			assertLinear(t, bomb, func(body string) {
				_, _ = fingerprintPayment(s, &canon.Request{Body: []byte(body), Path: []string{"a"}})
			})
		})
	}
}

// assertLinear compares the best of several runs.
func assertLinear(t *testing.T, bomb func(n int) string, scan func(body string)) {
	t.Helper()
	small, large := bomb(10_000), bomb(320_000)
	cost := func(body string) time.Duration { return spent(func() { scan(body) }) }
	bestSmall, bestLarge := time.Hour, time.Hour
	for round := range 60 {
		bestSmall, bestLarge = min(bestSmall, cost(small)), min(bestLarge, cost(large))
		if round >= 5 && bestLarge < 100*bestSmall {
			return
		}
	}
	t.Errorf("thirty-two times the body costs %.1f times the time", float64(bestLarge)/float64(bestSmall))
}

// A map name that a client made as long as it likes stands on the way to every field below it.
func TestFieldsBelowALongNameAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	bomb := func(n int) string {
		return `{"` + strings.Repeat("x", n/2) + `":{` + dynamic(n/2, func(i int) string { return fmt.Sprint(i) }) + `}}`
	}
	s := canon.Acquire()
	defer s.Release()
	s.TrackFields(1)
	assertLinear(t, bomb, func(body string) {
		s.Start(&canon.Request{Body: []byte(body)})
		s.Body(true, canon.JSON)
		outer := s.Map(nil)
		for s.Next(&outer) {
			s.Entry(&outer)
			inner := s.Map(nil)
			for s.Next(&inner) {
				s.Entry(&inner)
				s.Exact(0)
			}
		}
		_, err := s.Finish("c", "0000000000000000")
		require.NoError(t, err)
	})
}

// The canonical text is refused no earlier than the body; memory follows it, not the body's spelling.
func TestBombsAreBounded(t *testing.T) {
	for name, bomb := range bombs {
		t.Run(name, func(t *testing.T) {
			body := bomb(100_000)
			canonical, refusal := read(t, body, scanPayment)
			if refusal == nil {
				assert.LessOrEqual(t, len(canonical), 11*len(body))
			}
		})
	}
}

func TestManyQueryPieces(t *testing.T) {
	list := canon.Param{In: canon.InQuery, Name: "a", As: canon.Exact, Array: canon.List}
	got, refusal := readParams(t, canon.Request{Query: strings.Repeat("a&b=1&", 20_000)}, list, query("c"))
	require.Nil(t, refusal)
	assert.Equal(t, 20_000, strings.Count(got, "null"))
}
