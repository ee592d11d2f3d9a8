drop table idempotency_records;
