// Package schema is the schema of sqlstore's records in SQLite as plain SQL, in numbered migrations. In PostgreSQL sqlstore uses the
// tables of pgstore, whose SQL is in pgstore/schema.
//
// # Usage
//
// A store's Migrate applies it. Teams that migrate with a tool of their own print it, for the sqlite3 shell and for tools that take
// plain scripts (golang-migrate: Up and Down in two files), or for goose:
//
//	fmt.Print(schema.Up(0))   // everything
//	fmt.Print(schema.Goose(0))
//
// # Guarantees
//
// A migration that was published is never changed; a later version of the schema is a further migration. Versions are counted apart
// from those of PostgreSQL. SQLite 3.37 or newer is needed (strict tables).
//
// # Not included
//
// Executing it, and the database's journal mode: "pragma journal_mode = wal" cannot run in a transaction.
//
// The invariant that is otherwise invisible: this package imports no database driver, so that the command-line tool can print the
// schema without linking one.
package schema
