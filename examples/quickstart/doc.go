// Quickstart is a payments API whose retries are safe: openapi.yaml says which operations are idempotent, idemgen generated
// openapiidem from it, and api.go is the business code.
//
// Usage:
//
//	go run ./examples/quickstart [-addr 127.0.0.1:8080] [-store memory|URL] [-tokens alice,bob] [-delay 300ms] [-fail N]
//
// Not included: real authentication. The bearer token is the tenant, checked against a list, for demonstration only.
package main
