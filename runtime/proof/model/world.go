package model

import "errors"

// token is the number of a request's claim.
type token uint8

// none is no token.
const none token = 0

// tokens is a set of them.
type tokens uint16

func (t tokens) has(x token) bool     { return t&(1<<x) != 0 }
func (t tokens) with(x token) tokens  { return t | 1<<x }
func (t tokens) meets(u tokens) bool  { return t&u != 0 }
func (t tokens) within(u tokens) bool { return t&^u == 0 }

// ending is what a handler makes of its run.
type ending uint8

const (
	open     ending = iota
	succeeds        // writes and outcome commit
	refuses         // the outcome commits without the writes
)

// lives is how many there can be.
const lives = 3

// world is what was told and done: what has to hold of it does not depend on the protocol.
type world struct {
	life     uint8        // grows when an expired record ends
	outcome  [lives]token // of each life, as clients were told
	effects  tokens       // whose writes committed
	inLife   uint8        // how many writes committed in the present life
	told     tokens       // told of success
	refused  tokens       // told of a refusal
	nothing  tokens       // told that nothing is left
	conflict bool         // two answers in one life
	foreign  bool         // somebody was told of another command's outcome
	// Leased alone.
	reserved uint8  // how many first phases committed in the present life
	charged  tokens // records for which the provider has charged
	charges  uint8  // how many in the present life
	stolen   bool   // a lease was taken that had not run out
	unpaid   bool   // an outcome was stored without a charge
}

func (w *world) commitEffect(t token) {
	w.effects = w.effects.with(t)
	w.inLife++
}

// pay asks the provider, which knows its keys.
func (w *world) pay(key token) {
	if !w.charged.has(key) {
		w.charged = w.charged.with(key)
		w.charges++
	}
}

// expire ends a life: what comes next is another one's.
func (w *world) expire() {
	w.life++
	w.inLife, w.reserved, w.charges = 0, 0, 0
}

// tell answers with an outcome of a life.
func (w *world) tell(t token, life uint8, e ending) {
	if w.outcome[life] == 0 {
		w.outcome[life] = t
	}
	w.conflict = w.conflict || w.outcome[life] != t
	if e == succeeds {
		w.told = w.told.with(t)
	} else {
		w.refused = w.refused.with(t)
	}
}

func (w *world) check() error {
	switch {
	case w.inLife > 1:
		return errors.New("effects: more than one in one life")
	case w.reserved > 1:
		return errors.New("effects: a first phase happened twice in one life")
	case w.charges > 1:
		return errors.New("effects: two charges in one life")
	case w.stolen:
		return errors.New("leases: one was taken that had not run out")
	case w.unpaid:
		return errors.New("effects: an outcome without a charge")
	case w.conflict:
		return errors.New("answers: two in one life")
	case w.foreign:
		return errors.New("answers: another command's outcome")
	case !w.told.within(w.effects):
		return errors.New("answers: success without an effect")
	case w.refused.meets(w.effects):
		return errors.New("answers: refusal with an effect")
	case w.nothing.meets(w.effects):
		return errors.New("answers: an effect where nothing should be left")
	}
	return nil
}

// renumber gives tokens that are still in use, those that were told among them, the smallest numbers, and forgets the others: what was told of them, and whether they
// had their effect, has been checked and stays as it is. Without it equal states would look different.
func (w *world) renumber(inUse ...*token) {
	for i := range w.outcome {
		inUse = append(inUse, &w.outcome[i])
	}
	var numbers [8 * lives]token
	var issued token
	var effects, told, refused, nothing, charged tokens
	for _, t := range inUse {
		if *t == none {
			continue
		}
		if numbers[*t] == none {
			issued++
			numbers[*t] = issued
			effects, told = effects.move(w.effects, *t, issued), told.move(w.told, *t, issued)
			refused, nothing = refused.move(w.refused, *t, issued), nothing.move(w.nothing, *t, issued)
			charged = charged.move(w.charged, *t, issued)
		}
		*t = numbers[*t]
	}
	w.effects, w.told, w.refused, w.nothing, w.charged = effects, told, refused, nothing, charged
}

// move gives t with the number if from has the token.
func (t tokens) move(from tokens, old, number token) tokens {
	if from.has(old) {
		return t.with(number)
	}
	return t
}
