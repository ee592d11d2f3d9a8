package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/idemgen/idemgen/generator"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

func pruneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "prune [document…]",
		Short: "Take older versions of contracts out of the lock and the generated code",
		Long: `Take older versions of contracts out of the lock and the generated code, when no record needs them any more.

--retired says that the last program which wrote a version has stopped, and on which day (UTC). The version goes when the longest
retention that applied to it, and a day, have passed since: before that, an error says when it may go.
--database asks instead which versions live records were written under, and takes out those without any. Use it when every program
that wrote the older versions has stopped: the database cannot know that.
The lock remembers the numbers of pruned versions; they are never used again.`,
		Example: `  idemgen prune payments.yaml --retired 1=2026-12-20
  idemgen prune payments.yaml --retired createPayment@2=2026-12-20
  idemgen prune payments.yaml --database postgres://localhost/payments`,
	}
	flags := writeFlags(cmd)
	var retired []string
	var database string
	cmd.Flags().StringArrayVar(&retired, "retired", nil, "`version=day` on which its last program stopped; name@version=day for one contract; may be repeated")
	cmd.Flags().StringVar(&database, "database", "", databaseFlag)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		docs, err := given(cmd, flags, args)
		if err != nil {
			return err
		}
		what := generator.Pruning{Now: time.Now().UTC()}
		for _, text := range retired {
			r, err := generator.ParseRetirement(text)
			if err != nil {
				return usagef("--retired %v", err)
			}
			what.Retired = append(what.Retired, r)
		}
		switch {
		case len(retired) == 0 && database == "":
			return usagef("say which versions may go: --retired or --database")
		case database != "":
			err = withStore(cmd.Context(), database, func(ctx context.Context, store *pgstore.Store) (err error) {
				what.Live, err = store.LiveContracts(ctx)
				return err
			})
			if err != nil {
				return err
			}
		}
		return prune(newReport(cmd, flags), docs, what)
	}
	return cmd
}

// prune plans, writes and tells.
func prune(r *report, docs []string, what generator.Pruning) error {
	plan, pruned, findings, err := generator.Prune(docs, what, r.flags.opts)
	r.findings = findings
	if err != nil || r.refused() {
		return r.close(err)
	}
	changes, err := plan.Write()
	for _, p := range plan.Packages {
		for _, name := range pruned[p.Document] {
			r.narrate("pruned    %s", name)
		}
		if len(pruned[p.Document]) == 0 {
			r.narrate("%s: no version can go", filepath.ToSlash(p.Document))
		}
	}
	r.changes(plan, changes)
	return r.close(err)
}
