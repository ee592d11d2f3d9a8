package twins_test

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/idemgen/idemgen/runtime/idem"
)

// newClaim draws a claim.
func (p *pair) newClaim(rt *rapid.T, leased bool) idem.Claim {
	c := idem.Claim{
		Scope:     rapid.SampledFrom([]string{`["a"]`, `["a","x"]`, `["b"]`}).Draw(rt, "scope"),
		Keyspace:  "k",
		Key:       rapid.SampledFrom([]string{"1", "2"}).Draw(rt, "key"),
		Operation: rapid.SampledFrom([]string{"pay", "refund"}).Draw(rt, "operation"),
		Token:     p.issue(), RecordID: p.issue(),
		Fingerprints: []byte("fingerprints"), Fields: []byte("fields"), Retention: retention,
	}
	c.Business = rapid.SampledFrom([][]byte{nil, nil, []byte("order 1"), []byte("order 2")}).Draw(rt, "business key")
	c.Before = rapid.SampledFrom([]string{"", "", "", `["b"]`}).Draw(rt, "second scope")
	if c.Before == c.Scope {
		c.Before = ""
	}
	if leased {
		c.Lease, c.Request = lease, []byte("command")
	}
	return c
}

// remember keeps what a claim was given.
func (p *pair) remember(of [2]idem.UUID, ref idem.LeaseRef) {
	p.tokens = append(p.tokens, token{of, ref})
	if !slices.Contains(p.records, ref.RecordID) {
		p.records = append(p.records, ref.RecordID)
	}
}

func (p *pair) claimLease(rt *rapid.T) {
	c := p.newClaim(rt, true)
	if len(p.lost) > 0 && rapid.IntRange(0, 2).Draw(rt, "again") == 0 {
		c = rapid.SampledFrom(p.lost).Draw(rt, "claim") // its answer was lost
	}
	p.lost = append(p.lost, c)
	memory, errMemory := p.memory.ClaimLease(p.ctx, c)
	pg, errPG := p.pg.ClaimLease(p.ctx, c)
	p.samePrior(rt, "claim a lease", memory, pg, errMemory, errPG)
	if errMemory == nil && memory.State == idem.StateAbsent {
		p.remember([2]idem.UUID{c.Token, c.Token}, idem.LeaseRef{
			Scope: c.Scope, Keyspace: c.Keyspace, Key: c.Key, Before: c.Before, RecordID: memory.RecordID, Token: c.Token, Lease: lease})
	}
}

// claim is a transactional claim, which ends at once.
func (p *pair) claim(rt *rapid.T) {
	c := p.newClaim(rt, false)
	memory, priorMemory, errMemory := p.memory.Claim(p.ctx, c)
	pg, priorPG, errPG := p.pg.Claim(p.ctx, c)
	if pg != nil {
		defer func() { _ = pg.Release(p.ctx) }() // else the next sequence would wait for it; settling twice does nothing
	}
	p.samePrior(rt, "claim", priorMemory, priorPG, errMemory, errPG)
	if memory == nil {
		return
	}
	if rapid.Bool().Draw(rt, "release") {
		same(rt, "release", 0, 0, memory.Release(p.ctx), pg.Release(p.ctx))
		return
	}
	done := p.outcome(rt)
	done.RollBackWrites = rapid.Bool().Draw(rt, "roll back")
	same(rt, "complete", 0, 0, memory.Complete(p.ctx, done), pg.Complete(p.ctx, done))
	p.records = append(p.records, c.RecordID)
}

func (p *pair) outcome(rt *rapid.T) idem.Completion {
	c := idem.Completion{
		State:    rapid.SampledFrom([]idem.State{idem.StateCompleted, idem.StateFailedReplayable}).Draw(rt, "outcome"),
		Response: idem.Response{Status: 201, Header: map[string][]string{"Etag": {"1"}}, Body: []byte(fmt.Sprint("run ", len(p.tokens)))},
		NotKept:  rapid.IntRange(0, 5).Draw(rt, "not kept") == 0,
	}
	return c
}

// attempt draws a token that was given once.
func (p *pair) attempt(rt *rapid.T) token {
	if len(p.tokens) == 0 {
		rt.Skip("no attempt yet")
	}
	return rapid.SampledFrom(p.tokens).Draw(rt, "attempt")
}

// refOf is the attempt in one of the stores.
func (t token) refOf(which int) idem.LeaseRef {
	ref := t.ref
	ref.Token = t.of[which]
	return ref
}

func (p *pair) takeOver(rt *rapid.T) {
	from := p.attempt(rt)
	next := p.issue()
	ask := idem.TakeOver{Scope: from.ref.Scope, Keyspace: from.ref.Keyspace, Key: from.ref.Key, Before: from.ref.Before, From: from.of[0], Token: next, Lease: lease}
	memory, errMemory := p.memory.TakeOver(p.ctx, ask)
	ask.From = from.of[1]
	pg, errPG := p.pg.TakeOver(p.ctx, ask)
	if errMemory == nil {
		p.remember([2]idem.UUID{next, next}, from.ref)
	}
	memory.LeaseLeft, pg.LeaseLeft = 0, 0 // who has just been given the lease knows
	p.samePrior(rt, "take over", memory, pg, errMemory, errPG)
}

func (p *pair) due(rt *rapid.T) {
	ask := idem.Due{Operations: map[string]time.Duration{"pay": lease}, Limit: rapid.IntRange(0, 3).Draw(rt, "limit")}
	memory, errMemory := p.memory.Due(p.ctx, ask)
	pg, errPG := p.pg.Due(p.ctx, ask)
	same(rt, "due: how many", len(memory), len(pg), errMemory, errPG)
	ask.Limit = 100 // which come first is free where they have waited equally long
	moreMemory, errMemory := p.memory.Due(p.ctx, ask)
	morePG, errPG := p.pg.Due(p.ctx, ask)
	same(rt, "due: how many more", len(moreMemory), len(morePG), errMemory, errPG)
	memory, pg = append(memory, moreMemory...), append(pg, morePG...)
	byID := map[idem.UUID]idem.Prior{}
	for _, prior := range pg {
		byID[prior.RecordID] = prior
	}
	for _, prior := range memory {
		other := byID[prior.RecordID]
		p.remember([2]idem.UUID{prior.Token, other.Token}, idem.LeaseRef{
			Scope: prior.Scope, Keyspace: prior.Keyspace, Key: prior.Key, Before: prior.Before, RecordID: prior.RecordID, Lease: lease})
		prior.LeaseLeft, other.LeaseLeft = 0, 0 // who has just been given the lease knows
		p.samePrior(rt, "due", prior, other, nil, nil)
	}
}

func (p *pair) phase(rt *rapid.T) {
	attempt := p.attempt(rt)
	memory, err := p.memory.BeginPhase(p.ctx, attempt.refOf(0), idem.BeginOptions{})
	require.NoError(rt, err)
	pg, err := p.pg.BeginPhase(p.ctx, attempt.refOf(1), idem.BeginOptions{})
	require.NoError(rt, err)
	record := idem.PhaseRecord{Name: rapid.SampledFrom([]string{"one", "two"}).Draw(rt, "phase"), Result: []byte(`"done"`)}
	var outcome *idem.Completion
	if rapid.IntRange(0, 2).Draw(rt, "last") == 0 {
		c := p.outcome(rt)
		c.Retention = rapid.SampledFrom([]time.Duration{0, retention, idem.Forever}).Draw(rt, "retention")
		outcome = &c
	}
	same(rt, "commit phase", 0, 0, memory.Commit(p.ctx, record, outcome), pg.Commit(p.ctx, record, outcome))
}

func (p *pair) settle(rt *rapid.T) {
	attempt := p.attempt(rt)
	c := p.outcome(rt)
	c.State = rapid.SampledFrom([]idem.State{idem.StateInFlight, idem.StateCompleted, idem.StateFailedReplayable, idem.StateFailedRetryable, idem.StateUnknown}).Draw(rt, "state")
	c.Delay = rapid.SampledFrom([]time.Duration{0, lease / 2, 3 * lease}).Draw(rt, "delay")
	c.Retention = rapid.SampledFrom([]time.Duration{0, retention}).Draw(rt, "retention")
	same(rt, "settle", 0, 0, p.memory.Settle(p.ctx, attempt.refOf(0), c), p.pg.Settle(p.ctx, attempt.refOf(1), c))
}

func (p *pair) extend(rt *rapid.T) {
	if len(p.tokens) == 0 {
		rt.Skip("no attempt yet")
	}
	attempts := rapid.SliceOfNDistinct(rapid.IntRange(0, len(p.tokens)-1), 1, min(3, len(p.tokens)), rapid.ID[int]).Draw(rt, "attempts")
	var refs [2][]idem.LeaseRef
	for _, i := range attempts {
		for which := range refs {
			refs[which] = append(refs[which], p.tokens[i].refOf(which))
		}
	}
	lostMemory, passedMemory, errMemory := p.memory.Extend(p.ctx, refs[0])
	lostPG, passedPG, errPG := p.pg.Extend(p.ctx, refs[1])
	same(rt, "extend: lost", places(refs[0], lostMemory), places(refs[1], lostPG), errMemory, errPG)
	same(rt, "extend: passed", places(refs[0], passedMemory), places(refs[1], passedPG), errMemory, errPG)
}

// places are where some of the leases stand in the list.
func places(all, some []idem.LeaseRef) []int {
	at := map[int]bool{}
	for _, l := range some {
		at[slices.Index(all, l)] = true
	}
	return slices.Sorted(maps.Keys(at))
}

func (p *pair) lookup(rt *rapid.T) {
	c := p.newClaim(rt, false)
	memory, errMemory := p.memory.Lookup(p.ctx, c.Scope, c.Keyspace, c.Key)
	pg, errPG := p.pg.Lookup(p.ctx, c.Scope, c.Keyspace, c.Key)
	p.samePrior(rt, "look up", memory, pg, errMemory, errPG)
}

// sweep compares what is left to do. How many go is free: a record that has expired may be gone where its key was claimed again.
func (p *pair) sweep(rt *rapid.T) {
	for _, sweeper := range []idem.Sweeper{p.memory, p.pg} {
		for round := 0; ; round++ {
			swept, err := sweeper.Sweep(p.ctx, 100)
			require.NoError(rt, err)
			if swept == 0 {
				break
			}
			require.Less(rt, round, 10, "sweeping does not end")
		}
	}
}

func (p *pair) erase(rt *rapid.T) {
	p.sweep(rt)
	scope := rapid.SampledFrom([][]string{{"a"}, {"b"}, {"a", "x"}, {}}).Draw(rt, "scope")
	erasedMemory, keptMemory, errMemory := p.memory.Erase(p.ctx, scope...)
	erasedPG, keptPG, errPG := p.pg.Erase(p.ctx, scope...)
	same(rt, "erase", [2]int{erasedMemory, keptMemory}, [2]int{erasedPG, keptPG}, errMemory, errPG)
}

func (p *pair) stuck(rt *rapid.T) {
	memory, errMemory := p.memory.Stuck(p.ctx, 100)
	pg, errPG := p.pg.Stuck(p.ctx, 100)
	same(rt, "stuck: how many", len(memory), len(pg), errMemory, errPG)
	for _, r := range memory {
		require.Contains(rt, shown(pg), shown([]idem.StuckRecord{r})[0], "stuck")
	}
}

// shown puts lists of records into one form.
func shown(records []idem.StuckRecord) []idem.StuckRecord {
	out := slices.Clone(records)
	for i := range out {
		out[i].Created = out[i].Created.UTC()
		if len(out[i].Phases) == 0 {
			out[i].Phases = nil
		}
	}
	return out
}

// record draws one that was made once.
func (p *pair) record(rt *rapid.T) idem.UUID {
	return rapid.SampledFrom(append([]idem.UUID{{0xff}}, p.records...)).Draw(rt, "record")
}

func (p *pair) inspect(rt *rapid.T) {
	id := p.record(rt)
	memory, errMemory := p.memory.Inspect(p.ctx, id)
	pg, errPG := p.pg.Inspect(p.ctx, id)
	same(rt, "inspect", shown([]idem.StuckRecord{memory}), shown([]idem.StuckRecord{pg}), errMemory, errPG)
}

func (p *pair) resolve(rt *rapid.T) {
	id, c := p.record(rt), p.outcome(rt)
	c.Retention = rapid.SampledFrom([]time.Duration{0, retention}).Draw(rt, "retention")
	same(rt, "resolve", 0, 0, p.memory.Resolve(p.ctx, id, c), p.pg.Resolve(p.ctx, id, c))
}

func (p *pair) free(rt *rapid.T) {
	id := p.record(rt)
	same(rt, "free", 0, 0, p.memory.Free(p.ctx, id), p.pg.Free(p.ctx, id))
}

func (p *pair) pass(rt *rapid.T) {
	p.now = p.now.Add(rapid.SampledFrom([]time.Duration{time.Millisecond, lease / 2, lease, retention / 2, retention}).Draw(rt, "time"))
}
