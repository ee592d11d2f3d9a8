package pgsql

// The statements of leased execution. Parameters as in the claim's. lease_until is not null exactly while an attempt is running or
// its outcome is unknown, so that the index on it holds nothing else. A record under two scopes is changed at the row of its own
// scope alone: its alias has neither state nor token of an attempt.

// TakeOverLease begins the next attempt of a record. What may be taken over is decided on the locked row: a phase or a heartbeat
// that commits meanwhile is waited for. An outcome that has expired never begins again, since its business key is free.
const TakeOverLease = `with found as (
  select scope, keyspace, key, state
    from idempotency_records
   where scope = $1::text and keyspace = $2::text and key = $3::text and claim_token = $4::text::uuid
     and (state = 1 and lease_until <= coalesce($7::text::timestamptz, clock_timestamp())
       or state = 4 and expires_at > coalesce($7::text::timestamptz, clock_timestamp()))
     for update
)
update idempotency_records as r
   set state = 1, attempt = r.attempt + 1, claim_token = $5::text::uuid,
       lease_until = coalesce($7::text::timestamptz, clock_timestamp()) + $6::bigint * interval '1 millisecond'
  from found
 where r.scope = found.scope and r.keyspace = found.keyspace and r.key = found.key
returning found.state, r.scope, r.keyspace, r.key, coalesce(r.alias_scope, ''), r.operation, r.record_id::text, r.attempt,
          r.claim_token::text, r.fingerprints, r.fields, r.request`

// Due takes over what waits longest, each operation with its own lease. The condition on lease_until has now() and not
// clock_timestamp(), which could not be a condition of an index.
const Due = `with found as (
  select r.scope, r.keyspace, r.key, r.state, o.lease
    from idempotency_records as r
    join unnest($1::text[], $2::bigint[]) as o (operation, lease) on o.operation = r.operation
   where r.lease_until <= coalesce($4::text::timestamptz, now()) and r.state = 1
   order by r.lease_until
   limit $3::bigint
     for update of r skip locked
)
update idempotency_records as r
   set attempt = r.attempt + 1, claim_token = gen_random_uuid(),
       lease_until = coalesce($4::text::timestamptz, clock_timestamp()) + found.lease * interval '1 millisecond'
  from found
 where r.scope = found.scope and r.keyspace = found.keyspace and r.key = found.key
returning found.state, r.scope, r.keyspace, r.key, coalesce(r.alias_scope, ''), r.operation, r.record_id::text, r.attempt,
          r.claim_token::text, r.fingerprints, r.fields, r.request`

// PhasesAt reads the phases of the record that an attempt holds. It is a statement of its own, after the takeover: that one may
// have waited for a phase, which it cannot see then.
const PhasesAt = `select p.record_id::text, p.name, p.result
  from idempotency_records as r
  join idempotency_phases as p on p.record_id = r.record_id
 where r.scope = $1::text and r.keyspace = $2::text and r.key = $3::text and r.claim_token = $4::text::uuid
 order by p.position`

// PhasesOf reads the phases of several records.
const PhasesOf = `select record_id::text, name, result
  from idempotency_phases
 where record_id = any ($1::text[]::uuid[])
 order by position`

// Extend gives leases their time anew and says of all others, by their places in the list, whether they are held. It waits for
// nobody: a phase that commits at this moment locks its record, and one such row must not cost the others their lease; the next
// heartbeat gets it. What is lost is read, not concluded from what was not locked. A lease with more than half of its time left is
// let be while it is busy (see busy).
const Extend = `with lease as (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]::uuid[], $5::bigint[], $6::boolean[])
    with ordinality as l (scope, keyspace, key, token, time, busy, place)
), found as (
  select r.scope, r.keyspace, r.key, l.time, l.place
    from lease as l
    join idempotency_records as r on r.scope = l.scope and r.keyspace = l.keyspace and r.key = l.key
   where r.claim_token = l.token and r.state = 1
     and not (l.busy and r.lease_until > coalesce($7::text::timestamptz, clock_timestamp()) + l.time / 2 * interval '1 millisecond')
     for update of r skip locked
), extended as (
  update idempotency_records as r
     set lease_until = coalesce($7::text::timestamptz, clock_timestamp()) + found.time * interval '1 millisecond'
    from found
   where r.scope = found.scope and r.keyspace = found.keyspace and r.key = found.key
)
select l.place,
       exists (select 1 from idempotency_records as r
                where r.scope = l.scope and r.keyspace = l.keyspace and r.key = l.key
                  and r.claim_token = l.token and r.state = 1)
  from lease as l
 where not exists (select 1 from found where found.place = l.place)
 order by l.place`

// Settle ends an attempt, or hands it back ($5 is then 1, and the lease ends after a delay). The stored command goes with the
// outcome. An unknown record's lease has no end, so that nobody looks for it among those that are due.
const Settle = `update idempotency_records
   set state = $5::smallint, status = $6::integer, headers = $7::bytea, body = $8::bytea,
       completed_at = case when $5::smallint = 1 then null else coalesce($11::text::timestamptz, clock_timestamp()) end,
       expires_at = case when $9::bigint = 0 then expires_at
                         when $9::bigint < 0 then 'infinity'::timestamptz
                         else greatest(expires_at, coalesce($11::text::timestamptz, clock_timestamp()) + $9::bigint * interval '1 millisecond') end,
       lease_until = case $5::smallint
                       when 1 then coalesce($11::text::timestamptz, clock_timestamp()) + $10::bigint * interval '1 millisecond'
                       when 5 then 'infinity'::timestamptz end,
       request = case when $5::smallint in (2, 3) then null else request end
 where scope = $1::text and keyspace = $2::text and key = $3::text and claim_token = $4::text::uuid and state = 1`

// BeginPhase travels with BEGIN and a phase's first statement. The mark is local to the transaction: it is missing when the
// handler ended that one and began another. The isolation says whether a heartbeat would disturb the phase.
const BeginPhase = `select set_config('idemgen.phase', 'open', true),
       set_config('idle_in_transaction_session_timeout',
         case when $1::bigint > 0 then $1::bigint::text else current_setting('idle_in_transaction_session_timeout') end, true),
       current_setting('transaction_isolation')`

// Phase records that a phase has happened. A second one of that name violates the primary key.
const Phase = `insert into idempotency_phases (record_id, name, result, recorded_at)
values ($1::text::uuid, $2::text, $3::bytea, coalesce($4::text::timestamptz, clock_timestamp()))`

// KeepPhase is the fence of a phase without an outcome. The lock is enough: whoever takes the record over waits for it, and reads
// the phases after that (see PhasesAt). It fails like Complete.
const KeepPhase = `with kept as (
  select 1
    from idempotency_records
   where scope = $1::text and keyspace = $2::text and key = $3::text
     and claim_token = $4::text::uuid and state = 1 and current_setting('idemgen.phase', true) <> ''
     for update
)
select 1 / count(*) from kept`

// CompletePhase is the fence of a phase with an outcome: Settle for the states 2 and 3, failing like Complete.
const CompletePhase = `with done as (
  update idempotency_records
     set state = $5::smallint, status = $6::integer, headers = $7::bytea, body = $8::bytea,
         completed_at = coalesce($10::text::timestamptz, clock_timestamp()),
         expires_at = case when $9::bigint = 0 then expires_at
                           when $9::bigint < 0 then 'infinity'::timestamptz
                           else greatest(expires_at, coalesce($10::text::timestamptz, clock_timestamp()) + $9::bigint * interval '1 millisecond') end,
         lease_until = null, request = null
   where scope = $1::text and keyspace = $2::text and key = $3::text
     and claim_token = $4::text::uuid and state = 1 and current_setting('idemgen.phase', true) <> ''
  returning 1
)
select 1 / count(*) from done`

// Held asks whether an attempt still holds its record.
const Held = `select count(*) > 0
  from idempotency_records
 where scope = $1::text and keyspace = $2::text and key = $3::text and claim_token = $4::text::uuid and state = 1`

// Doubt makes the outcome unknown of an attempt whose handler ended a phase's transaction itself: what it committed there stays,
// and no later attempt could know.
const Doubt = `update idempotency_records
   set state = 5, lease_until = 'infinity'::timestamptz, completed_at = coalesce($5::text::timestamptz, clock_timestamp())
 where scope = $1::text and keyspace = $2::text and key = $3::text and claim_token = $4::text::uuid and state = 1`
