// Package schema is the database schema of pgstore as plain SQL, in numbered migrations.
//
// # Usage
//
// pgstore.Migrate applies it. Teams that migrate with a tool of their own print it, for psql and for tools that take plain scripts
// (golang-migrate: Up and Down in two files), or for goose:
//
//	fmt.Print(schema.Up(0))   // everything
//	fmt.Print(schema.Up(1))   // what came after version 1
//	fmt.Print(schema.Goose(0))
//
// # Guarantees
//
// A migration that was published is never changed; a later version of the schema is a further migration. Names are not
// qualified: the tables go where the search_path points, and are found there. A program that knows an older version goes on
// working on a newer one.
//
// # Not included
//
// Executing it.
//
// The invariant that is otherwise invisible: this package imports no database driver, so that the command-line tool can print the
// schema without linking one.
package schema
