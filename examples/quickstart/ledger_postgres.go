package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const createEffectsSQL = `
create table if not exists quickstart_effects (
  seq                bigint generated always as identity primary key,
  tenant             text not null,
  id                 text not null,
  kind               text not null,
  payment_id         text not null,
  account_id         text not null,
  amount             text not null,
  currency           text not null,
  merchant_reference text not null
)`

const recordEffectSQL = `
insert into quickstart_effects (tenant, id, kind, payment_id, account_id, amount, currency, merchant_reference)
values ($1, $2, $3, $4, $5, $6, $7, $8)`

const effectColumns = `id, kind, payment_id, account_id, amount, currency, merchant_reference`

const listEffectsSQL = `
select ` + effectColumns + ` from quickstart_effects where tenant = $1 order by seq`

const findPaymentSQL = `
select ` + effectColumns + ` from quickstart_effects where tenant = $1 and id = $2 and kind = 'payment'`

// postgresLedger keeps effects in a table beside the idempotency records.
type postgresLedger struct{ pool *pgxpool.Pool }

func newPostgresLedger(ctx context.Context, pool *pgxpool.Pool) (*postgresLedger, error) {
	if _, err := pool.Exec(ctx, createEffectsSQL); err != nil {
		return nil, fmt.Errorf("quickstart: create the effects table: %w", err)
	}
	return &postgresLedger{pool: pool}, nil
}

func (l *postgresLedger) Record(ctx context.Context, tx pgx.Tx, tenant string, e Effect) error {
	_, err := tx.Exec(ctx, recordEffectSQL, tenant, e.ID, e.Kind, e.PaymentID, e.AccountID, e.Amount, e.Currency, e.MerchantReference)
	return err
}

func (l *postgresLedger) Payment(ctx context.Context, tx pgx.Tx, tenant, id string) (Effect, bool, error) {
	rows, err := tx.Query(ctx, findPaymentSQL, tenant, id)
	if err != nil {
		return Effect{}, false, err
	}
	e, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Effect])
	if errors.Is(err, pgx.ErrNoRows) {
		return Effect{}, false, nil
	}
	return e, err == nil, err
}

func (l *postgresLedger) List(ctx context.Context, tenant string) ([]Effect, error) {
	rows, err := l.pool.Query(ctx, listEffectsSQL, tenant)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Effect])
}
