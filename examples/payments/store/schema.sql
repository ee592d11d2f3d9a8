create table if not exists payments (
  id        text primary key,
  merchant  text not null,
  amount    numeric not null,
  currency  text not null,
  reference text not null,
  status    text not null default 'created',
  charge    text
);
create index if not exists payments_charge on payments (charge);
