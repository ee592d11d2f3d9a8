//go:build unix

package fire

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/proof/history"
)

// Report is what came of a scenario.
type Report struct {
	// Violations are what must not be.
	Violations []string
	Keys       int
	Calls      int
	Answers    map[history.Kind]int
	Dealt      map[string]int
	// Events are what the servers' engines told of, by name; what is part of every request is left out.
	Events map[string]int
	// Charges counts what the provider charged, and ChargeCalls how often it was asked.
	Charges, ChargeCalls int
	// Restarts counts processes that were started again.
	Restarts int
	Log      string
}

// row is an effect.
type row struct {
	at          place
	record, run string
	step        string
	born, dies  int64
}

// check holds the journal and the effects against each other.
func (r *run) check(ctx context.Context) (Report, error) {
	report := Report{Answers: map[history.Kind]int{}, Dealt: map[string]int{}, Log: r.tail()}
	calls, events, err := readJournal(r.journalPath())
	if err != nil {
		return report, err
	}
	rows, err := r.effects(ctx)
	if err != nil {
		return report, err
	}
	report.Events = events
	report.count(r, calls)
	report.violated(checkSteps(rows))
	report.violated(checkLives(calls, rows))
	report.violated(checkAnswers(calls, rows))
	report.violated(r.checkCharges(rows))
	report.violated(r.checkHistory(calls))
	left, err := r.leftInFlight(ctx)
	report.violated(left)
	return report, err
}

func (r *Report) violated(v []string) { r.Violations = append(r.Violations, v...) }

func (r *Report) count(run *run, calls []*call) {
	keys := map[place]bool{}
	for _, c := range calls {
		keys[c.at()] = true
		r.Answers[c.Kind]++
	}
	r.Keys, r.Calls = len(keys), len(calls)
	r.Charges, r.ChargeCalls = run.provider.count()
	for c, n := range run.dealer.dealt {
		r.Dealt[string(c)] = n
	}
	r.Dealt["one backend terminated"] = run.dealer.disturbed
	for _, p := range slices.Concat(run.dealer.servers, run.dealer.clients) {
		r.Restarts += p.starts - 1
	}
}

func (r *run) effects(ctx context.Context) ([]row, error) {
	rows, err := r.pool.Query(ctx, "select path, key, record::text, step, run, born, dies from effects")
	if err != nil {
		return nil, fmt.Errorf("fire: read the effects: %w", err)
	}
	return pgx.CollectRows(rows, func(found pgx.CollectableRow) (e row, err error) {
		err = found.Scan(&e.at.path, &e.at.key, &e.record, &e.step, &e.run, &e.born, &e.dies)
		return e, err
	})
}

// checkSteps: a step happens once for a record.
func checkSteps(rows []row) (violations []string) {
	type once struct{ record, step string }
	seen := map[once]int{}
	for _, e := range rows {
		seen[once{e.record, e.step}]++
	}
	for o, n := range seen {
		if n > 1 {
			violations = append(violations, fmt.Sprintf("effect: step %q of record %s happened %d times", o.step, o.record, n))
		}
	}
	return violations
}

// span is the life of a record of which a client was told, or which has an effect.
type span struct {
	run        string
	born, dies int64
}

// checkLives: whatever runs there were of a key, the lives of their records do not overlap. For a key that lives for ever this says
// that there was one run.
func checkLives(calls []*call, rows []row) (violations []string) {
	spans := map[place]map[string]span{}
	add := func(at place, s span) {
		if spans[at] == nil {
			spans[at] = map[string]span{}
		}
		spans[at][s.run] = s
	}
	for _, c := range calls {
		if c.Receipt.Run != "" {
			add(c.at(), span{c.Receipt.Run, c.Receipt.From, c.Receipt.Until})
		}
	}
	for _, e := range rows {
		if e.step == finalStep {
			add(e.at, span{e.run, e.born, e.dies})
		}
	}
	for at, runs := range spans {
		var all []span
		for _, s := range runs {
			all = append(all, s)
		}
		slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.born, b.born) })
		for i := 1; i < len(all); i++ {
			if before := all[i-1]; before.dies == 0 || before.dies > all[i].born {
				violations = append(violations, fmt.Sprintf("effect: %s %s has two runs, %s and %s, in one life", at.path, at.key, before.run, all[i].run))
			}
		}
	}
	return violations
}

// checkAnswers: what clients were told of has the effects that it should have.
func checkAnswers(calls []*call, rows []row) (violations []string) {
	effects := map[string]int{}
	for _, e := range rows {
		if e.step == finalStep {
			effects[e.run]++
		}
	}
	for _, c := range calls {
		if c.Receipt.Run == "" {
			continue
		}
		want, err := effectsOf(c.Status)
		if got := effects[c.Receipt.Run]; err != nil || got != want {
			violations = append(violations, fmt.Sprintf("answer: %s %s was answered %d with %d effects, not %d", c.Path, c.Key, c.Status, got, want))
		}
	}
	return violations
}

// checkCharges: what was paid was charged, and a key that lives for ever was charged once.
func (r *run) checkCharges(rows []row) (violations []string) {
	if !r.scenario.Leased {
		return nil
	}
	charges := r.provider.all()
	ofKey, ofRecord := map[place]int{}, map[string]int{}
	for _, c := range charges {
		ofKey[place{c.Path, c.Key}]++
		ofRecord[c.Record]++
	}
	for at, n := range ofKey {
		if n > 1 && !r.scenario.brief(at.path) {
			violations = append(violations, fmt.Sprintf("charge: %s %s was charged %d times", at.path, at.key, n))
		}
	}
	for _, e := range rows {
		if n := ofRecord[e.record]; e.step == finalStep && n != 1 {
			violations = append(violations, fmt.Sprintf("charge: %s %s was paid and charged %d times", e.at.path, e.at.key, n))
		}
	}
	return violations
}

// historyPatience bounds the search for an order of one key's answers.
const historyPatience = 20 * time.Second

// checkHistory leaves out keys that expire.
func (r *run) checkHistory(calls []*call) []string {
	var all []history.Operation
	for _, c := range calls {
		if !r.scenario.brief(c.Path) {
			all = append(all, c.operation(r.scenario.Leased))
		}
	}
	if err := history.Check(all, historyPatience); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// leftInFlight: every key has been settled.
func (r *run) leftInFlight(ctx context.Context) ([]string, error) {
	var n int
	err := r.pool.QueryRow(ctx, "select count(*) from idempotency_records where state = 1").Scan(&n)
	if err != nil {
		return nil, fmt.Errorf("fire: count what is in flight: %w", err)
	}
	if n > 0 {
		return []string{fmt.Sprintf("stuck: %d records are in flight although every key has an outcome", n)}, nil
	}
	return nil, nil
}
