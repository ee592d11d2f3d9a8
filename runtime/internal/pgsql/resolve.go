package pgsql

// The statements by which people find records and settle them. What waits for people is an unknown outcome, an attempt whose lease
// is over, and a record in flight without a lease, which a transactional handler committed itself. The last kind stands in no index,
// and an id neither: these statements read the whole table of records.

// Stuck gives what waits, since when it does. The names of phases are JSON, which every driver can carry.
const Stuck = `select r.scope, r.keyspace, r.key, coalesce(r.alias_scope, ''), r.operation, r.record_id::text, r.state,
       r.lease_until is not null,
       coalesce(r.lease_until <= coalesce($2::text::timestamptz, clock_timestamp()), false),
       r.attempt, r.created_at, coalesce(r.status, 0),
       coalesce((select json_agg(p.name order by p.position)::text from idempotency_phases as p where p.record_id = r.record_id), '[]')
  from idempotency_records as r
 where r.record_scope is null
   and (r.state = 5 or r.state = 1 and (r.lease_until is null or r.lease_until <= coalesce($2::text::timestamptz, clock_timestamp())))
 order by coalesce(r.completed_at, r.lease_until, r.created_at)
 limit $1::bigint`

// Inspect gives one record.
const Inspect = `select r.scope, r.keyspace, r.key, coalesce(r.alias_scope, ''), r.operation, r.record_id::text, r.state,
       r.lease_until is not null,
       coalesce(r.lease_until <= coalesce($2::text::timestamptz, clock_timestamp()), false),
       r.attempt, r.created_at, coalesce(r.status, 0),
       coalesce((select json_agg(p.name order by p.position)::text from idempotency_phases as p where p.record_id = r.record_id), '[]')
  from idempotency_records as r
 where r.record_id = $1::text::uuid and r.record_scope is null
   and not (r.state in (2, 3, 4) and r.expires_at <= coalesce($2::text::timestamptz, clock_timestamp()))`

// Resolve stores an outcome for a record that is stuck. The new token ($8) fences what is still running of it.
const Resolve = `update idempotency_records
   set state = $2::smallint, status = $3::integer, headers = $4::bytea, body = $5::bytea,
       claim_token = $8::text::uuid, lease_until = null, request = null,
       completed_at = coalesce($7::text::timestamptz, clock_timestamp()),
       expires_at = case when $6::bigint = 0 then expires_at
                         when $6::bigint < 0 then 'infinity'::timestamptz
                         else greatest(expires_at, coalesce($7::text::timestamptz, clock_timestamp()) + $6::bigint * interval '1 millisecond') end
 where record_id = $1::text::uuid and record_scope is null
   and (state = 5 or state = 1 and (lease_until is null or lease_until <= coalesce($7::text::timestamptz, clock_timestamp())))`

// Retry hands a leased record back, as if its first attempt had just ended. One without a lease was transactional: nobody could tell a
// next attempt from a first one. It gets a new token ($3).
const Retry = `update idempotency_records
   set state = 1, attempt = 1, claim_token = $3::text::uuid, completed_at = null,
       lease_until = coalesce($2::text::timestamptz, clock_timestamp())
 where record_id = $1::text::uuid and record_scope is null
   and (state = 5 or state = 1 and lease_until <= coalesce($2::text::timestamptz, clock_timestamp()))`

// LiveContracts counts records by their first fingerprint's contract id: the newest version that whoever wrote the record knew. The whole
// table is read: it is for people, not for requests.
const LiveContracts = `select encode(substring(fingerprints from 1 for 8), 'hex'), count(*)
  from idempotency_records
 where length(fingerprints) >= 8
   and (state in (1, 5) or expires_at > coalesce($1::text::timestamptz, clock_timestamp()))
 group by 1`

// Times reads what a claim does not need: since when a record stands, and the names of its phases. An infinite time is null.
const Times = `select r.created_at, r.completed_at, nullif(r.expires_at, 'infinity'), nullif(r.lease_until, 'infinity'),
       array(select p.name from idempotency_phases as p where p.record_id = r.record_id order by p.position)
  from idempotency_records as r
 where r.scope = $1::text and r.keyspace = $2::text and r.key = $3::text`
