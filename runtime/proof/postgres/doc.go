// Package postgres proves the protocol on a real PostgreSQL by way of the engine and HTTP: simultaneous duplicates under every
// isolation level, duplicates that must not starve other requests of connections, and PgBouncer in transaction pooling.
//
// # Usage
//
//	go test ./runtime/proof/postgres
//
// Its folder bench prints the figures.
//
// # Not included
//
// Crashes: see the package fire.
//
// The invariant that is otherwise invisible: nothing here is decided by a clock. What must not happen is counted.
package postgres
