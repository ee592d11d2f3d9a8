package idem

import (
	"context"
	"net/http"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Options set what an engine does beyond its contract. The zero Options work.
type Options struct {
	// BasePath is where the API is mounted, without a trailing slash. Empty means the contract's.
	BasePath string
}

// Engine runs handlers at most once for each key. It is safe for concurrent use.
type Engine[Tx any] struct {
	store Store[Tx]
}

// NewEngine checks the contract and ties it to a store. Generated packages wrap it in a NewEngine of their own.
// scope gives the values of contract.Dimensions for the authenticated caller of ctx.
func NewEngine[Tx any](store Store[Tx], contract Contract, scope func(ctx context.Context) ([]string, error), opts Options) (*Engine[Tx], error) {
	panic("idem: NewEngine is built in this slice")
}

// Execution is one run of a handler under a claim.
type Execution[Tx any] struct {
	held Held[Tx]
}

// Tx is the transaction that holds the claim. What the handler writes through it commits together with the stored response.
func (ex *Execution[Tx]) Tx() Tx { return ex.held.Tx() }

// HandlerFunc is business code behind Handle. A returned response is the outcome; a returned error is none.
type HandlerFunc[Tx, Cmd any] func(ctx context.Context, ex *Execution[Tx], cmd Cmd) (Response, error)

// Handle gives the net/http handler of one operation. Generated packages wrap it: Handle<Operation>.
// decode makes the typed command of a request that was claimed; its error is answered with 400 and releases the key.
func Handle[Tx, Cmd any](e *Engine[Tx], op *Operation, decode func(*canon.Request) (Cmd, error), h HandlerFunc[Tx, Cmd]) http.Handler {
	panic("idem: Handle is built in this slice")
}
