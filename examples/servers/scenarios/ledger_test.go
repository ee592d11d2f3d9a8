package scenarios_test

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/examples/servers/business"
)

const ledgerSQL = "create table effects (position bigint generated always as identity, tenant text not null, effect jsonb not null)"

// ledger keeps effects in PostgreSQL, in a table that knows no uniqueness: it must not help.
type ledger struct{ pool *pgxpool.Pool }

func (ledger) Record(ctx context.Context, tx pgx.Tx, tenant string, e business.Effect) error {
	text, err := json.Marshal(e)
	if err == nil {
		_, err = tx.Exec(ctx, "insert into effects (tenant, effect) values ($1, $2::text::jsonb)", tenant, string(text))
	}
	return err
}

func (l ledger) Effects(ctx context.Context, tenant string) ([]business.Effect, error) {
	rows, err := l.pool.Query(ctx, "select effect from effects where tenant = $1 order by position", tenant)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[business.Effect])
}
