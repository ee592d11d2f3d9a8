drop table idempotency_business_keys;
drop table idempotency_phases;

-- Aliases are no records, and nothing would tell them from records any more.
delete from idempotency_records where record_scope is not null;

alter table idempotency_records
  drop column record_scope,
  drop column alias_scope,
  drop column business;
