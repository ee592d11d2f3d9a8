package model

import "github.com/idemgen/idemgen/runtime/idem"

// requests is how many there are at a time, apart from the last one, which finds everything quiet.
const requests = 3

// Setting is what is explored. The zero Setting is the protocol with three requests of one command.
type Setting struct {
	Flaw Flaw
	// OtherCommand makes the last request's command another one than the first ones'.
	OtherCommand bool
	// Worker makes the third request the recovery worker: it takes what is due. Leased alone.
	Worker bool
	// Troubles is how many crashes and lost connections there may be. Zero means one.
	Troubles uint8
	// Hold makes the outcome of an attempt that was left unknown. Leased alone.
	Hold bool
}

// Flaw is a mistake; the zero Flaw is none.
type Flaw uint8

// The mistakes of transactional protocols.
const (
	// ReadThenWrite looks for a record, runs, commits, and writes the record then.
	ReadThenWrite Flaw = iota + 1
	// UnguardedTakeover takes an expired record without looking again whether it still is one.
	UnguardedTakeover
	// TimeoutIsDone takes a key that somebody holds for one that somebody will complete.
	TimeoutIsDone
	// ReadInDoubt reads after a commit whose answer was lost, and believes what it does not see.
	ReadInDoubt
	// AnswerFirst tells the client before the commit.
	AnswerFirst
	// EffectOutside lets the handler write outside of the claim's transaction.
	EffectOutside
)

// The mistakes of leased protocols.
const (
	// Unfenced lets every attempt that ever held the record go on with it.
	Unfenced Flaw = iota + 100
	// FenceByAttempt compares the number of the attempt, which begins anew with the next record.
	FenceByAttempt
	// TakesLive takes a record over without looking whether its lease is over.
	TakesLive
	// TakesAnything takes whatever it finds, as an unconditional "do update" does.
	TakesAnything
	// ExpiresInFlight lets a record expire while an attempt runs.
	ExpiresInFlight
	// PhaseApart records a phase after its writes have committed.
	PhaseApart
	// RunsPhasesAgain does not look at what is recorded.
	RunsPhasesAgain
	// OwnResult answers with what the attempt computed, although the fence refused it.
	OwnResult
	// ChargesByAttempt gives the provider a key that is another one in every attempt.
	ChargesByAttempt
)

// command is what request i asks for.
func (s Setting) command(i int) uint8 {
	if s.OtherCommand && i == requests-1 {
		return 2
	}
	return 1
}

// equal: two requests could change names.
func (s Setting) equal(i, j int) bool {
	return s.command(i) == s.command(j) && s.worker(i) == s.worker(j)
}

func (s Setting) worker(i int) bool { return s.Worker && i == requests-1 }

func compare(a, b uint8) idem.Comparison {
	if a == b {
		return idem.SameCommand
	}
	return idem.OtherCommand
}
