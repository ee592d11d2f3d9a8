package fire

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

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
	Unfenced      StoreName = "unfenced"
)

// open gives the store.
func (n StoreName) open(pool *pgxpool.Pool) idem.Store[pgx.Tx] {
	right := pgstore.New(pool)
	switch n {
	case ReadThenWrite:
		return control.ReadThenWrite[pgx.Tx](right)
	case Unfenced:
		return control.Unfenced(right, pool)
	}
	return right
}

// deadline bounds handlers.
func (s Scenario) deadline() time.Duration {
	if s.Leased {
		return 5 * lease
	}
	return deadline
}

const (
	// sweepEvery and recoverEvery are short: it all has to happen.
	sweepEvery   = 100 * time.Millisecond
	recoverEvery = 200 * time.Millisecond
	// deadline bounds transactional handlers. A transaction that is idle for five seconds longer is ended by the server: that is its lease.
	deadline = 500 * time.Millisecond
	// transactionLease is when a frozen process has lost its transactions.
	transactionLease = deadline + 5*time.Second
	// lease is how long a leased attempt may stay silent.
	lease = time.Second
	// briefly is a retention that passes while the scenario runs.
	briefly = 1500 * time.Millisecond
)

// Transactional operations: one that writes through its transaction; one that queues its writes, and whose duplicates wait; one whose
// records expire; one with a business key.
var (
	opOrder  = shop.Operation("order", nil)
	opQueued = shop.Operation("queued", func(op *idem.Operation) { op.Wait = 300 * time.Millisecond })
	opBrief  = shop.Operation("brief", func(op *idem.Operation) { op.Retention = briefly })
	opUnique = shop.Operation("unique", shop.Unique)
)

// Leased operations: three that are recovered, one of whose records expire, one with a business key; and one that the next request
// takes over.
var (
	opPay       = leasedOperation("pay", idem.Recover, 24*time.Hour)
	opPayBrief  = leasedOperation("pay-brief", idem.Recover, briefly)
	opPayUnique = leasedOperation("pay-unique", idem.Recover, 24*time.Hour)
	opRetake    = leasedOperation("retake", idem.Retake, 24*time.Hour)
)

func leasedOperation(name string, takeover idem.TakeoverPolicy, retention time.Duration) *idem.Operation {
	return shop.Operation(name, func(op *idem.Operation) {
		op.Execution, op.Takeover, op.Lease, op.Retention = idem.Leased, takeover, lease, retention
		op.Attempts = 1000 // nobody is there to resolve what is given up
		if name == "pay-unique" {
			shop.Unique(op)
		}
	})
}

func (s Scenario) operations() []*idem.Operation {
	if s.Leased {
		return []*idem.Operation{opPay, opPayBrief, opPayUnique, opRetake}
	}
	return []*idem.Operation{opOrder, opQueued, opBrief, opUnique}
}

// isBrief: the operation's keys are used again when their records have expired.
func isBrief(op *idem.Operation) bool { return op.Retention == briefly }

// brief is isBrief by path.
func (s Scenario) brief(path string) bool {
	return slices.ContainsFunc(s.operations(), func(op *idem.Operation) bool { return op.Path == path && isBrief(op) })
}

// place is where one effect may stand.
type place struct{ path, key string }

func placeOf(path, key string, cmd shop.Command) place {
	return place{path, shop.Identity(path, key, cmd)}
}
