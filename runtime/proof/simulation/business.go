package simulation

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/memstore"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

// lease is how long an attempt may stay silent.
const lease = time.Second

// briefly is a retention that passes again and again.
const briefly = 3 * lease

// Operations: of each execution, and of each takeover policy that comes to an end by itself; two whose records expire, and two with business keys.
var (
	opOrder    = shop.Operation("order", nil)
	opWait     = shop.Operation("wait", func(op *idem.Operation) { op.Wait = lease })
	opPay      = leased("pay", idem.Recover)
	opRetake   = leased("retake", idem.Retake)
	opBrief    = brief(shop.Operation("brief", nil))
	opPayBrief = brief(leased("pay-brief", idem.Recover))
	opUnique   = unique(shop.Operation("unique", nil))
	opPayOnce  = unique(leased("pay-unique", idem.Recover))
)

func unique(op *idem.Operation) *idem.Operation {
	shop.Unique(op)
	return op
}

func brief(op *idem.Operation) *idem.Operation {
	op.Retention = briefly
	return op
}

func leased(name string, takeover idem.TakeoverPolicy) *idem.Operation {
	return shop.Operation(name, func(op *idem.Operation) {
		op.Execution, op.Takeover, op.Lease, op.Attempts = idem.Leased, takeover, lease, 1000
	})
}

var operations = []*idem.Operation{opOrder, opWait, opPay, opRetake, opBrief, opPayBrief, opUnique, opPayOnce}

// The steps of a run: a transactional one has the last one alone.
const (
	stepReserve = "reserve"
	stepFinal   = "final"
)

var errByChance = errors.New("simulation: the handler fails")

// effect is one committed write.
type effect struct {
	place
	record   idem.UUID
	step     string
	run      string
	born, at time.Time // when the record was made, and when the write committed
}

// place is where one effect may stand.
type place struct{ path, key string }

func placeOf(op *idem.Operation, key string, cmd shop.Command) place {
	return place{op.Path, shop.Identity(op.Path, key, cmd)}
}

// charge is what the provider was asked for.
type charge struct {
	place
	downstream string
}

// books are what has happened outside of the store.
type books struct {
	mu      sync.Mutex
	effects []effect
	charges map[charge]int // how often it was asked for
}

// write makes the effect part of a transaction.
func (b business) write(ctx context.Context, tx *memstore.Tx, e effect) error {
	record, err := b.records.Inspect(ctx, e.record)
	if err != nil && !errors.Is(err, idem.ErrNoRecord) { // a control has none yet
		return err
	}
	e.born = record.Created
	tx.OnCommit(func() {
		b.books.mu.Lock()
		defer b.books.mu.Unlock()
		e.at = time.Now()
		b.books.effects = append(b.books.effects, e)
	})
	return nil
}

func (b *books) charge(c charge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.charges[c]++
}

// business is the handlers' side of a process. Nothing goes wrong by chance once calm is reached.
type business struct {
	books   *books
	records idem.Resolver
	wire    *wire
	calm    time.Time
}

// dice is a throw of a hundred; 99 when all is calm.
func (b business) dice() int {
	if time.Now().After(b.calm) {
		return 99
	}
	return rand.IntN(100)
}

func (b business) work() {
	d := 5 * time.Millisecond
	if b.dice() < 3 {
		d = 2 * lease
	}
	time.Sleep(time.Duration(rand.Int64N(int64(d))))
}

// order is the transactional handler of op.
func (b business) order(op *idem.Operation) idem.HandlerFunc[*memstore.Tx, shop.Command] {
	return func(ctx context.Context, ex *idem.Execution[*memstore.Tx], cmd shop.Command) (idem.Response, error) {
		receipt := shop.Receipt{Call: cmd.Call, Run: idem.NewUUID().String()}
		e := effect{place: placeOf(op, ex.Key(), cmd), record: ex.RecordID(), step: stepFinal, run: receipt.Run}
		if err := b.write(ctx, ex.Tx(), e); err != nil {
			return idem.Response{}, err
		}
		b.work()
		switch dice := b.dice(); {
		case dice < 8:
			return idem.Response{}, errByChance
		case dice < 12:
			return idem.Response{Status: http.StatusTooManyRequests}, nil
		case dice < 25:
			return receipt.Response(http.StatusUnprocessableEntity)
		case dice < 35:
			ex.KeepWrites()
			return receipt.Response(http.StatusPaymentRequired)
		}
		return receipt.Response(http.StatusCreated)
	}
}

// pay is the leased handler of op, and its recovery.
func (b business) pay(op *idem.Operation) idem.LeaseHandlerFunc[*memstore.Tx, shop.Command] {
	return func(ctx context.Context, l *idem.Lease[*memstore.Tx], cmd shop.Command) (idem.Response, error) {
		if b.dice() < 4 {
			return idem.Response{}, idem.NothingDone(errByChance)
		}
		if _, err := b.step(ctx, op, l, cmd, stepReserve, idem.Phase[shop.Receipt, *memstore.Tx]); err != nil {
			return idem.Response{}, err
		}
		if b.wire.isDead() {
			return idem.Response{}, errDead
		}
		b.books.charge(charge{placeOf(op, l.Key(), cmd), l.DownstreamKey("provider")})
		b.work()
		switch dice := b.dice(); {
		case dice < 8:
			return idem.Response{}, errByChance
		case dice < 12:
			return idem.Response{Status: http.StatusServiceUnavailable}, nil
		}
		last := idem.LastPhase[shop.Receipt, *memstore.Tx]
		if b.dice() < 50 {
			last = idem.Phase[shop.Receipt, *memstore.Tx]
		}
		receipt, err := b.step(ctx, op, l, cmd, stepFinal, last)
		if err != nil {
			return idem.Response{}, err
		}
		if b.dice() < 15 {
			return receipt.Response(http.StatusPaymentRequired)
		}
		return receipt.Response(http.StatusCreated)
	}
}

type phase = func(ctx context.Context, l *idem.Lease[*memstore.Tx], name string, f func(*memstore.Tx) (shop.Receipt, error)) (shop.Receipt, error)

func (b business) step(ctx context.Context, op *idem.Operation, l *idem.Lease[*memstore.Tx], cmd shop.Command, name string, run phase) (shop.Receipt, error) {
	return run(ctx, l, name, func(tx *memstore.Tx) (shop.Receipt, error) {
		receipt := shop.Receipt{Call: cmd.Call, Run: idem.NewUUID().String()}
		err := b.write(ctx, tx, effect{place: placeOf(op, l.Key(), cmd), record: l.RecordID(), step: name, run: receipt.Run})
		b.work()
		return receipt, err
	})
}

// restore is pay as a recovery.
func (b business) restore(op *idem.Operation) idem.RecoverFunc[*memstore.Tx, shop.Command] {
	return func(ctx context.Context, l *idem.Lease[*memstore.Tx], cmd shop.Command, _ idem.Prior) (idem.Response, error) {
		return b.pay(op)(ctx, l, cmd)
	}
}
