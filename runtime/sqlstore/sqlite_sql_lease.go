package sqlstore

// The statements of leased execution, in SQLite's words. lease_until is not null exactly while an attempt is running or its outcome is
// unknown.

// sqliteFindSQL reads what an attempt that is to be taken over has, as far as it may be.
const sqliteFindSQL = `select state, scope, keyspace, key, coalesce(alias_scope, ''), operation, record_id, attempt + 1, ?5,
       fingerprints, fields, request
  from idempotency_records
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?4
   and (state = 1 and lease_until <= ?6 or state = 4 and expires_at > ?6)`

// sqliteFindDueSQL reads what waits longest, of the operations that ?1 lists. The token that it gives is the one from before.
const sqliteFindDueSQL = `select state, scope, keyspace, key, coalesce(alias_scope, ''), operation, record_id, attempt + 1, claim_token,
       fingerprints, fields, request
  from idempotency_records
 where lease_until <= ?2 and state = 1 and operation in (select value from json_each(?1))
 order by lease_until
 limit ?3`

// sqliteAttemptSQL begins the next attempt of a record that was found.
const sqliteAttemptSQL = `update idempotency_records
   set state = 1, attempt = attempt + 1, claim_token = ?5, lease_until = ?7 + ?6
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?4`

// sqlitePhasesOfSQL reads the phases of several records.
const sqlitePhasesOfSQL = `select record_id, name, result
  from idempotency_phases
 where record_id in (select value from json_each(?1))
 order by position`

// sqliteExtendSQL gives a lease its time anew.
const sqliteExtendSQL = `update idempotency_records
   set lease_until = ?6 + ?5
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?4 and state = 1`

// sqliteSettleSQL ends an attempt, or hands it back (?5 is then 1, and the lease ends after a delay). The stored command goes with the
// outcome. An unknown record's lease has no end, so that nobody looks for it among those that are due.
const sqliteSettleSQL = `update idempotency_records
   set state = ?5, status = ?6, headers = ?7, body = ?8,
       completed_at = case when ?5 = 1 then null else ?11 end,
       expires_at = case when ?9 = 0 then expires_at when ?9 < 0 then 9223372036854775807 else max(expires_at, ?11 + ?9) end,
       lease_until = case ?5 when 1 then ?11 + ?10 when 5 then 9223372036854775807 end,
       request = case when ?5 in (2, 3) then null else request end
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?4 and state = 1`

// sqlitePhaseSQL records that a phase has happened; a second one of that name touches no row.
const sqlitePhaseSQL = `insert into idempotency_phases (record_id, name, result, recorded_at)
values (?1, ?2, ?3, ?4)
on conflict (record_id, name) do nothing`

// sqliteKeepPhaseSQL is the fence of a phase without an outcome.
const sqliteKeepPhaseSQL = `update idempotency_records
   set attempt = attempt
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?4 and state = 1`

// sqliteCompletePhaseSQL is the fence of a phase with an outcome.
const sqliteCompletePhaseSQL = `update idempotency_records
   set state = ?5, status = ?6, headers = ?7, body = ?8, completed_at = ?10,
       expires_at = case when ?9 = 0 then expires_at when ?9 < 0 then 9223372036854775807 else max(expires_at, ?10 + ?9) end,
       lease_until = null, request = null
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?4 and state = 1`

// sqliteHeldSQL asks whether an attempt still holds its record.
const sqliteHeldSQL = `select count(*) > 0
  from idempotency_records
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?4 and state = 1`

// sqliteDoubtSQL makes the outcome unknown of an attempt whose handler ended a phase's transaction itself.
const sqliteDoubtSQL = `update idempotency_records
   set state = 5, lease_until = 9223372036854775807, completed_at = ?5
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?4 and state = 1`
