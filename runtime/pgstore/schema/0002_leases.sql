-- Leased execution, business keys, and records that stand under two scopes. A program that knows version 1 alone goes on working
-- beside one that knows this: it names none of the new columns, and they are null in the rows that it makes.

alter table idempotency_records
  add column business     bytea,            -- digest of the business key; its rows stand in idempotency_business_keys
  add column alias_scope  text collate "C", -- the record's second scope: a row there leads to this one
  add column record_scope text collate "C"; -- not null: the row is no record, but leads to the record of this scope, if that has
                                            -- the same record_id. Its state is -1, which older programs take for unknown.

-- What the phases of leased executions gave. A table of its own, so that a new claim of an expired key never meets old phases.
create table idempotency_phases (
  record_id   uuid not null,
  name        text collate "C" not null,
  position    bigint generated always as identity, -- the phases of a record happen one after the other; clocks may go back
  result      bytea not null,                      -- JSON text, or sealed
  recorded_at timestamptz not null,
  primary key (record_id, name)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);

-- Business keys that are taken. One whose record has expired, or has gone, is free.
create table idempotency_business_keys (
  scope        text collate "C" not null,
  keyspace     text collate "C" not null,
  digest       bytea not null,
  record_scope text collate "C" not null, -- with keyspace and key: where the record stands
  key          text collate "C" not null,
  record_id    uuid not null,
  primary key (scope, keyspace, digest)
) with (
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);
