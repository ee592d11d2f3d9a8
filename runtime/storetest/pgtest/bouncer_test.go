package pgtest_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/storetest/pgtest"
)

// With one connection to the server, two clients get on with each other only when it is lent for a transaction and no longer.
func TestBouncerPoolsTransactions(t *testing.T) {
	ctx := context.Background()
	cfg := pgtest.Config(t)
	var folder string
	t.Run("clients", func(t *testing.T) {
		through := pgtest.Bouncer(t, cfg, 1)
		through.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
		folder = through.ConnConfig.Host
		var pids [2]uint32
		var schemas [2]string
		for i := range pids {
			conn, err := pgx.ConnectConfig(ctx, through.ConnConfig.Copy())
			require.NoError(t, err)
			defer func() { require.NoError(t, conn.Close(ctx)) }() // stays open beside the other one
			require.NoError(t, conn.QueryRow(ctx, "select pg_backend_pid(), current_schema()").Scan(&pids[i], &schemas[i]))
		}
		require.Equal(t, pids[0], pids[1])
		require.Equal(t, [2]string{cfg.ConnConfig.RuntimeParams["search_path"], cfg.ConnConfig.RuntimeParams["search_path"]}, schemas)
	})
	_, err := os.Stat(folder)
	require.ErrorIs(t, err, os.ErrNotExist)
}
