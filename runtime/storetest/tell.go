package storetest

import (
	"embed"
	"io/fs"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/storetest/trace"
)

// traces are the stories that every store must tell in the same words.
//
//go:embed testdata/*.trace
var traces embed.FS

const traceDir = "testdata"

// runTraces tells every trace on a store of its own.
func runTraces[Tx any](t *testing.T, newStore NewStore[Tx], effects Effects[Tx], lacks []Ability) {
	t.Helper()
	for _, name := range traceNames(t) {
		t.Run("trace "+name, func(t *testing.T) {
			steps := readTrace(t, name)
			if ability, is := lacking(abilitiesOf(steps), lacks); is {
				t.Skipf("the store is said to lack %s", ability)
			}
			tell(t, newFixture(t, newStore, effects, testClock, lacks...), steps, nil)
		})
	}
}

func traceNames(t *testing.T) (names []string) {
	t.Helper()
	files, err := fs.ReadDir(traces, traceDir)
	require.NoError(t, err)
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".trace"))
	}
	require.NotEmpty(t, names)
	return names
}

// readTrace gives a trace's steps, those of included ones in their place.
func readTrace(t *testing.T, name string) []trace.Step {
	t.Helper()
	file := path.Join(traceDir, name+".trace")
	text, err := traces.ReadFile(file)
	require.NoError(t, err)
	steps, err := trace.Parse(file, string(text))
	require.NoError(t, err)
	var all []trace.Step
	for _, s := range steps {
		if s.Include == "" {
			all = append(all, s)
			continue
		}
		require.NotEqual(t, name, s.Include, "%s:%d: a trace includes itself", s.File, s.Line)
		all = append(all, readTrace(t, s.Include)...)
	}
	return all
}

// verbNeeds and optionNeeds say what a store must have for a step.
var (
	verbNeeds = map[string]Ability{
		"leases": Leasing, "takes": Leasing, "opens": Leasing, "commits": Leasing, "undoes": Leasing, "settles": Leasing, "extends": Leasing,
		"recovers": Leasing, "sweeps": Sweeping, "erases": Erasing, "lists": Resolving, "inspects": Resolving, "resolves": Resolving, "frees": Resolving,
	}
	optionNeeds = map[string]Ability{"business": BusinessKeys, "before": SecondScopes, "not-kept": Tombstones}
)

func abilitiesOf(steps []trace.Step) (needs []Ability) {
	var open transactionsOf
	for i := range steps {
		s := &steps[i]
		if s.Verb == nil {
			continue
		}
		if open.beside(s) {
			needs = append(needs, ConcurrentTransactions)
		}
		if a, needed := verbNeeds[s.Verb.Name()]; needed {
			needs = append(needs, a)
		}
		for option, a := range optionNeeds {
			if s.Has(option) {
				needs = append(needs, a)
			}
		}
	}
	return needs
}

// teller tells a trace.
type teller[Tx any] struct {
	*fixture[Tx]
	t      *testing.T
	actors map[string]*actor[Tx]
	// ids are the records that stood under the keys last.
	ids map[string]idem.UUID
	// lockTimeout is that of every claim.
	lockTimeout time.Duration
}

// actor is what somebody remembers, by key.
type actor[Tx any] struct {
	name    string
	claimed map[string]claimed // by verb and key
	held    map[string]*transaction[Tx]
	lease   map[string]idem.LeaseRef
	phase   map[string]idem.HeldPhase[Tx]
	seen    map[string]idem.Prior
}

// claimed is a claim that an actor made, and when.
type claimed struct {
	idem.Claim
	at time.Time
}

// transaction is one that an actor has, or had.
type transaction[Tx any] struct {
	idem.Held[Tx]
	settled bool
}

// witness is told of every step before it is done. nil: nobody looks.
type witness[Tx any] func(*teller[Tx], *trace.Step)

func newTeller[Tx any](t *testing.T, f *fixture[Tx]) *teller[Tx] {
	return &teller[Tx]{fixture: f, t: t, actors: map[string]*actor[Tx]{}, ids: map[string]idem.UUID{}, lockTimeout: lockTimeout}
}

// tell does the steps and holds each result against the one that is wanted.
func tell[Tx any](t *testing.T, f *fixture[Tx], steps []trace.Step, w witness[Tx]) {
	t.Helper()
	r := newTeller(t, f)
	defer r.end()
	for i := range steps {
		s := &steps[i]
		if s.Verb == nil {
			f.clock.advance(s.Clock)
			continue
		}
		if w != nil {
			w(r, s)
		}
		if got, err := r.do(s); got != s.Want {
			t.Fatalf("%s:%d: %s\ngave: %s\nerror: %v", s.File, s.Line, s.Text, got, err)
		}
	}
}

// end gives transactions back that the trace left open.
func (r *teller[Tx]) end() {
	for _, a := range r.actors {
		for _, h := range a.held {
			_ = h.Release(r.ctx)
		}
		for _, h := range a.phase {
			_ = h.Release(r.ctx)
		}
	}
}

func (r *teller[Tx]) actor(name string) *actor[Tx] {
	a := r.actors[name]
	if a == nil {
		a = &actor[Tx]{
			name: name, claimed: map[string]claimed{}, held: map[string]*transaction[Tx]{}, lease: map[string]idem.LeaseRef{},
			phase: map[string]idem.HeldPhase[Tx]{}, seen: map[string]idem.Prior{},
		}
		r.actors[name] = a
	}
	return a
}

// recall gives what an actor remembers of a step's key. A trace that asks for what is not there is wrong itself.
func recall[V any](t *testing.T, s *trace.Step, memory map[string]V, key, what string) V {
	t.Helper()
	v, there := memory[key]
	if !there {
		t.Fatalf("%s:%d: %s\n%s has no %s under %s", s.File, s.Line, s.Text, s.Actor, what, key)
	}
	return v
}

// claimOf is what a step asks for.
func claimOf(s *trace.Step, a string) idem.Claim {
	c := newClaim(s.Key())
	c.Scope, c.Before = scopeOf(s.Option("scope", "acme")), scopeOf(s.Option("before", ""))
	c.Keyspace = s.Option("keyspace", "pay")
	c.Operation = s.Option("operation", "pay")
	c.Fingerprints, c.Fields = []byte(s.Option("command", sameCommand)), nil
	if s.Has("business") {
		c.Business = []byte(s.Option("business", ""))
	}
	c.Retention = s.DurationOption("retention", time.Hour)
	c.Lease = s.DurationOption("lease", leaseTime)
	c.Request = []byte("command of " + a)
	return c
}

// scopeOf spells a scope whose values are divided by slashes.
func scopeOf(values string) string {
	if values == "" {
		return ""
	}
	return `["` + strings.ReplaceAll(values, "/", `","`) + `"]`
}

// outcomeOf is the outcome that a step stores: from status 400 on it is a failure.
func outcomeOf(s *trace.Step, status int, body string) idem.Completion {
	c := idem.Completion{
		State: idem.StateCompleted, Response: idem.Response{Status: status, Body: []byte(body)}, NotKept: s.Has("not-kept"),
		RollBackWrites: s.Has("rolling-back"), Retention: s.DurationOption("retention", 0),
	}
	if status >= 400 {
		c.State = idem.StateFailedReplayable
	}
	return c
}

// do gives the result of a step, and the error behind it if it is one.
func (r *teller[Tx]) do(s *trace.Step) (string, error) {
	do, known := actions[Tx]()[s.Verb.Name()]
	if !known {
		r.t.Fatalf("%s:%d: nobody can do %s", s.File, s.Line, s.Verb.Name())
	}
	got, err := do(r, r.actor(s.Actor), s)
	if err != nil {
		got = errorName(err)
	}
	return trace.Result(got), err
}
