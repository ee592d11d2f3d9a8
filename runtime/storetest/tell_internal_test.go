package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/storetest/trace"
)

// The conditions of a record as an attempt meets them: in flight is its own, taken and lost are another's.
const (
	isAbsent, isExpired, isRunning = "absent", "expired", "running"
	isInFlight, isOverdue          = "in flight", "lease over"
	isTaken, isLost                = "taken by another", "another's lease over"
)

var (
	settled = []string{"completed", "failed", "retryable", "unknown"}
	found   = slices.Concat([]string{isAbsent, isExpired, isInFlight, isOverdue}, settled)
	fenced  = slices.Concat(found, []string{isTaken, isLost})
	all     = slices.Concat(found, []string{isRunning})
)

// wanted are the events of STATE's tables, each with the conditions in which a trace must show it. A transaction that runs is
// visible to some stores alone, so what looks at records is not asked about one.
var wanted = map[string][]string{
	"claims same": all, "claims other": all, "claims incomparable": all,
	"leases same": all, "leases other": all, "leases incomparable": all,
	"completes below 400": {isRunning}, "completes rolling back": {isRunning}, "completes keeping writes": {isRunning}, "releases": {isRunning},
	"takes": found, "looks": found,
	"settles completed": fenced, "settles failed": fenced, "settles retryable": fenced, "settles unknown": fenced, "settles in-flight": fenced,
	"commits": fenced, "commits with an outcome": fenced, "extends": fenced,
	"recovers": all, "sweeps": all, "erases": found, "lists": found, "inspects": found, "resolves": found, "frees": found,
}

func TestTracesShowEveryEventInEveryState(t *testing.T) {
	seen := map[string]map[string]bool{}
	for _, name := range traceNames(t) {
		w := &watcher{seen: seen, stood: map[string]bool{}}
		f := &fixture[*memstore.Tx]{ctx: context.Background(), effects: counting(), clock: newClock()}
		f.store = memstore.New(memstore.WithClock(f.clock.now))
		tell(t, f, readTrace(t, name), w.watch)
	}
	for event, conditions := range wanted {
		for _, c := range conditions {
			assert.True(t, seen[event][c], "no trace shows what %q does to a record that is %s", event, c)
		}
	}
}

func counting() Effects[*memstore.Tx] {
	counts := map[string]int{}
	return Effects[*memstore.Tx]{
		Write: func(_ context.Context, tx *memstore.Tx, name string) error {
			tx.OnCommit(func() { counts[name]++ })
			return nil
		},
		Count: func(_ context.Context, _ *memstore.Tx, name string) (int, error) { return counts[name], nil },
	}
}

// watcher notes which event met which condition.
type watcher struct {
	seen map[string]map[string]bool
	// stood are the keys that had a record, so that an expired one can be told from none.
	stood map[string]bool
}

func (w *watcher) watch(r *teller[*memstore.Tx], s *trace.Step) {
	keys := s.Args()[:1]
	switch s.Verb.Name() {
	case "recovers", "sweeps", "erases", "lists":
		keys = nil
		for key := range w.stood {
			keys = append(keys, key)
		}
	case "extends":
		keys = s.Args()
	}
	event := eventOf(s)
	if w.seen[event] == nil {
		w.seen[event] = map[string]bool{}
	}
	for _, key := range keys {
		condition := w.condition(r, s, key)
		w.seen[event][condition] = true
		w.stood[key] = w.stood[key] || (condition != isAbsent && condition != isRunning) || s.Verb.Name() == "completes"
		switch {
		case event == "frees" && s.Want == okText, event == "sweeps" && condition == isExpired, event == "erases" && condition == isExpired:
			w.stood[key] = false
		}
	}
}

func (w *watcher) condition(r *teller[*memstore.Tx], s *trace.Step, key string) string {
	p, err := r.store.Lookup(r.ctx, scopeOf(s.Option("scope", "acme")), s.Option("keyspace", "pay"), key)
	require.NoError(r.t, err)
	mine := r.actor(s.Actor).lease[key].Token == p.Token
	asHolder := slices.Contains([]string{"settles", "commits", "extends"}, s.Verb.Name())
	switch {
	case p.State == idem.StateAbsent && w.stood[key]:
		return isExpired
	case p.State == idem.StateInFlight && p.RecordID.IsZero():
		return isRunning
	case asHolder && !mine && p.LeaseOver:
		return isLost
	case asHolder && !mine && p.State == idem.StateInFlight:
		return isTaken
	case p.LeaseOver:
		return isOverdue
	}
	return stateNames[p.State]
}

func eventOf(s *trace.Step) string {
	verb := s.Verb.Name()
	switch verb {
	case "claims", "leases":
		switch s.Option("command", sameCommand) {
		case sameCommand:
			return verb + " same"
		case incomparable:
			return verb + " incomparable"
		}
		return verb + " other"
	case "completes":
		switch {
		case s.Has("rolling-back"):
			return "completes rolling back"
		case s.Number(1) >= 400:
			return "completes keeping writes"
		}
		return "completes below 400"
	case "settles":
		return verb + " " + s.Arg(1)
	case "commits":
		if s.Has("ending") {
			return "commits with an outcome"
		}
	}
	return verb
}

func TestATraceThatIsWrongFails(t *testing.T) {
	for text, why := range map[string]string{
		"alice claims k -> completed":                               "another result",
		"alice claims k -> ours\nbob claims k -> ours":              "a second claim",
		"alice leases k -> ours\nalice settles k unknown -> fenced": "an error that is none",
	} {
		assert.True(t, fails(t, text), why)
	}
	assert.False(t, fails(t, "alice claims k -> ours\nalice completes k 201 -> ok"))
	assert.True(t, fails(t, "alice completes k 201 -> ok"), "alice has nothing to complete")
}

// fails tells a trace in a test of its own, which fails or not.
func fails(t *testing.T, text string) bool {
	t.Helper()
	steps, err := trace.Parse("wrong.trace", text)
	require.NoError(t, err)
	return failsWith(func(t *testing.T) {
		f := &fixture[*memstore.Tx]{ctx: context.Background(), effects: counting(), clock: newClock()}
		f.store = memstore.New(memstore.WithClock(f.clock.now))
		tell(t, f, steps, nil)
	})
}

func TestEveryVerbCanBeDone(t *testing.T) {
	known := actions[*memstore.Tx]()
	for _, v := range trace.Verbs() {
		assert.Contains(t, known, v.Name())
		delete(known, v.Name())
	}
	assert.Empty(t, known)
}

func TestWhatAStoreLacksHasToBeSaid(t *testing.T) {
	store := memstore.New()
	assert.True(t, failsWith(func(t *testing.T) { requireAbilities[*memstore.Tx](t, store, []Ability{Leasing}) }), "it leases")
	assert.True(t, failsWith(func(t *testing.T) { requireAbilities[*memstore.Tx](t, bareStore{store}, nil) }), "it does not lease")
	assert.True(t, failsWith(func(t *testing.T) { requireAbilities[*memstore.Tx](t, store, []Ability{"flying"}) }))
	requireAbilities[*memstore.Tx](t, bareStore{store}, []Ability{Leasing, Sweeping, Erasing, Resolving})
	requireAbilities[*memstore.Tx](t, store, []Ability{Tombstones})
}

// bareStore hides what a store can do beyond idem.Store.
type bareStore struct{ idem.Store[*memstore.Tx] }

func failsWith(f func(*testing.T)) bool {
	inner := &testing.T{}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		f(inner)
	}()
	<-finished
	return inner.Failed()
}

func TestAStandingClockTurns(t *testing.T) {
	c := newClock()
	before := c.now()
	c.advance(1500 * time.Millisecond)
	assert.Equal(t, "1.5s", fmt.Sprint(c.now().Sub(before)))
}
