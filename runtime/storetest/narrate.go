package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// narrator thinks stories up.
type narrator struct {
	dice *rand.Rand
	// scopes: records stand under two scopes in this story.
	scopes bool
	// single: one transaction at a time is open, and what else is done meanwhile only reads.
	single bool
}

func newNarrator(dice *rand.Rand, lacks []Ability) *narrator {
	return &narrator{dice: dice, scopes: dice.IntN(3) == 0, single: slices.Contains(lacks, ConcurrentTransactions)}
}

func (n *narrator) one(of ...string) string { return of[n.dice.IntN(len(of))] }

// sometimes gives text once in so many times.
func (n *narrator) sometimes(in int, text string) string {
	if n.dice.IntN(in) > 0 {
		return ""
	}
	return " " + text
}

// maxOpen bounds the transactions that are open at once: each has a connection.
const maxOpen = 2

// nextStep gives a step without its result. It asks an actor for nothing that the actor does not have, and keeps away from where
// stores may differ: in what they show of a transaction that runs, and in whether they wait for it.
func nextStep[Tx any](n *narrator, r *teller[Tx]) string {
	for {
		a := r.actor(n.one("alice", "bob", "carol"))
		key := n.one("k", "l", "m")
		kinds := []func() string{
			func() string {
				return n.claim(r.open() < maxOpen && !r.holds(a, key), r.lives(a.claimed["claims "+key]))
			},
			func() string { return n.lease(r.lives(a.claimed["leases "+key])) },
			func() string { return n.transaction(a.held[key] != nil, r.holds(a, key)) },
			func() string {
				return n.phase(has(a.lease, key) && r.open() < maxOpen, has(a.phase, key) && !r.transactions()[a.lease[key].Key])
			},
			func() string { return n.attempt(has(a.lease, key)) },
			func() string { return n.takeOver(has(a.seen, key) && !r.transactions()[a.seen[key].Key]) },
			func() string { return n.person(!r.ids[key].IsZero() && !r.transactions()[key]) },
			func() string { return n.everybody(len(r.transactions()) == 0) },
		}
		said := kinds[n.dice.IntN(len(kinds))]()
		switch {
		case n.single && r.open() > 0 && waits(said, a.holdsAny(key)):
			continue
		case strings.HasPrefix(said, "clock"):
			return said
		case said != "":
			return a.name + " " + strings.ReplaceAll(said, "KEY", key)
		}
	}
}

// waits reports whether a step would wait for an open transaction, mine being the actor's own under the step's key.
func waits(said string, mine bool) bool {
	verb, _, _ := strings.Cut(said, " ")
	switch verb {
	case "clock", "looks", "lists", "inspects":
		return false
	case "writes", "completes", "releases", "commits", "undoes":
		return !mine
	}
	return true
}

// holdsAny reports whether an actor has a transaction or a phase open under key.
func (a *actor[Tx]) holdsAny(key string) bool {
	return a.held[key] != nil && !a.held[key].settled || has(a.phase, key)
}

func has[V any](memory map[string]V, key string) bool {
	_, there := memory[key]
	return there
}

// lives reports whether a claim can be made again: nobody looks for the answer to one whose record would have expired.
func (r *teller[Tx]) lives(c claimed) bool {
	return c.Retention == idem.Forever || r.clock.now().Before(c.at.Add(c.Retention))
}

func (r *teller[Tx]) holds(a *actor[Tx], key string) bool {
	return a.held[key] != nil && !a.held[key].settled
}

// transactions are the keys under which somebody's transaction runs.
func (r *teller[Tx]) transactions() map[string]bool {
	keys := map[string]bool{}
	for _, a := range r.actors {
		for key := range a.held {
			if r.holds(a, key) {
				keys[key] = true
			}
		}
	}
	return keys
}

// open counts transactions and phases.
func (r *teller[Tx]) open() int {
	n := len(r.transactions())
	for _, a := range r.actors {
		n += len(a.phase)
	}
	return n
}

func (n *narrator) claim(free, again bool) string {
	switch {
	case !free:
		return ""
	case again && n.dice.IntN(4) == 0:
		return "claims KEY again"
	}
	return "claims KEY" + n.asked()
}

func (n *narrator) lease(again bool) string {
	if again && n.dice.IntN(4) == 0 {
		return "leases KEY again"
	}
	return "leases KEY" + n.asked() + n.sometimes(2, "lease 10s")
}

// asked are the options of a claim.
func (n *narrator) asked() string {
	return n.sometimes(4, "command "+n.one("B", "?")) + n.sometimes(2, "business "+n.one("o", "p")) +
		" retention " + n.one("1m", "1m", "1h", "forever") + n.program()
}

// program is one that knows the scope from before, both, or the one after it.
func (n *narrator) program() string {
	if !n.scopes {
		return ""
	}
	return n.one("", " scope acme/ann before acme", " scope acme/ann before acme", " scope acme/ann")
}

func (n *narrator) transaction(had, open bool) string {
	switch {
	case open:
		return n.one("writes KEY w", "releases KEY", "completes KEY 201 body", "completes KEY 402 no", "completes KEY 422 no rolling-back",
			"completes KEY 201 large not-kept retention 1h")
	case had:
		return "completes KEY 201 again"
	}
	return ""
}

func (n *narrator) phase(leased, open bool) string {
	name := n.one("a", "b", "c")
	switch {
	case open: // whoever has lost the record may have to wait for the transaction that runs in its place
		return n.one("writes KEY v", "undoes KEY", "commits KEY "+name+" 1", "commits KEY "+name, "commits KEY "+name+" ending 201 body done",
			"commits KEY "+name+" ending 409 body no retention 1h")
	case leased:
		return "opens KEY"
	}
	return ""
}

func (n *narrator) attempt(leased bool) string {
	if !leased {
		return ""
	}
	state := n.one("completed 201 done", "failed 422 no", "retryable", "unknown", "in-flight", "in-flight after 20s", "absent",
		"completed 201 large not-kept")
	return n.one("extends KEY", "extends KEY", "settles KEY "+state+n.sometimes(3, "retention "+n.one("2m", "1h", "forever")))
}

func (n *narrator) takeOver(seen bool) string {
	if !seen {
		return ""
	}
	return "takes KEY" + n.sometimes(2, "lease 10s")
}

// person is somebody who settles by hand.
func (n *narrator) person(known bool) string {
	if !known {
		return ""
	}
	return n.one("inspects KEY", "inspects KEY", "resolves KEY 201 known", "resolves KEY 409 retention 1h", "frees KEY")
}

func (n *narrator) everybody(alone bool) string {
	if alone && n.dice.IntN(20) == 0 {
		return n.one("erases acme", "erases acme ann")
	}
	return n.one("looks KEY"+n.looked(), "looks KEY"+n.looked(), "counts "+n.one("v", "w"), "recovers 99", "sweeps 99", "lists 99",
		fmt.Sprintf("clock +%s", n.one("1ms", "5s", "10s", "30s", "1m", "1h")))
}

func (n *narrator) looked() string {
	if !n.scopes {
		return ""
	}
	return n.sometimes(2, "scope acme/ann")
}
