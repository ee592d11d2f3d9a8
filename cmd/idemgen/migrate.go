package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/runtime/pgstore/schema"
	sqliteschema "github.com/idemgen/idemgen/runtime/sqlstore/schema"
)

// dialects are the databases whose schema can be printed.
var dialects = map[string]dialect{
	"postgresql": {schema.Latest(), schema.Up, schema.Down, schema.Goose},
	"sqlite":     {sqliteschema.Latest(), sqliteschema.Up, sqliteschema.Down, sqliteschema.Goose},
}

// dialect is the schema of one kind of database.
type dialect struct {
	latest          int
	up, down, goose func(after int) string
}

// migrateFlags say what of the schema is printed, and for which tool.
type migrateFlags struct {
	dialect string
	format  string
	down    bool
	after   int
}

func migrateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Print the SQL of the stores' tables",
		Long: `Print the SQL that makes the tables of the store, as one migration, for teams that migrate with a tool of their own.

Dialects: postgresql, the tables of pgstore and sqlstore; sqlite, those of sqlstore. Each counts the versions of its schema by itself.

Formats: plain, a script for psql, sqlite3 and most tools; goose, with both directions in it; golang-migrate, whose second file is that of --down.
A database that has an older version of the schema gets what is newer by --after. Programs of both versions run side by side on it.
No database is touched. A program can call pgstore.Migrate, or Migrate of its sqlstore, instead.`,
		Example: `  idemgen migrate > migrations/0042_idempotency.sql
  idemgen migrate --after 1 > migrations/0043_idempotency.sql
  idemgen migrate --format goose > migrations/00042_idempotency.sql
  idemgen migrate --format golang-migrate > migrations/42_idempotency.up.sql
  idemgen migrate --format golang-migrate --down > migrations/42_idempotency.down.sql
  idemgen migrate --dialect sqlite > migrations/0042_idempotency.sql`,
		Args: noArguments,
	}
	var flags migrateFlags
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&flags.dialect, "dialect", "postgresql", "`database` that it is for: postgresql or sqlite")
	set.StringVar(&flags.format, "format", "plain", "`tool` that will apply it: plain, goose or golang-migrate")
	set.BoolVar(&flags.down, "down", false, "print how to take it back")
	set.IntVar(&flags.after, "after", 0, "only what is newer than this `version` of the schema")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		sql, err := flags.sql()
		if err != nil {
			return err
		}
		_, err = io.WriteString(cmd.OutOrStdout(), sql)
		return err
	}
	return cmd
}

func (f *migrateFlags) sql() (string, error) {
	d, known := dialects[f.dialect]
	switch {
	case !known:
		return "", usagef("--dialect %q: postgresql or sqlite", f.dialect)
	case f.after < 0 || f.after > d.latest:
		return "", usagef("--after %d: the schema has versions 1 to %d", f.after, d.latest)
	case f.after == d.latest:
		return "", usagef("--after %d: that is the newest version", f.after)
	case f.format == "goose" && f.down:
		return "", usagef("--down: a goose migration has both directions in one file")
	case f.format == "goose":
		return d.goose(f.after), nil
	case f.format != "plain" && f.format != "golang-migrate":
		return "", usagef("--format %q: plain, goose or golang-migrate", f.format)
	case f.down:
		return d.down(f.after), nil
	}
	return d.up(f.after), nil
}
