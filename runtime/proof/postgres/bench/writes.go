package main

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// The two writes of T with nothing that protects: no bound on waiting or standing still, no savepoint, no fence. It is no variant that
// anybody may use. It shows how much of T's cost is that a record is written at all and how much is the protocol.
const (
	writeRecordSQL = `insert into idempotency_records
  (scope, keyspace, key, operation, record_id, state, claim_token, fingerprints, fields, created_at, expires_at)
values ($1::text, $2::text, $3::text, $4::text, $5::text::uuid, 1, $6::text::uuid, $7::bytea, $8::bytea,
        clock_timestamp(), clock_timestamp() + $9::bigint * interval '1 millisecond')`
	writeOutcomeSQL = `update idempotency_records
   set state = 2, status = $4::integer, headers = $5::bytea, body = $6::bytea, completed_at = clock_timestamp()
 where scope = $1::text and keyspace = $2::text and key = $3::text`
)

// writes is the bare transaction with a record's two writes in its round trips.
func (s side) writes(ctx context.Context) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	c, outcome := newRecord(), created().Response
	b := &pgx.Batch{}
	b.BeginTx(pgx.TxOptions{})
	b.Queue(writeRecordSQL, c.Scope, c.Keyspace, c.Key, c.Operation, c.RecordID.String(), c.Token.String(), c.Fingerprints, c.Fields,
		c.Retention.Milliseconds())
	br := conn.SendBatch(ctx, b)
	if err := br.Close(); err != nil {
		return err
	}
	var id int64
	if err := br.Tx().QueryRow(ctx, insertSQL, int64(100)).Scan(&id); err != nil {
		return err
	}
	b = &pgx.Batch{}
	b.Queue(writeOutcomeSQL, c.Scope, c.Keyspace, c.Key, int32(outcome.Status), []byte("Content-Type: application/json\r\n"), outcome.Body)
	b.Queue("commit")
	return conn.SendBatch(ctx, b).Close()
}
