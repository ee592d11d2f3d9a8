package pgstore

// The statements of the transactional protocol. Every parameter is cast and travels as text, bigint, integer or bytea, so that
// each of pgx's five query modes can send it. The database's clock alone counts; a parameter replaces it in tests.

// claimSQL takes a free key. One statement does three things, so that a claim needs no more messages than it must:
//
//   - the settings apply before the insert may wait: what lock_timeout was is kept, the wait for another holder is bounded, and
//     a holder that freezes is ended;
//   - the insert is "do nothing", which assigns no transaction id and writes no WAL when the key is taken;
//   - "returning" puts lock_timeout back, since the handler's own statements must not inherit it. It runs after the wait. When
//     no row is inserted it does not run, and the transaction ends before anything else could wait.
//
// The settings stand in a select list because that is evaluated from left to right; the terms of a "where" are not.
const claimSQL = `insert into idempotency_records
  (scope, keyspace, key, operation, record_id, state, claim_token, fingerprints, fields, created_at, expires_at)
select $1::text, $2::text, $3::text, $4::text, $5::text::uuid, 1, $6::text::uuid, $7::bytea, $8::bytea,
       coalesce($12::text::timestamptz, clock_timestamp()),
       case when $9::bigint < 0 then 'infinity'::timestamptz
            else coalesce($12::text::timestamptz, clock_timestamp()) + $9::bigint * interval '1 millisecond' end
  from (
    select set_config('idemgen.lock_timeout', current_setting('lock_timeout'), true),
           set_config('lock_timeout', $10::bigint::text, true),
           set_config('idle_in_transaction_session_timeout',
             case when $11::bigint > 0 then $11::bigint::text else current_setting('idle_in_transaction_session_timeout') end, true)
  ) as settings
on conflict (scope, keyspace, key) do nothing
returning set_config('lock_timeout', current_setting('idemgen.lock_timeout'), true)`

// takeOverSQL makes an expired record this claim's, as if it had been absent. The guard says again what the decision was, because
// others may have come first: no row means decide anew. Settings as in claimSQL.
const takeOverSQL = `update idempotency_records
   set operation = $4::text, record_id = $5::text::uuid, state = 1, attempt = 1, claim_token = $6::text::uuid,
       fingerprints = $7::bytea, fields = $8::bytea, request = null, lease_until = null,
       created_at = coalesce($12::text::timestamptz, clock_timestamp()), completed_at = null,
       expires_at = case when $9::bigint < 0 then 'infinity'::timestamptz
                         else coalesce($12::text::timestamptz, clock_timestamp()) + $9::bigint * interval '1 millisecond' end,
       status = null, headers = null, body = null
  from (
    select set_config('idemgen.lock_timeout', current_setting('lock_timeout'), true),
           set_config('lock_timeout', $10::bigint::text, true),
           set_config('idle_in_transaction_session_timeout',
             case when $11::bigint > 0 then $11::bigint::text else current_setting('idle_in_transaction_session_timeout') end, true)
  ) as settings
 where scope = $1::text and keyspace = $2::text and key = $3::text
   and state not in (1, 5) and expires_at <= coalesce($12::text::timestamptz, clock_timestamp())
returning set_config('lock_timeout', current_setting('idemgen.lock_timeout'), true)`

// The savepoint stands between the claim and the handler's writes, so that a failure can be stored without them.
const (
	savepointSQL         = `savepoint idemgen_claim`
	rollBackToClaimSQL   = `rollback to savepoint idemgen_claim`
	commitSQL            = `commit`
	rollbackSQL          = `rollback`
	commitTag            = "COMMIT"
	sqlstateDivisionZero = "22012"
)

// selectSQL reads a record with what its clocks say.
const selectSQL = `select operation, record_id::text, state, attempt, claim_token::text, fingerprints, fields,
       coalesce(status, 0), headers, body,
       expires_at <= coalesce($4::text::timestamptz, clock_timestamp()),
       lease_until is not null,
       coalesce(lease_until <= coalesce($4::text::timestamptz, clock_timestamp()), false)
  from idempotency_records
 where scope = $1::text and keyspace = $2::text and key = $3::text`

// completeSQL stores the outcome under the fence. It fails when there is no such claim, because the COMMIT that follows it in the
// same round trip must then not happen: dividing by zero is the failure that needs no function to be installed. The setting that
// the claim made is local to its transaction: it is missing when the handler ended that one and began another.
const completeSQL = `with done as (
  update idempotency_records
     set state = $5::smallint, status = $6::integer, headers = $7::bytea, body = $8::bytea,
         completed_at = coalesce($9::text::timestamptz, clock_timestamp())
   where scope = $1::text and keyspace = $2::text and key = $3::text
     and claim_token = $4::text::uuid and state = 1 and current_setting('idemgen.lock_timeout', true) <> ''
  returning 1
)
select 1 / count(*) from done`

// beginSQL bounds how long a transaction without a claim may stand still.
const beginSQL = `select set_config('idle_in_transaction_session_timeout',
  case when $1::bigint > 0 then $1::bigint::text else current_setting('idle_in_transaction_session_timeout') end, true)`
