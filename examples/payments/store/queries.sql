-- name: CreatePayment :one
insert into payments (id, merchant, amount, currency, reference)
values ($1, $2, $3::text::numeric, $4, $5)
returning id, merchant, amount::text, currency, reference, status, charge;

-- name: GetPayment :one
select id, merchant, amount::text, currency, reference, status, charge
  from payments
 where merchant = $1 and id = $2;

-- name: MarkCaptured :one
update payments
   set status = 'captured', charge = $3
 where merchant = $1 and id = $2
returning id, merchant, amount::text, currency, reference, status, charge;

-- name: MarkRefunded :execrows
update payments
   set status = 'refunded'
 where charge = $1;
