package pgstore

// The statements by which people find records and settle them. What waits for people is an unknown outcome, an attempt whose lease
// is over, and a record in flight without a lease, which a transactional handler committed itself. The last kind stands in no index,
// and an id neither: these statements read the whole table of records.

// stuckSQL gives what waits, since when it does.
const stuckSQL = `select r.scope, r.keyspace, r.key, coalesce(r.alias_scope, ''), r.operation, r.record_id::text, r.state,
       r.lease_until is not null,
       coalesce(r.lease_until <= coalesce($2::text::timestamptz, clock_timestamp()), false),
       r.attempt, r.created_at, coalesce(r.status, 0),
       array(select p.name from idempotency_phases as p where p.record_id = r.record_id order by p.position)
  from idempotency_records as r
 where r.record_scope is null
   and (r.state = 5 or r.state = 1 and (r.lease_until is null or r.lease_until <= coalesce($2::text::timestamptz, clock_timestamp())))
 order by coalesce(r.completed_at, r.lease_until, r.created_at)
 limit $1::bigint`

// inspectSQL gives one record.
const inspectSQL = `select r.scope, r.keyspace, r.key, coalesce(r.alias_scope, ''), r.operation, r.record_id::text, r.state,
       r.lease_until is not null,
       coalesce(r.lease_until <= coalesce($2::text::timestamptz, clock_timestamp()), false),
       r.attempt, r.created_at, coalesce(r.status, 0),
       array(select p.name from idempotency_phases as p where p.record_id = r.record_id order by p.position)
  from idempotency_records as r
 where r.record_id = $1::text::uuid and r.record_scope is null
   and not (r.state in (2, 3, 4) and r.expires_at <= coalesce($2::text::timestamptz, clock_timestamp()))`

// resolveSQL stores an outcome for a record that is stuck. The new token fences what is still running of it.
const resolveSQL = `update idempotency_records
   set state = $2::smallint, status = $3::integer, headers = $4::bytea, body = $5::bytea,
       claim_token = gen_random_uuid(), lease_until = null, request = null,
       completed_at = coalesce($7::text::timestamptz, clock_timestamp()),
       expires_at = case when $6::bigint = 0 then expires_at
                         when $6::bigint < 0 then 'infinity'::timestamptz
                         else greatest(expires_at, coalesce($7::text::timestamptz, clock_timestamp()) + $6::bigint * interval '1 millisecond') end
 where record_id = $1::text::uuid and record_scope is null
   and (state = 5 or state = 1 and (lease_until is null or lease_until <= coalesce($7::text::timestamptz, clock_timestamp())))`

// retrySQL hands a leased record back, as if its first attempt had just ended. One without a lease was transactional: nobody could tell a
// next attempt from a first one.
const retrySQL = `update idempotency_records
   set state = 1, attempt = 1, claim_token = gen_random_uuid(), completed_at = null,
       lease_until = coalesce($2::text::timestamptz, clock_timestamp())
 where record_id = $1::text::uuid and record_scope is null
   and (state = 5 or state = 1 and lease_until <= coalesce($2::text::timestamptz, clock_timestamp()))`
