package idem

import (
	"errors"
	"fmt"
)

// ErrNoQueue says that the store cannot send statements with the completion: it is not a database that takes SQL.
var ErrNoQueue = errors.New("idem: the store takes no queued statements: write through Execution.Tx")

// Queue sends a statement together with the completion, which saves its round trip. Statements run in the order in which they were
// queued, after everything that the handler did through Tx and before the outcome is stored. They are dropped where the handler's
// writes are rolled back; KeepWrites keeps them too.
//
// A statement that fails there fails the completion: nothing is committed, the key is absent, and the client gets 500
// IDEMPOTENCY_COMPLETION_FAILED, or 503 IDEMPOTENCY_TRY_AGAIN for a serialisation failure. What the handler has to look at (a count of
// rows, a violated constraint) belongs through Tx. Queue fails with ErrNoQueue or ErrSettled, and then has queued nothing.
func (ex *Execution[Tx]) Queue(sql string, args ...any) error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.settled {
		return fmt.Errorf("idem: queue a statement: %w", ErrSettled)
	}
	q, ok := ex.held.(Queuer)
	if !ok {
		return fmt.Errorf("idem: operation %s: %w", ex.op.Name, ErrNoQueue)
	}
	q.Queue(sql, args...)
	return nil
}
