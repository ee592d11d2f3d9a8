package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Payment is a row.
type Payment struct {
	ID        string
	Merchant  string
	Amount    string // decimal
	Currency  string
	Reference string
	Status    string
	Charge    *string // nil until it is captured
}

const columns = "id, merchant, amount::text, currency, reference, status, charge"

func scan(row pgx.Row) (p Payment, err error) {
	err = row.Scan(&p.ID, &p.Merchant, &p.Amount, &p.Currency, &p.Reference, &p.Status, &p.Charge)
	return p, err
}

const createPayment = `insert into payments (id, merchant, amount, currency, reference)
values ($1, $2, $3::text::numeric, $4, $5)
returning ` + columns

// CreatePaymentParams are the parameters of CreatePayment.
type CreatePaymentParams struct {
	ID        string
	Merchant  string
	Amount    string // decimal
	Currency  string
	Reference string
}

// CreatePayment writes a payment.
func (q *Queries) CreatePayment(ctx context.Context, arg CreatePaymentParams) (Payment, error) {
	return scan(q.db.QueryRow(ctx, createPayment, arg.ID, arg.Merchant, arg.Amount, arg.Currency, arg.Reference))
}

const getPayment = "select " + columns + " from payments where merchant = $1 and id = $2"

// GetPayment reads a payment of a merchant's; pgx.ErrNoRows when there is none.
func (q *Queries) GetPayment(ctx context.Context, merchant, id string) (Payment, error) {
	return scan(q.db.QueryRow(ctx, getPayment, merchant, id))
}

const markCaptured = "update payments set status = 'captured', charge = $3 where merchant = $1 and id = $2 returning " + columns

// MarkCaptured writes that the provider has taken the money, and what it calls that.
func (q *Queries) MarkCaptured(ctx context.Context, merchant, id, charge string) (Payment, error) {
	return scan(q.db.QueryRow(ctx, markCaptured, merchant, id, charge))
}

const markRefunded = "update payments set status = 'refunded' where charge = $1"

// MarkRefunded writes that the provider has given the money back.
func (q *Queries) MarkRefunded(ctx context.Context, charge string) (int64, error) {
	tag, err := q.db.Exec(ctx, markRefunded, charge)
	return tag.RowsAffected(), err
}
