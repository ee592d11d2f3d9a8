create table idempotency_records (
  scope        text collate "C" not null, -- JSON array of the scope values; the tenant leads
  keyspace     text collate "C" not null,
  key          text collate "C" not null,
  operation    text not null,
  record_id    uuid not null,             -- chosen by a new claim, kept by takeovers
  state        smallint not null,         -- 1 in_flight, 2 completed, 3 failed_replayable, 4 failed_retryable, 5 unknown_requires_recovery
  attempt      integer not null default 1,
  claim_token  uuid not null,             -- chosen by the claimant, new for each attempt: the fence
  fingerprints bytea not null,            -- (contract id, key id, fingerprint) for every live contract version
  fields       bytea,
  request      bytea,
  lease_until  timestamptz,               -- null in transactional execution
  created_at   timestamptz not null,
  completed_at timestamptz,
  expires_at   timestamptz not null,      -- set at every claim and never by a transactional completion, which keeps completions HOT
  status       integer,
  headers      bytea,
  body         bytea,                     -- bytea, not json: bytes come back as they were
  primary key (scope, keyspace, key)
) with (
  fillfactor = 90,                        -- room for the completion on the claim's page: a HOT update
  autovacuum_vacuum_scale_factor = 0,     -- deletes come in a steady stream; vacuum by number, not by share
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_cost_delay = 0
);

create index idempotency_records_expires_at on idempotency_records (expires_at);

-- Not "where state = 1": a column in an index predicate counts as indexed, and no completion would be HOT.
create index idempotency_records_lease_until on idempotency_records (lease_until) where lease_until is not null;

-- lz4 takes a third of the time of the default on large bodies. Servers before 14, or built without it, keep the default.
do $$
begin
  execute 'alter table idempotency_records alter column body set compression lz4';
exception
  when feature_not_supported or syntax_error or invalid_parameter_value then null;
end
$$;
