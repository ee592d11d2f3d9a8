drop table idempotency_business_keys;
drop table idempotency_phases;
drop table idempotency_records;
