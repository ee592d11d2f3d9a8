package fire

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

// phasePause is how long a phase may take: some are under way whenever a process is frozen.
const phasePause = 150 * time.Millisecond

// firstStep is the phase before the provider is asked.
const firstStep = "reserve"

// errUnfinished is an error of a leased handler: the next attempt goes on.
var errUnfinished = errors.New("fire: the handler does not finish")

// payment is the business of a leased operation: reserve, ask the provider, book.
type payment struct {
	op       *idem.Operation
	provider string // URL
	// calm is when nothing fails by chance any more: a recovery that failed would wait for minutes before it tries again.
	calm time.Time
}

// dice is a throw of a hundred; 99 when all is calm.
func (p payment) dice() int {
	if time.Now().After(p.calm) {
		return 99
	}
	return rand.IntN(100)
}

// handle is the handler: it may find that there is nothing to do before it has done anything.
func (p payment) handle(ctx context.Context, l *idem.Lease[pgx.Tx], cmd shop.Command) (idem.Response, error) {
	if p.dice() < 4 {
		return idem.Response{}, idem.NothingDone(errUnfinished)
	}
	return p.pay(ctx, l, cmd)
}

// restore is the recovery: it does what the handler does, since phases that are recorded are not run again.
func (p payment) restore(ctx context.Context, l *idem.Lease[pgx.Tx], cmd shop.Command, _ idem.Prior) (idem.Response, error) {
	return p.pay(ctx, l, cmd)
}

func (p payment) pay(ctx context.Context, l *idem.Lease[pgx.Tx], cmd shop.Command) (idem.Response, error) {
	reserved, err := idem.Phase(ctx, l, firstStep, func(tx pgx.Tx) (shop.Receipt, error) { return p.step(ctx, tx, l, cmd, firstStep) })
	if err != nil {
		return idem.Response{}, err
	}
	at := placeOf(p.op.Path, l.Key(), cmd)
	err = charge{Downstream: l.DownstreamKey("provider"), Path: at.path, Key: at.key, Record: l.RecordID().String()}.ask(ctx, p.provider)
	if err != nil {
		return idem.Response{}, err
	}
	p.pause()
	switch dice := p.dice(); {
	case dice < 4:
		return idem.Response{}, errUnfinished
	case dice < 8:
		return idem.Response{Status: http.StatusServiceUnavailable}, nil // excepted
	case dice < 10:
		panic(http.ErrAbortHandler)
	}
	last := idem.LastPhase[shop.Receipt, pgx.Tx]
	if rand.IntN(2) == 0 {
		last = idem.Phase[shop.Receipt, pgx.Tx] // the outcome gets a transaction of its own
	}
	booked, err := last(ctx, l, finalStep, func(tx pgx.Tx) (shop.Receipt, error) { return p.step(ctx, tx, l, cmd, finalStep) })
	if err != nil {
		return idem.Response{}, err
	}
	booked.From, booked.Until = reserved.From, reserved.Until
	return p.answer(booked)
}

// answer ends a run by chance. What its phases wrote stays, whatever the status is.
func (p payment) answer(r shop.Receipt) (idem.Response, error) {
	if rand.IntN(6) == 0 {
		return r.Response(statusKept)
	}
	return r.Response(http.StatusCreated)
}

// step is what a phase writes.
func (p payment) step(ctx context.Context, tx pgx.Tx, l *idem.Lease[pgx.Tx], cmd shop.Command, name string) (shop.Receipt, error) {
	e := effect{at: placeOf(p.op.Path, l.Key(), cmd), record: l.RecordID(), step: name, receipt: shop.Receipt{Call: cmd.Call, Run: idem.NewUUID().String()}}
	if err := life(ctx, tx, l.RecordID(), &e.receipt); err != nil {
		return shop.Receipt{}, err
	}
	if _, err := tx.Exec(ctx, effectSQL, e.args()...); err != nil {
		return shop.Receipt{}, err
	}
	time.Sleep(time.Duration(rand.Int64N(int64(phasePause))))
	return e.receipt, nil
}

// pause is, now and then, longer than a lease that nobody extends.
func (p payment) pause() {
	if p.dice() < 2 {
		time.Sleep(lease + lease/4)
	}
}
