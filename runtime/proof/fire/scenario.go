package fire

import (
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/runtime/proof/control"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

// Scenario is a run of the harness.
type Scenario struct {
	Duration time.Duration
	// Leased runs leased operations in place of transactional ones.
	Leased bool
	// Store is what the servers keep their records in.
	Store StoreName
	// Forgetful lets the database answer a commit before it is on the disk.
	Forgetful bool
}

// StoreName names the store of a scenario; the zero StoreName is the one that ought to pass.
type StoreName string

// The controls.
const (
	ReadThenWrite StoreName = "read then write"
)

// open gives the store.
func (n StoreName) open(right *pgstore.Store) idem.Store[pgx.Tx] {
	if n == ReadThenWrite {
		return control.ReadThenWrite[pgx.Tx](right)
	}
	return right
}

const (
	// deadline bounds handlers. A transaction that is idle for five seconds longer is ended by the server: that is its lease.
	deadline = 500 * time.Millisecond
	// transactionLease is when a frozen process has lost its transactions.
	transactionLease = deadline + 5*time.Second
	// lease is how long a leased attempt may stay silent.
	lease = time.Second
	// briefly is a retention that passes while the scenario runs.
	briefly = 1500 * time.Millisecond
)

// Transactional operations: one that writes through its transaction; one that queues its writes, and whose duplicates wait; one whose
// records expire.
var (
	opOrder  = shop.Operation("order", nil)
	opQueued = shop.Operation("queued", func(op *idem.Operation) { op.Wait = 300 * time.Millisecond })
	opBrief  = shop.Operation("brief", func(op *idem.Operation) { op.Retention = briefly })
)

func (s Scenario) operations() []*idem.Operation {
	return []*idem.Operation{opOrder, opQueued, opBrief}
}

// isBrief: the operation's keys are used again when their records have expired.
func isBrief(op *idem.Operation) bool { return op.Retention == briefly }
