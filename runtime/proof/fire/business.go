package fire

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

// tablesSQL makes the business's table. It knows no uniqueness: it must not help the store.
const tablesSQL = `create table effects (
  path   text not null,
  key    text not null,
  record uuid not null,
  step   text not null,
  run    text not null,
  born   bigint not null, -- the record, in microseconds
  dies   bigint not null  -- 0: never
)`

// lifeSQL gives the life of the handler's own record, which only it can see. A control that keeps none yet has one that begins now.
const lifeSQL = `select (extract(epoch from born) * 1000000)::bigint,
       case when dies = 'infinity' then 0 else (extract(epoch from dies) * 1000000)::bigint end
  from (select coalesce(min(created_at), clock_timestamp()) as born, coalesce(min(expires_at), 'infinity') as dies
          from idempotency_records where record_id = $1::text::uuid) as life`

const effectSQL = `insert into effects (path, key, record, step, run, born, dies)
values ($1::text, $2::text, $3::text::uuid, $4::text, $5::text, $6::bigint, $7::bigint)`

// finalStep is the step that comes with the outcome.
const finalStep = "final"

// effect is what a run writes.
type effect struct {
	at      place
	record  idem.UUID
	step    string
	receipt shop.Receipt
}

func (e effect) args() []any {
	return []any{e.at.path, e.at.key, e.record.String(), e.step, e.receipt.Run, e.receipt.From, e.receipt.Until}
}

// life reads the life of a record into a receipt.
func life(ctx context.Context, tx pgx.Tx, record idem.UUID, r *shop.Receipt) error {
	return tx.QueryRow(ctx, lifeSQL, record.String()).Scan(&r.From, &r.Until)
}

// errByChance is an error of a transactional handler: no outcome, and nothing left.
var errByChance = errors.New("fire: the handler fails")

// transactional is the handler of op.
func transactional(op *idem.Operation) idem.HandlerFunc[pgx.Tx, shop.Command] {
	return func(ctx context.Context, ex *idem.Execution[pgx.Tx], cmd shop.Command) (idem.Response, error) {
		e := effect{at: placeOf(op.Path, ex.Key(), cmd), record: ex.RecordID(), step: finalStep, receipt: shop.Receipt{Call: cmd.Call, Run: idem.NewUUID().String()}}
		if err := life(ctx, ex.Tx(), ex.RecordID(), &e.receipt); err != nil {
			return idem.Response{}, err
		}
		if err := e.write(ctx, ex); err != nil {
			return idem.Response{}, err
		}
		pauseByChance()
		return endTransactional(ex, e.receipt)
	}
}

// write makes the effect, or queues it to be made with the completion.
func (e effect) write(ctx context.Context, ex *idem.Execution[pgx.Tx]) error {
	if e.at.path != opQueued.Path {
		_, err := ex.Tx().Exec(ctx, effectSQL, e.args()...)
		return err
	}
	err := ex.Queue(effectSQL, e.args()...)
	if errors.Is(err, idem.ErrNoQueue) { // a control
		_, err = ex.Tx().Exec(ctx, effectSQL, e.args()...)
	}
	return err
}

// pauseByChance is the handler's work, now and then a lot of it.
func pauseByChance() {
	d := time.Duration(rand.Int64N(int64(8 * time.Millisecond)))
	if rand.IntN(50) == 0 {
		d = time.Duration(rand.Int64N(int64(deadline)))
	}
	time.Sleep(d)
}

const (
	statusKept    = http.StatusPaymentRequired     // a failure whose writes stay
	statusRefused = http.StatusUnprocessableEntity // one whose writes go
)

// endTransactional ends a run by chance.
func endTransactional(ex *idem.Execution[pgx.Tx], r shop.Receipt) (idem.Response, error) {
	switch dice := rand.IntN(100); {
	case dice < 6:
		return idem.Response{}, errByChance
	case dice < 12:
		return idem.Response{Status: http.StatusTooManyRequests}, nil // excepted
	case dice < 14:
		panic(http.ErrAbortHandler)
	case dice < 30:
		return r.Response(statusRefused)
	case dice < 40:
		ex.KeepWrites()
		return r.Response(statusKept)
	}
	return r.Response(http.StatusCreated)
}

// effectsOf is how many effects an outcome has.
func effectsOf(status int) (int, error) {
	switch status {
	case http.StatusCreated, statusKept:
		return 1, nil
	case statusRefused:
		return 0, nil
	}
	return 0, fmt.Errorf("fire: no handler answers %d", status)
}
