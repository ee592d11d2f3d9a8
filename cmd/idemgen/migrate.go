package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/runtime/pgstore/schema"
)

func migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Print the SQL of the PostgreSQL store",
		Long: `Print the SQL that makes the PostgreSQL store's tables in an empty database, for teams that migrate with a tool of their own.

No database is touched. A program can call pgstore.Migrate instead.`,
		Example:               `  idemgen migrate > migrations/0042_idempotency.sql`,
		DisableFlagsInUseLine: true,
		Args:                  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), schema.SQL())
			return err
		},
	}
}
