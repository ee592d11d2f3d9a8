package pgstore

import "github.com/jackc/pgx/v5"

// What a statement gives that was sent in one batch with BEGIN. The batch has to be closed where the plain result would free the
// connection by itself.

// foldedResults hides the transaction that the batch began: it is the store's to end.
type foldedResults struct{ pgx.BatchResults }

func (foldedResults) Tx() pgx.Tx { return nil }

// foldedRow closes the batch after its row.
type foldedRow struct {
	row pgx.Row
	br  pgx.BatchResults
}

func (r foldedRow) Scan(dest ...any) error { return closeBatch(r.br, r.row.Scan(dest...)) }

// foldedRows closes the batch at the end of its rows.
type foldedRows struct {
	pgx.Rows
	br  pgx.BatchResults
	err error // of closing
}

// Next goes to the next row.
func (r *foldedRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.finish()
	return false
}

// Close frees the connection.
func (r *foldedRows) Close() {
	r.Rows.Close()
	r.finish()
}

// Err gives what went wrong.
func (r *foldedRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

func (r *foldedRows) finish() { r.err = r.br.Close() } // closing again is nothing
