// Sqlite is an orders API in one process and one file: openapi.yaml says that placing an order is idempotent, idemgen generated
// openapiidem from it, and orders, stock and idempotency records stand in one SQLite database, so that an order, what is left of its
// article and the stored answer are one commit.
//
// Usage:
//
//	go run ./examples/sqlite [-addr 127.0.0.1:8080] [-db orders.db]
//
//	curl -si 127.0.0.1:8080/orders -H 'Authorization: Bearer ann' -H 'Idempotency-Key: 1' -d '{"article":"tea","quantity":2}'
//
// Its tests are also those of sqlstore on SQLite: the conformance suite with a pure Go driver, several processes on one file, and kill -9.
//
// Not included: real authentication. The bearer token is the customer.
package main
