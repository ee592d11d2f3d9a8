package contract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A version goes at the day, plus the day itself, plus the longest retention, plus a day, and not a nanosecond earlier.
func TestPruneWaitsForTheLastRecord(t *testing.T) {
	day := time.Date(2026, 12, 20, 0, 0, 0, 0, time.UTC)
	lock := func(retention string) *Lock {
		return &Lock{Contracts: map[string]*LockedContract{"pay": {Current: 2, Versions: map[int]*LockedVersion{
			1: {ID: "1111111111111111", Retention: retention}, 2: {ID: "2222222222222222", Retention: "24h"},
		}}}}
	}
	end := day.Add(24*time.Hour + 45*24*time.Hour + 24*time.Hour)
	l := lock("45d")
	_, err := l.Prune(Retirement{Number: 1, Since: day}, end.Add(-1))
	require.EqualError(t, err, "version 1 of pay: its last record expires on 2027-02-05 (retention 45d and a day)")
	assert.Len(t, l.Contracts["pay"].Versions, 2)
	pruned, err := l.Prune(Retirement{Number: 1, Since: day}, end)
	require.NoError(t, err)
	assert.Equal(t, []string{"pay@1"}, pruned)
	assert.Equal(t, []string{"1 1111111111111111"}, l.Contracts["pay"].Retired)

	l = lock("forever")
	_, err = l.Prune(Retirement{Number: 1, Since: day}, end.AddDate(100, 0, 0))
	require.ErrorContains(t, err, "never expire")
	assert.Empty(t, l.PruneUnused(map[string]int64{"1111111111111111": 1}))
	assert.Equal(t, []string{"pay@1"}, l.PruneUnused(map[string]int64{"2222222222222222": 1}))
	assert.Len(t, l.Contracts["pay"].Versions, 1)
}
