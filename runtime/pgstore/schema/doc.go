// Package schema is the database schema of pgstore as plain SQL, in numbered migrations.
//
// # Usage
//
// pgstore.Migrate applies it. Teams that migrate with a tool of their own print it:
//
//	fmt.Print(schema.SQL())
//
// # Guarantees
//
// A migration that was published is never changed; a later version of the schema is a further migration. Names are not
// qualified: the tables go where the search_path points, and are found there.
//
// # Not included
//
// Executing it; rolling it back.
//
// The invariant that is otherwise invisible: this package imports no database driver, so that the command-line tool can print the
// schema without linking one.
package schema
