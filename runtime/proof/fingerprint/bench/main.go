// Command bench prints what a fingerprint costs beside its limit, SHA-256 of the canonical text plus one validating scan that keeps
// nothing, and beside two other ways to get one. All figures are ratios of CPU time in this one process: contestants alternate, and the
// median of the ratios of all rounds counts.
//
//	go run ./runtime/proof/fingerprint/bench [-rounds 101] [-only "2 KB"] [-gate]
package main

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/proof/fingerprint"
)

// row is one size of body with its goals (FINGERPRINT section 3).
type row struct {
	name       string
	body       []byte
	goal, gate float64
}

// The gates against the other ways hold for structured bodies of 1 KB and more: a long string costs them little more than us, and in
// a very small body what does not depend on its size weighs most.
const (
	jsontextGate = 2.5
	mapGate      = 8
	smallest     = 1000
)

func main() {
	rounds := flag.Int("rounds", 101, "rounds of which the median counts")
	only := flag.String("only", "", "the one body to measure")
	gate := flag.Bool("gate", false, "exit with 1 when a gate is missed")
	flag.Parse()
	rows := []row{
		{"200 B", fingerprint.Body(0), 1.5, 1.75},
		{"2 KB", fingerprint.Body(9), 1.5, 1.75},
		{"50 KB", fingerprint.Body(260), 1.5, 1.75},
		{"50 KB, members in order", ordered(fingerprint.Body(260)), 1.5, 1.75},
		{"1 MB", fingerprint.Body(5300), 1.5, 1.75},
		{"1 MB one string", fingerprint.LongString(1 << 20), 1.1, 1.2},
	}
	ok := run(rows, *only, *rounds)
	if *only == "" {
		runPath(rows, *rounds)
	}
	if *gate && !ok {
		os.Exit(1)
	}
}

// ordered puts the members of a body into canonical order, as a client does that knows it.
func ordered(body []byte) []byte {
	value := jsontext.Value(body)
	if err := value.Canonicalize(); err != nil {
		panic(err)
	}
	return value
}

func run(rows []row, only string, rounds int) bool {
	ok := true
	w := tabwriter.NewWriter(os.Stdout, 2, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "body\tbytes\tSHA-256\tscan\tlimit\tscanner\tgoal\tgate\tallocs\ttracked\tjsontext ÷ scanner\tmap ÷ scanner\t")
	for _, r := range rows {
		if only != "" && only != r.name {
			continue
		}
		m := measure(r.body, rounds)
		structured := r.goal > 1.2 && len(r.body) > smallest
		if m.scanner > r.gate || m.allocs > 0 || structured && (m.jsontext < jsontextGate || m.maps < mapGate) {
			ok = false
		}
		fmt.Fprintf(w, "%s\t%d\t%.2f\t%.2f\t1.00\t%.2f\t≤%.2f\t≤%.2f\t%.0f\t%.2f\t%.1f\t%.1f\t\n", r.name, len(r.body), m.hash,
			m.scan, m.scanner, r.goal, r.gate, m.allocs, m.tracked, m.jsontext, m.maps)
	}
	w.Flush()
	return ok
}

// ratios are medians over the rounds. hash, scan, scanner and tracked are parts of the limit, jsontext and maps multiples of the scanner.
type ratios struct{ hash, scan, scanner, tracked, jsontext, maps, allocs float64 }

func measure(body []byte, rounds int) ratios {
	s := canon.Acquire()
	r := &canon.Request{Body: body, ContentType: "application/json"}
	fingerprintOnce := func() {
		if _, err := fingerprint.Payment(s, r); err != nil {
			panic(err)
		}
	}
	fingerprintOnce()
	canonical := s.AppendCanonical(nil)
	prefixed := append([]byte("idempotency-fingerprint/1\ncreatePayment\n5d0c1f7a92b4e863\n"), canonical...)
	tracking := canon.Acquire()
	tracking.TrackFields(fingerprint.PaymentFields)
	var scratch jsontext.Value

	costs := alternate(rounds, []func(){
		func() { sha256.Sum256(prefixed) },
		func() {
			if !canon.Valid(body) {
				panic("the body is not valid")
			}
		},
		fingerprintOnce,
		func() {
			if _, err := fingerprint.Payment(tracking, r); err != nil {
				panic(err)
			}
		},
		func() {
			scratch = append(scratch[:0], body...)
			if err := scratch.Canonicalize(); err != nil {
				panic(err)
			}
			sha256.Sum256(scratch)
		},
		func() { viaMap(body) },
	})
	limit := func(c []float64) float64 { return c[0] + c[1] }
	return ratios{
		hash:     median(costs, func(c []float64) float64 { return c[0] / limit(c) }),
		scan:     median(costs, func(c []float64) float64 { return c[1] / limit(c) }),
		scanner:  median(costs, func(c []float64) float64 { return c[2] / limit(c) }),
		tracked:  median(costs, func(c []float64) float64 { return c[3] / limit(c) }),
		jsontext: median(costs, func(c []float64) float64 { return c[4] / c[2] }),
		maps:     median(costs, func(c []float64) float64 { return c[5] / c[2] }),
		allocs:   testing.AllocsPerRun(10, fingerprintOnce),
	}
}

// viaMap is what most services do by hand.
func viaMap(body []byte) {
	var value map[string]any
	if err := json.Unmarshal(body, &value); err != nil {
		panic(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	sha256.Sum256(text)
}

// sample is how long one measurement takes at least: long beside the clock's grain, short beside what disturbs it.
const sample = 500 * time.Microsecond

// alternate runs the contestants in turn and gives what one run of each cost, for every round. A busy machine slows all of a round alike.
func alternate(rounds int, contestants []func()) [][]float64 {
	repeats := make([]int, len(contestants))
	for i, c := range contestants {
		repeats[i] = calibrate(c)
	}
	var costs [][]float64
	for range rounds {
		runtime.GC()
		round := make([]float64, len(contestants))
		for i, c := range contestants {
			round[i] = timed(c, repeats[i])
		}
		costs = append(costs, round)
	}
	return costs
}

func median(costs [][]float64, of func([]float64) float64) float64 {
	var all []float64
	for _, c := range costs {
		all = append(all, of(c))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// calibrate finds how many runs fill a sample.
func calibrate(c func()) int {
	for n := 1; ; n *= 2 {
		if float64(n)*timed(c, n) >= float64(sample) {
			return n
		}
	}
}

func timed(c func(), n int) float64 {
	start := cpuTime()
	for range n {
		c()
	}
	return float64(cpuTime()-start) / float64(n)
}
