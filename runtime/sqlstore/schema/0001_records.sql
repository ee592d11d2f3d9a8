create table idempotency_records (
  scope        text not null,                -- JSON array of the scope values; the tenant leads
  keyspace     text not null,
  key          text not null,
  operation    text not null,
  record_id    text not null,                -- chosen by a new claim, kept by takeovers
  state        integer not null,             -- 1 in_flight, 2 completed, 3 failed_replayable, 4 failed_retryable, 5 unknown_requires_recovery
  attempt      integer not null default 1,
  claim_token  text not null,                -- chosen by the claimant, new for each attempt: the fence
  fingerprints blob not null,                -- (contract id, key id, fingerprint) for every live contract version
  fields       blob,
  request      blob,
  lease_until  integer,                      -- null in transactional execution
  created_at   integer not null,             -- times are milliseconds since 1970; 9223372036854775807 is never
  completed_at integer,
  expires_at   integer not null,
  status       integer,
  headers      blob,
  body         blob,                         -- null in an outcome: the body was not kept
  business     blob,                         -- digest of the business key; its rows stand in idempotency_business_keys
  alias_scope  text,                         -- the record's second scope: a row there leads to this one
  record_scope text,                         -- not null: the row is no record, but leads to the record of this scope, if that has
                                             -- the same record_id. Its state is -1.
  primary key (scope, keyspace, key)
) strict;

create index idempotency_records_expires_at on idempotency_records (expires_at);

create index idempotency_records_lease_until on idempotency_records (lease_until) where lease_until is not null;

-- What the phases of leased executions gave. A table of its own, so that a new claim of an expired key never meets old phases.
create table idempotency_phases (
  position    integer primary key,           -- the phases of a record happen one after the other
  record_id   text not null,
  name        text not null,
  result      blob not null,                 -- JSON text, or sealed
  recorded_at integer not null,
  unique (record_id, name)
) strict;

-- Business keys that are taken. One whose record has expired, or has gone, is free.
create table idempotency_business_keys (
  scope        text not null,
  keyspace     text not null,
  digest       blob not null,
  record_scope text not null,                -- with keyspace and key: where the record stands
  key          text not null,
  record_id    text not null,
  primary key (scope, keyspace, digest)
) strict, without rowid;
