package pgsql

// The statements that claim. Every parameter is cast and travels as text, bigint, integer, bytea or an array of those, so that
// each of pgx's five query modes can send it. The database's clock alone counts; a parameter replaces it in tests.
//
// The rows of a claim are locked in one order by everybody: the record, its alias, its business keys. Each statement bounds its
// own wait, and those after the first do nothing unless the record is this claim's.

// Claim takes a free key. One statement does three things, so that a claim needs no more messages than it must:
//
//   - the settings apply before the insert may wait: what lock_timeout was is kept, the wait for another holder is bounded, and
//     a holder that freezes is ended;
//   - the insert is "do nothing", which assigns no transaction id and writes no WAL when the key is taken;
//   - "returning" puts lock_timeout back, since the handler's own statements must not inherit it. It runs after the wait. When
//     no row is inserted it does not run, and the transaction ends before anything else could wait.
//
// The settings stand in a select list because that is evaluated from left to right; the terms of a "where" are not.
const Claim = `insert into idempotency_records
  (scope, keyspace, key, operation, record_id, state, claim_token, fingerprints, fields, created_at, expires_at,
   lease_until, request, business, alias_scope)
select $1::text, $2::text, $3::text, $4::text, $5::text::uuid, 1, $6::text::uuid, $7::bytea, $8::bytea,
       coalesce($12::text::timestamptz, clock_timestamp()),
       case when $9::bigint < 0 then 'infinity'::timestamptz
            else coalesce($12::text::timestamptz, clock_timestamp()) + $9::bigint * interval '1 millisecond' end,
       coalesce($12::text::timestamptz, clock_timestamp()) + $13::bigint * interval '1 millisecond',
       $14::bytea, $15::bytea, $16::text
  from (
    select set_config('idemgen.lock_timeout', current_setting('lock_timeout'), true),
           set_config('lock_timeout', $10::bigint::text, true),
           set_config('idle_in_transaction_session_timeout',
             case when $11::bigint > 0 then $11::bigint::text else current_setting('idle_in_transaction_session_timeout') end, true)
  ) as settings
on conflict (scope, keyspace, key) do nothing
returning set_config('lock_timeout', current_setting('idemgen.lock_timeout'), true)`

// TakeOver makes a row this claim's, as if it had been absent: an expired record, or an alias that leads nowhere. The guard says
// again what was seen, because others may have come first: no row means decide anew. Only states that this program knows as
// ended are taken. Settings as in Claim.
const TakeOver = `update idempotency_records
   set operation = $4::text, record_id = $5::text::uuid, state = 1, attempt = 1, claim_token = $6::text::uuid,
       fingerprints = $7::bytea, fields = $8::bytea,
       created_at = coalesce($12::text::timestamptz, clock_timestamp()), completed_at = null,
       expires_at = case when $9::bigint < 0 then 'infinity'::timestamptz
                         else coalesce($12::text::timestamptz, clock_timestamp()) + $9::bigint * interval '1 millisecond' end,
       lease_until = coalesce($12::text::timestamptz, clock_timestamp()) + $13::bigint * interval '1 millisecond',
       request = $14::bytea, business = $15::bytea, alias_scope = $16::text, record_scope = null,
       status = null, headers = null, body = null
  from (
    select set_config('idemgen.lock_timeout', current_setting('lock_timeout'), true),
           set_config('lock_timeout', $10::bigint::text, true),
           set_config('idle_in_transaction_session_timeout',
             case when $11::bigint > 0 then $11::bigint::text else current_setting('idle_in_transaction_session_timeout') end, true)
  ) as settings
 where scope = $1::text and keyspace = $2::text and key = $3::text and claim_token = $17::text::uuid
   and (record_scope is not null
     or state in (2, 3, 4) and expires_at <= coalesce($12::text::timestamptz, clock_timestamp()))
returning set_config('lock_timeout', current_setting('idemgen.lock_timeout'), true)`

// Alias puts a row under the record's second scope that leads to the record ($7 is the record's own scope). Programs that know
// this scope alone meet it on the primary key. State -1 is none that any program completes, sweeps or runs again.
const Alias = `insert into idempotency_records
  (scope, keyspace, key, operation, record_id, state, claim_token, fingerprints, created_at, expires_at, record_scope)
select $1::text, $2::text, $3::text, $4::text, $5::text::uuid, -1, $6::text::uuid, ''::bytea,
       coalesce($10::text::timestamptz, clock_timestamp()),
       case when $8::bigint < 0 then 'infinity'::timestamptz
            else coalesce($10::text::timestamptz, clock_timestamp()) + $8::bigint * interval '1 millisecond' end,
       $7::text
  from (
    select set_config('idemgen.lock_timeout', current_setting('lock_timeout'), true),
           set_config('lock_timeout', $9::bigint::text, true)
  ) as settings
 where exists (select 1 from idempotency_records
                where scope = $7::text and keyspace = $2::text and key = $3::text and claim_token = $6::text::uuid)
on conflict (scope, keyspace, key) do nothing
returning set_config('lock_timeout', current_setting('idemgen.lock_timeout'), true)`

// AliasTakeOver turns a row that is as good as absent into the alias of this claim's record. Guard as in TakeOver.
const AliasTakeOver = `update idempotency_records
   set operation = $4::text, record_id = $5::text::uuid, state = -1, attempt = 1, claim_token = $6::text::uuid,
       fingerprints = ''::bytea, fields = null,
       created_at = coalesce($10::text::timestamptz, clock_timestamp()), completed_at = null,
       expires_at = case when $8::bigint < 0 then 'infinity'::timestamptz
                         else coalesce($10::text::timestamptz, clock_timestamp()) + $8::bigint * interval '1 millisecond' end,
       lease_until = null, request = null, business = null, alias_scope = null, record_scope = $7::text,
       status = null, headers = null, body = null
  from (
    select set_config('idemgen.lock_timeout', current_setting('lock_timeout'), true),
           set_config('lock_timeout', $9::bigint::text, true)
  ) as settings
 where scope = $1::text and keyspace = $2::text and key = $3::text and claim_token = $11::text::uuid
   and (record_scope is not null
     or state in (2, 3, 4) and expires_at <= coalesce($10::text::timestamptz, clock_timestamp()))
   and exists (select 1 from idempotency_records
                where scope = $7::text and keyspace = $2::text and key = $3::text and claim_token = $6::text::uuid)
returning set_config('lock_timeout', current_setting('idemgen.lock_timeout'), true)`

// Business takes a business key for the claim's record.
const Business = `insert into idempotency_business_keys (scope, keyspace, digest, record_scope, key, record_id)
select $1::text, $2::text, $3::bytea, $4::text, $5::text, $6::text::uuid
  from (
    select set_config('idemgen.lock_timeout', current_setting('lock_timeout'), true),
           set_config('lock_timeout', $8::bigint::text, true)
  ) as settings
 where exists (select 1 from idempotency_records
                where scope = $4::text and keyspace = $2::text and key = $5::text and claim_token = $7::text::uuid)
on conflict (scope, keyspace, digest) do nothing
returning set_config('lock_timeout', current_setting('idemgen.lock_timeout'), true)`

// BusinessTakeOver takes a business key whose record was seen to have expired, or to be gone. The guard is the record's id: what
// has ended never begins again under the same one. It must not ask for the record here, since this statement may have waited
// for somebody whose record it cannot see.
const BusinessTakeOver = `update idempotency_business_keys
   set record_scope = $4::text, key = $5::text, record_id = $6::text::uuid
  from (
    select set_config('idemgen.lock_timeout', current_setting('lock_timeout'), true),
           set_config('lock_timeout', $8::bigint::text, true)
  ) as settings
 where scope = $1::text and keyspace = $2::text and digest = $3::bytea and record_id = $9::text::uuid
   and exists (select 1 from idempotency_records
                where scope = $4::text and keyspace = $2::text and key = $5::text and claim_token = $7::text::uuid)
returning set_config('lock_timeout', current_setting('idemgen.lock_timeout'), true)`

// AllOrNothing fails unless all rows of a leased claim are its own, or none: the COMMIT that follows it in the same round trip
// must not leave a record without its alias or business key. Dividing by zero is the failure that needs no function to be
// installed. It happens when one of the rows belongs to another record, which is rare; that the key is taken is not.
const AllOrNothing = `select 1 / case
    (select count(*) from idempotency_records
      where scope = any ($1::text[]) and keyspace = $2::text and key = $3::text and claim_token = $4::text::uuid)
  + (select count(*) from idempotency_business_keys
      where scope = any ($1::text[]) and keyspace = $2::text and digest = $5::bytea and record_id = $6::text::uuid)
    when 0 then 1 when $7::bigint then 1 else 0 end`

// Select reads a row with what its clocks say. An outcome without a body is one whose body was not kept.
const Select = `select operation, record_id::text, state, attempt, claim_token::text, fingerprints, fields,
       coalesce(status, 0), headers, body, body is null,
       expires_at <= coalesce($4::text::timestamptz, clock_timestamp()),
       lease_until is not null,
       coalesce(lease_until <= coalesce($4::text::timestamptz, clock_timestamp()), false),
       case when state = 1 and lease_until < 'infinity'
            then (extract(epoch from lease_until - coalesce($4::text::timestamptz, clock_timestamp())) * 1000000)::bigint
            else 0 end,
       business, coalesce(alias_scope, ''), coalesce(record_scope, '')
  from idempotency_records
 where scope = $1::text and keyspace = $2::text and key = $3::text`

// SelectBusiness reads to which record a business key leads.
const SelectBusiness = `select record_scope, key, record_id::text
  from idempotency_business_keys
 where scope = $1::text and keyspace = $2::text and digest = $3::bytea`
