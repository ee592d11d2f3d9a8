// Package columns is what the rows of records mean, to every store that keeps them in SQL: the bytes and numbers that stand in
// the columns, and what a claim makes of the rows that it found. Stores that share it read each other's records.
//
// # Guarantees
//
// What is written here is read by every later version: formats have numbers, and a number's format never changes.
//
// # Not included
//
// SQL, drivers, transactions: package pgsql has PostgreSQL's statements, and each store its driver.
//
// The invariant that is otherwise invisible: nothing here decides what a request gets. Records ask idem.Decide.
package columns
