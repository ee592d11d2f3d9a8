// Package pgsql holds the statements of records in PostgreSQL, which pgstore sends through pgx and sqlstore through database/sql.
// Having them once is what lets programs of both kinds work on one database.
//
// # Guarantees
//
// Every parameter is cast in the text and may travel as text, bigint, integer, boolean or bytea, or as an array of those, which a driver
// without arrays sends as the text of one.
//
// # Not included
//
// The schema (pgstore/schema), and the order in which statements are sent.
//
// The invariant that is otherwise invisible: each statement is one constant, and nothing is ever put together from parts.
package pgsql
