package history

import (
	"math"
	"net/http"
	"slices"
	"sync"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

// Call is a request.
type Call struct {
	Key, Command string
	// ID names the request; no other has it.
	ID string
	// Leased: the request may have claimed the key for its command before another attempt brought it to the end that it was told of.
	Leased bool
}

// Kind is what an answer says of the key.
type Kind uint8

const (
	// Lost is no answer, or one that does not say what became of the request.
	Lost Kind = iota
	// Ran is what the request's own run answered.
	Ran
	// Replayed is what another run had answered.
	Replayed
	// Mismatch says that the key belongs to another command.
	Mismatch
	// Nothing says that the request has left nothing behind.
	Nothing
	// claimed is the earlier half of what a leased request did.
	claimed
)

// Answer is what a client was told.
type Answer struct {
	Kind Kind
	// Receipt is what was answered, for Ran and Replayed: the call whose command the handler had, and the handler's run.
	Receipt shop.Receipt
}

// AnswerOf reads an answer of a shop whose handlers send a receipt with every outcome, and none with anything else.
func AnswerOf(a shop.Answer, err error) Answer {
	switch {
	case err != nil:
		return Answer{Kind: Lost}
	case a.Receipt != shop.Receipt{} && a.Replayed:
		return Answer{Replayed, a.Receipt}
	case a.Receipt != shop.Receipt{}:
		return Answer{Ran, a.Receipt}
	case a.Code == idem.CodeMismatch:
		return Answer{Kind: Mismatch}
	case a.Code == idem.CodeInFlight, a.Status < http.StatusInternalServerError:
		return Answer{Kind: Nothing}
	}
	return Answer{Kind: Lost}
}

// Operation is a request with its answer, and when it was under way.
type Operation struct {
	Call
	Answer
	Begin, End int64
}

// Never is the end of an operation that nobody saw end.
const Never int64 = math.MaxInt64

// Recorder collects the operations of clients in one process. It is safe for concurrent use; the zero Recorder is empty.
type Recorder struct {
	mu   sync.Mutex
	time int64
	all  []Operation
}

// Begin records that a request is about to be sent.
func (r *Recorder) Begin(c Call) (id int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.time++
	r.all = append(r.all, Operation{Call: c, Begin: r.time, End: Never})
	return len(r.all) - 1
}

// End records its answer.
func (r *Recorder) End(id int, a Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.time++
	r.all[id].Answer, r.all[id].End = a, r.time
}

// Operations gives what was recorded.
func (r *Recorder) Operations() []Operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}
