package pgsql

// The statements that end a transaction which claimed. Parameters as in the claim's.

// The savepoint stands between the claim and the handler's writes, so that a failure can be stored without them.
const (
	Savepoint       = `savepoint idemgen_claim`
	RollBackToClaim = `rollback to savepoint idemgen_claim`
	Commit          = `commit`
	Rollback        = `rollback`
	CommitTag       = "COMMIT"
	DivisionByZero  = "22012"
)

// Complete stores the outcome under the fence. It fails when there is no such claim, because the COMMIT that follows it in the
// same round trip must then not happen: dividing by zero is the failure that needs no function to be installed. The setting that
// the claim made is local to its transaction: it is missing when the handler ended that one and began another.
const Complete = `with done as (
  update idempotency_records
     set state = $5::smallint, status = $6::integer, headers = $7::bytea, body = $8::bytea,
         completed_at = coalesce($9::text::timestamptz, clock_timestamp())
   where scope = $1::text and keyspace = $2::text and key = $3::text
     and claim_token = $4::text::uuid and state = 1 and current_setting('idemgen.lock_timeout', true) <> ''
  returning 1
)
select 1 / count(*) from done`

// Begin bounds how long a transaction without a claim may stand still.
const Begin = `select set_config('idle_in_transaction_session_timeout',
  case when $1::bigint > 0 then $1::bigint::text else current_setting('idle_in_transaction_session_timeout') end, true)`
