package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/internal/columns"
)

// attempt is one call of Claim or ClaimLease.
type attempt struct {
	store *Store
	claim *idem.Claim
	mode  idem.ExecutionMode
	open  *open // of a transactional claim that won
}

// run claims, or gives what stands there, and decides anew as long as that changes between the two. A database with one writer is read
// first: a replay must not wait for whoever writes, unless he writes under its key.
func (a *attempt) run(ctx context.Context) (won bool, prior idem.Prior, err error) {
	var found columns.Sight
	if !a.store.dialect.single() && !a.store.recent.Knows(a.claim) {
		if won, err := a.take(ctx, &found); won || err != nil {
			return won, a.won(1), err
		}
	}
	for range claimRounds {
		if err := a.store.writers.await(ctx, a.claim); err != nil {
			return false, idem.Prior{}, err
		}
		if found, err = a.look(ctx); err != nil {
			return false, idem.Prior{}, err
		}
		if prior, stands := found.Standing(); stands {
			return a.meet(prior)
		}
		if found.Spent(a.claim) {
			return false, idem.Prior{}, fmt.Errorf("%w: the record that it made has expired", idem.ErrFenced)
		}
		if won, err := a.take(ctx, &found); won || err != nil {
			return won, a.won(1), err
		}
	}
	return false, idem.Prior{}, fmt.Errorf("%w: the record changed %d times while it was read", idem.ErrSerialization, claimRounds)
}

// meet says what a record in the claim's way is to it.
func (a *attempt) meet(prior idem.Prior) (won bool, _ idem.Prior, err error) {
	if !prior.Business {
		a.store.recent.Remember(a.claim)
	}
	if a.mode == idem.Leased && prior.State == idem.StateInFlight && prior.Token == a.claim.Token {
		return true, a.won(prior.Attempt), nil // the answer of an earlier try was lost
	}
	return false, prior, nil
}

// won is what a successful claim reports.
func (a *attempt) won(attempt int) idem.Prior {
	return idem.Prior{
		State: idem.StateAbsent, Operation: a.claim.Operation, RecordID: a.claim.RecordID, Token: a.claim.Token, Attempt: attempt,
	}
}

// take asks for every row of the claim: for each one that was found to be as good as absent by a takeover, for the others by an insert.
// A transactional claim that won leaves its transaction open, with the savepoint after it; a leased one is committed.
func (a *attempt) take(ctx context.Context, found *columns.Sight) (won bool, err error) {
	rows := a.rows(found)
	if a.mode == idem.Leased && len(rows) == 1 {
		n, err := a.store.change(ctx, a.claim, rows[0].sql, rows[0].args...)
		return n == 1, err
	}
	o, err := a.store.begin(ctx, a.claim, sql.LevelDefault)
	if err != nil {
		return false, err
	}
	if won, err = o.claim(ctx, rows); err == nil && won {
		if a.mode == idem.Transactional {
			return true, a.keep(ctx, o)
		}
		err = o.commit(ctx)
	}
	_ = o.close()
	return won && err == nil, err
}

// keep leaves the transaction to the handler, with the savepoint before what he writes.
func (a *attempt) keep(ctx context.Context, o *open) error {
	if _, err := o.tx.ExecContext(ctx, a.store.dialect.texts().mark); err != nil {
		_ = o.close()
		return err
	}
	a.open = o
	return o.keep(ctx)
}

// claim sends the statements of a claim, until one says that somebody else was first.
func (o *open) claim(ctx context.Context, rows []statement) (bool, error) {
	for _, r := range rows {
		n, err := exec(ctx, o.tx, r.sql, r.args...)
		if err != nil || r.needed && n != 1 {
			return false, err
		}
	}
	return true, nil
}

// rows are the statements that take the claim's rows, in the order in which everybody locks them: the record, its alias, its
// business keys.
func (a *attempt) rows(found *columns.Sight) []statement {
	t, now := a.store.dialect.texts(), a.store.clock()
	scopes := columns.ScopesOf(a.claim)
	rows := []statement{either(t.claim, t.takeOver, columns.RecordArgs(a.claim, a.mode, now), tokenAt(found, 0))}
	if len(scopes) > 1 {
		rows = append(rows, either(t.alias, t.aliasTakeOver, columns.AliasArgs(a.claim, now), tokenAt(found, 1)))
	}
	if a.claim.Business != nil {
		for i, scope := range scopes {
			var from string
			if i < len(found.Business) {
				from = found.Business[i].RecordID
			}
			rows = append(rows, either(t.business, t.businessTakeOver, columns.BusinessArgs(a.claim, scope), from))
		}
	}
	for i := range found.Records {
		if r := &found.Records[i]; r.Exists() && r.LeadsTo == "" {
			rows = append(rows, a.store.dialect.belongings([]columns.Doomed{r.Doomed()})...) // what took its place has another id
		}
	}
	return rows
}

// either takes a free row, or the one that was found with from.
func either(free, takeOver string, args []any, from string) statement {
	if from != "" {
		return statement{takeOver, append(args, from), true}
	}
	return statement{free, args, true}
}

func tokenAt(found *columns.Sight, i int) string {
	token, _ := found.Token(i)
	return token
}
