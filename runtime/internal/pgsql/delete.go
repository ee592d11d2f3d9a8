package pgsql

// The statements that delete records, with all that belongs to them: candidates are chosen and locked first, and what belongs to
// them is deleted by their primary keys. Except for Free they wait for nobody: what somebody else is working on is left out.

// Sweep chooses records that have expired. now() and not clock_timestamp(), which could not be a condition of the index.
const Sweep = `select scope, keyspace, key, record_id::text, business, coalesce(alias_scope, '')
  from idempotency_records
 where expires_at <= coalesce($2::text::timestamptz, now()) and state in (2, 3, 4)
 order by expires_at
 limit $1::bigint
   for update skip locked`

// SweepAliases deletes aliases whose record is gone or has expired. They go with their records; these are left of records that a
// program without aliases took over. It reads all that has expired, so it belongs at the end of a sweep.
const SweepAliases = `with found as (
  select a.scope, a.keyspace, a.key
    from idempotency_records as a
   where a.expires_at <= coalesce($2::text::timestamptz, now()) and a.record_scope is not null
     and not exists (
           select 1 from idempotency_records as r
            where r.scope = a.record_scope and r.keyspace = a.keyspace and r.key = a.key and r.record_id = a.record_id
              and not (r.state in (2, 3, 4) and r.expires_at <= coalesce($2::text::timestamptz, now())))
   order by a.expires_at
   limit $1::bigint
     for update of a skip locked
)
delete from idempotency_records as a using found
 where a.scope = found.scope and a.keyspace = found.keyspace and a.key = found.key`

// Erase chooses the outcomes of scopes that begin with given values: the scope $1 itself, and all from $2 to $3, which are those
// that go on after a comma.
const Erase = `select scope, keyspace, key, record_id::text, business, coalesce(alias_scope, '')
  from idempotency_records
 where (scope = $1::text or scope >= $2::text and scope < $3::text) and state in (2, 3, 4)
 limit $4::bigint
   for update skip locked`

// EraseAliased chooses the outcomes that stand under such a scope by an alias.
const EraseAliased = `select r.scope, r.keyspace, r.key, r.record_id::text, r.business, coalesce(r.alias_scope, '')
  from idempotency_records as a
  join idempotency_records as r
    on r.scope = a.record_scope and r.keyspace = a.keyspace and r.key = a.key and r.record_id = a.record_id
 where (a.scope = $1::text or a.scope >= $2::text and a.scope < $3::text) and a.record_scope is not null
   and r.state in (2, 3, 4)
 limit $4::bigint
   for update of r skip locked`

// Kept counts what an erasure has left, under either scope.
const Kept = `select count(distinct r.record_id)
  from idempotency_records as a
  join idempotency_records as r
    on r.scope = coalesce(a.record_scope, a.scope) and r.keyspace = a.keyspace and r.key = a.key and r.record_id = a.record_id
 where a.scope = $1::text or a.scope >= $2::text and a.scope < $3::text`

// Free chooses the one record of an id, if it is stuck (see Stuck).
const Free = `select scope, keyspace, key, record_id::text, business, coalesce(alias_scope, '')
  from idempotency_records
 where record_id = $1::text::uuid and record_scope is null
   and (state = 5 or state = 1 and (lease_until is null or lease_until <= coalesce($2::text::timestamptz, clock_timestamp())))
   for update`

// DeletePhases deletes the phases of records.
const DeletePhases = `delete from idempotency_phases where record_id = any ($1::text[]::uuid[])`

// DeleteBusiness deletes the business keys of records. One that somebody is taking over at this moment is his; if he gives up, a
// row stays that leads nowhere, which the next claim of that business key takes.
const DeleteBusiness = `with free as (
  select k.scope, k.keyspace, k.digest
    from unnest($1::text[], $2::text[], $3::bytea[], $4::text[]::uuid[]) as r (scope, keyspace, digest, record_id)
    join idempotency_business_keys as k
      on k.scope = r.scope and k.keyspace = r.keyspace and k.digest = r.digest and k.record_id = r.record_id
     for update of k skip locked
)
delete from idempotency_business_keys as k using free
 where k.scope = free.scope and k.keyspace = free.keyspace and k.digest = free.digest`

// DeleteAliases deletes the aliases of records.
const DeleteAliases = `with free as (
  select a.scope, a.keyspace, a.key
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]::uuid[]) as r (scope, keyspace, key, record_id)
    join idempotency_records as a
      on a.scope = r.scope and a.keyspace = r.keyspace and a.key = r.key and a.record_id = r.record_id
   where a.record_scope is not null
     for update of a skip locked
)
delete from idempotency_records as a using free
 where a.scope = free.scope and a.keyspace = free.keyspace and a.key = free.key`

// DeleteRecords deletes records, which are locked.
const DeleteRecords = `delete from idempotency_records as d
 using unnest($1::text[], $2::text[], $3::text[]) as r (scope, keyspace, key)
 where d.scope = r.scope and d.keyspace = r.keyspace and d.key = r.key`
