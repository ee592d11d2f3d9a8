package sqlstore

// The statements that delete records, and those by which people find and settle them, in SQLite's words.

// sqliteSweepSQL chooses records that have expired.
const sqliteSweepSQL = `select scope, keyspace, key, record_id, business, coalesce(alias_scope, '')
  from idempotency_records
 where expires_at <= ?2 and state in (2, 3, 4)
 order by expires_at
 limit ?1`

// sqliteSweepAliasesSQL deletes aliases whose record is gone or has expired. They go with their records; these are left of records
// whose place was taken by a claim of one scope.
const sqliteSweepAliasesSQL = `delete from idempotency_records
 where rowid in (
   select a.rowid
     from idempotency_records as a
    where a.expires_at <= ?2 and a.record_scope is not null
      and not exists (
            select 1 from idempotency_records as r
             where r.scope = a.record_scope and r.keyspace = a.keyspace and r.key = a.key and r.record_id = a.record_id
               and not (r.state in (2, 3, 4) and r.expires_at <= ?2))
    order by a.expires_at
    limit ?1)`

// sqliteEraseSQL chooses the outcomes of scopes that begin with given values: the scope ?1 itself, and all from ?2 to ?3, which are
// those that go on after a comma.
const sqliteEraseSQL = `select scope, keyspace, key, record_id, business, coalesce(alias_scope, '')
  from idempotency_records
 where (scope = ?1 or scope >= ?2 and scope < ?3) and state in (2, 3, 4)
 limit ?4`

// sqliteEraseAliasedSQL chooses the outcomes that stand under such a scope by an alias.
const sqliteEraseAliasedSQL = `select r.scope, r.keyspace, r.key, r.record_id, r.business, coalesce(r.alias_scope, '')
  from idempotency_records as a
  join idempotency_records as r
    on r.scope = a.record_scope and r.keyspace = a.keyspace and r.key = a.key and r.record_id = a.record_id
 where (a.scope = ?1 or a.scope >= ?2 and a.scope < ?3) and a.record_scope is not null and r.state in (2, 3, 4)
 limit ?4`

// sqliteKeptSQL counts what an erasure has left, under either scope.
const sqliteKeptSQL = `select count(distinct r.record_id)
  from idempotency_records as a
  join idempotency_records as r
    on r.scope = coalesce(a.record_scope, a.scope) and r.keyspace = a.keyspace and r.key = a.key and r.record_id = a.record_id
 where a.scope = ?1 or a.scope >= ?2 and a.scope < ?3`

// sqliteDeletePhasesSQL deletes the phases of a record.
const sqliteDeletePhasesSQL = `delete from idempotency_phases where record_id = ?1`

// sqliteDeleteBusinessSQL deletes a business key, if it still is its record's.
const sqliteDeleteBusinessSQL = `delete from idempotency_business_keys
 where scope = ?1 and keyspace = ?2 and digest = ?3 and record_id = ?4`

// sqliteDeleteAliasSQL deletes the alias of a record.
const sqliteDeleteAliasSQL = `delete from idempotency_records
 where scope = ?1 and keyspace = ?2 and key = ?3 and record_id = ?4 and record_scope is not null`

// sqliteDeleteRecordSQL deletes a record.
const sqliteDeleteRecordSQL = `delete from idempotency_records where scope = ?1 and keyspace = ?2 and key = ?3`

// sqliteFreeSQL chooses the one record of an id, if it is stuck (see sqliteStuckSQL).
const sqliteFreeSQL = `select scope, keyspace, key, record_id, business, coalesce(alias_scope, '')
  from idempotency_records
 where record_id = ?1 and record_scope is null
   and (state = 5 or state = 1 and (lease_until is null or lease_until <= ?2))`

// sqliteStuckSQL gives what waits for people, since when it does.
const sqliteStuckSQL = `select r.scope, r.keyspace, r.key, coalesce(r.alias_scope, ''), r.operation, r.record_id, r.state,
       r.lease_until is not null, coalesce(r.lease_until <= ?2, 0), r.attempt, r.created_at, coalesce(r.status, 0),
       (select json_group_array(name) from (select name from idempotency_phases as p where p.record_id = r.record_id order by position))
  from idempotency_records as r
 where r.record_scope is null
   and (r.state = 5 or r.state = 1 and (r.lease_until is null or r.lease_until <= ?2))
 order by coalesce(r.completed_at, r.lease_until, r.created_at)
 limit ?1`

// sqliteInspectSQL gives one record.
const sqliteInspectSQL = `select r.scope, r.keyspace, r.key, coalesce(r.alias_scope, ''), r.operation, r.record_id, r.state,
       r.lease_until is not null, coalesce(r.lease_until <= ?2, 0), r.attempt, r.created_at, coalesce(r.status, 0),
       (select json_group_array(name) from (select name from idempotency_phases as p where p.record_id = r.record_id order by position))
  from idempotency_records as r
 where r.record_id = ?1 and r.record_scope is null and not (r.state in (2, 3, 4) and r.expires_at <= ?2)`

// sqliteResolveSQL stores an outcome for a record that is stuck. The new token (?8) fences what is still running of it.
const sqliteResolveSQL = `update idempotency_records
   set state = ?2, status = ?3, headers = ?4, body = ?5, claim_token = ?8, lease_until = null, request = null, completed_at = ?7,
       expires_at = case when ?6 = 0 then expires_at when ?6 < 0 then 9223372036854775807 else max(expires_at, ?7 + ?6) end
 where record_id = ?1 and record_scope is null
   and (state = 5 or state = 1 and (lease_until is null or lease_until <= ?7))`

// sqliteRetrySQL hands a leased record back, as if its first attempt had just ended, with a new token (?3).
const sqliteRetrySQL = `update idempotency_records
   set state = 1, attempt = 1, claim_token = ?3, completed_at = null, lease_until = ?2
 where record_id = ?1 and record_scope is null
   and (state = 5 or state = 1 and lease_until <= ?2)`

// sqliteLiveContractsSQL counts records by their first fingerprint's contract id. The whole table is read: it is for people.
const sqliteLiveContractsSQL = `select lower(hex(substr(fingerprints, 1, 8))), count(*)
  from idempotency_records
 where length(fingerprints) >= 8 and (state in (1, 5) or expires_at > ?1)
 group by 1`
