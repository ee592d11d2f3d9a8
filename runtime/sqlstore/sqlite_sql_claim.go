package sqlstore

// The statements that claim, in SQLite's words. Parameters are those of package columns, as in PostgreSQL; times are milliseconds, and
// 9223372036854775807 is never. They run under the write lock, so that nothing changes between them; a statement that touches no row
// says that something had changed before.

// sqliteClaimSQL takes a free key.
const sqliteClaimSQL = `insert into idempotency_records
  (scope, keyspace, key, operation, record_id, state, claim_token, fingerprints, fields, created_at, expires_at,
   lease_until, request, business, alias_scope)
values (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?12, case when ?9 < 0 then 9223372036854775807 else ?12 + ?9 end, ?12 + ?13, ?14, ?15, ?16)
on conflict (scope, keyspace, key) do nothing`

// sqliteTakeOverSQL makes a row this claim's, as if it had been absent: an expired record, or an alias that leads nowhere.
const sqliteTakeOverSQL = `update idempotency_records
   set operation = ?4, record_id = ?5, state = 1, attempt = 1, claim_token = ?6, fingerprints = ?7, fields = ?8,
       created_at = ?12, completed_at = null, expires_at = case when ?9 < 0 then 9223372036854775807 else ?12 + ?9 end,
       lease_until = ?12 + ?13, request = ?14, business = ?15, alias_scope = ?16, record_scope = null,
       status = null, headers = null, body = null
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?17
   and (record_scope is not null or state in (2, 3, 4) and expires_at <= ?12)`

// sqliteAliasSQL puts a row under the record's second scope that leads to the record.
const sqliteAliasSQL = `insert into idempotency_records
  (scope, keyspace, key, operation, record_id, state, claim_token, fingerprints, created_at, expires_at, record_scope)
values (?1, ?2, ?3, ?4, ?5, -1, ?6, x'', ?10, case when ?8 < 0 then 9223372036854775807 else ?10 + ?8 end, ?7)
on conflict (scope, keyspace, key) do nothing`

// sqliteAliasTakeOverSQL turns a row that is as good as absent into the alias of this claim's record.
const sqliteAliasTakeOverSQL = `update idempotency_records
   set operation = ?4, record_id = ?5, state = -1, attempt = 1, claim_token = ?6, fingerprints = x'', fields = null,
       created_at = ?10, completed_at = null, expires_at = case when ?8 < 0 then 9223372036854775807 else ?10 + ?8 end,
       lease_until = null, request = null, business = null, alias_scope = null, record_scope = ?7,
       status = null, headers = null, body = null
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?11
   and (record_scope is not null or state in (2, 3, 4) and expires_at <= ?10)`

// sqliteBusinessSQL takes a business key for the claim's record.
const sqliteBusinessSQL = `insert into idempotency_business_keys (scope, keyspace, digest, record_scope, key, record_id)
values (?1, ?2, ?3, ?4, ?5, ?6)
on conflict (scope, keyspace, digest) do nothing`

// sqliteBusinessTakeOverSQL takes a business key whose record was seen to have expired, or to be gone.
const sqliteBusinessTakeOverSQL = `update idempotency_business_keys
   set record_scope = ?4, key = ?5, record_id = ?6
 where scope = ?1 and keyspace = ?2 and digest = ?3 and record_id = ?9`

// sqliteSelectSQL reads a row with what its clocks say. An outcome without a body is one whose body was not kept.
const sqliteSelectSQL = `select operation, record_id, state, attempt, claim_token, fingerprints, fields,
       coalesce(status, 0), headers, body, body is null,
       expires_at <= ?4,
       lease_until is not null,
       coalesce(lease_until <= ?4, 0),
       case when state = 1 and lease_until < 9223372036854775807 then (lease_until - ?4) * 1000 else 0 end,
       business, coalesce(alias_scope, ''), coalesce(record_scope, '')
  from idempotency_records
 where scope = ?1 and keyspace = ?2 and key = ?3`

// sqliteSelectBusinessSQL reads to which record a business key leads.
const sqliteSelectBusinessSQL = `select record_scope, key, record_id
  from idempotency_business_keys
 where scope = ?1 and keyspace = ?2 and digest = ?3`

// sqliteLockSQL takes the write lock and changes nothing: what is the first statement of a transaction waits for the lock, while one
// that has read before fails.
const sqliteLockSQL = `delete from idempotency_records where false`

// sqliteMarkSQL begins the part of a transaction that is the handler's. Whoever ends the transaction by SQL of his own takes the mark
// away, and with it what is needed to store an outcome.
const sqliteMarkSQL = `savepoint idemgen_claim`

// sqliteUnmarkSQL fails when the mark is gone.
const sqliteUnmarkSQL = `release savepoint idemgen_claim`

// sqliteCompleteSQL stores the outcome under the fence.
const sqliteCompleteSQL = `update idempotency_records
   set state = ?5, status = ?6, headers = ?7, body = ?8, completed_at = ?9
 where scope = ?1 and keyspace = ?2 and key = ?3 and claim_token = ?4 and state = 1`

// sqliteRollBackSQL undoes what the handler wrote. The mark stays.
const sqliteRollBackSQL = `rollback to savepoint idemgen_claim`
