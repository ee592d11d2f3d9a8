package pgstore_test

// The statements of the program that knew version 1 of the schema alone, as they were. They are never changed: they stand for
// programs that run beside newer ones.

const oldClaimSQL = `insert into idempotency_records
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

const oldTakeOverSQL = `update idempotency_records
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

const oldSelectSQL = `select operation, record_id::text, state, attempt, claim_token::text, fingerprints, fields,
       coalesce(status, 0), headers, body,
       expires_at <= coalesce($4::text::timestamptz, clock_timestamp()),
       lease_until is not null,
       coalesce(lease_until <= coalesce($4::text::timestamptz, clock_timestamp()), false)
  from idempotency_records
 where scope = $1::text and keyspace = $2::text and key = $3::text`

const oldCompleteSQL = `with done as (
  update idempotency_records
     set state = $5::smallint, status = $6::integer, headers = $7::bytea, body = $8::bytea,
         completed_at = coalesce($9::text::timestamptz, clock_timestamp())
   where scope = $1::text and keyspace = $2::text and key = $3::text
     and claim_token = $4::text::uuid and state = 1 and current_setting('idemgen.lock_timeout', true) <> ''
  returning 1
)
select 1 / count(*) from done`
