package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/history"
)

// check holds what clients saw against what has happened.
func (w *world) check() (violations []string) {
	all := slices.DeleteFunc(w.recorder.Operations(), func(o history.Operation) bool {
		path, _, _ := strings.Cut(o.Key, " ")
		return isBrief(place{path: path})
	})
	if err := history.Check(all, 20*time.Second); err != nil {
		violations = append(violations, err.Error())
	}
	violations = append(violations, w.checkSteps()...)
	violations = append(violations, w.checkLives()...)
	return append(violations, w.checkCharges()...)
}

// isBrief: the key is used again when its record has expired.
func isBrief(at place) bool { return at.path == opBrief.Path || at.path == opPayBrief.Path }

// checkSteps: a step happens once for a record, and once for a key that lives for ever.
func (w *world) checkSteps() (violations []string) {
	ofRecord, ofKey := map[string]int{}, map[string]int{}
	for _, e := range w.books.effects {
		ofRecord[fmt.Sprintf("record %s of %v: %s", e.record, e.place, e.step)]++
		if !isBrief(e.place) {
			ofKey[fmt.Sprintf("%v: %s", e.place, e.step)]++
		}
	}
	for _, counts := range []map[string]int{ofRecord, ofKey} {
		for step, n := range counts {
			if n > 1 {
				violations = append(violations, fmt.Sprintf("effect: %s happened %d times", step, n))
			}
		}
	}
	return violations
}

// checkLives: a record begins when the one before it has expired, which a leased one does counted from its completion.
func (w *world) checkLives() (violations []string) {
	lives := map[place][]effect{}
	for _, e := range w.books.effects {
		if isBrief(e.place) && e.step == stepFinal {
			lives[e.place] = append(lives[e.place], e)
		}
	}
	for at, effects := range lives {
		slices.SortFunc(effects, func(a, b effect) int { return a.born.Compare(b.born) })
		for i := 1; i < len(effects); i++ {
			before, since := effects[i-1], effects[i-1].born
			if at.path == opPayBrief.Path {
				since = before.at
			}
			if effects[i].born.Before(since.Add(briefly)) {
				violations = append(violations, fmt.Sprintf("effect: %v has two, %s apart", at, effects[i].born.Sub(since)))
			}
		}
	}
	return violations
}

// checkCharges: the provider charges once for a key that lives for ever, and once for each record that was paid.
func (w *world) checkCharges() (violations []string) {
	ofKey := map[place]int{}
	for c := range w.books.charges {
		ofKey[c.place]++
	}
	paid := map[place]map[idem.UUID]bool{}
	for _, e := range w.books.effects {
		if paid[e.place] == nil {
			paid[e.place] = map[idem.UUID]bool{}
		}
		paid[e.place][e.record] = true
	}
	for at, n := range ofKey {
		most := 1
		if isBrief(at) {
			most = len(paid[at])
		}
		if n > most {
			violations = append(violations, fmt.Sprintf("effect: %v was charged %d times", at, n))
		}
	}
	return violations
}
