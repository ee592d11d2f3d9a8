package pgstore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/pgstore"
)

func TestLiveContractsCountByTheNewestVersion(t *testing.T) {
	b := newBench(t, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b.store = pgstore.New(b.pool, pgstore.WithClock(func() time.Time { return now }))
	entry := func(first byte) (f idem.Fingerprint) { f.Contract[0] = first; return f }
	put := func(key string, retention time.Duration, versions ...byte) {
		c := newClaim(key)
		c.Retention, c.Fingerprints = retention, nil
		for _, v := range versions {
			c.Fingerprints = idem.AppendFingerprint(c.Fingerprints, entry(v))
		}
		require.NoError(t, b.hold(c).Complete(b.ctx, created()))
	}
	put("a", time.Hour, 2, 1)
	put("b", time.Hour, 2, 1)
	put("c", 2*time.Hour, 1)
	put("forever", idem.Forever, 3)
	put("without", time.Hour)
	live := func() map[string]int64 {
		got, err := b.store.LiveContracts(b.ctx)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, map[string]int64{"0200000000000000": 2, "0100000000000000": 1, "0300000000000000": 1}, live())
	now = now.Add(time.Hour)
	require.Equal(t, map[string]int64{"0100000000000000": 1, "0300000000000000": 1}, live(), "expired exactly now")
	now = now.Add(time.Hour)
	require.Equal(t, map[string]int64{"0300000000000000": 1}, live())
}
