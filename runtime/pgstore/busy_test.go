package pgstore_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// A phase in the stricter isolation levels could not be serialised after a heartbeat, so heartbeats let its lease be, for as long as
// more than half of it is left. In read committed they do not disturb each other.
func TestHeartbeatLetsStrictPhasesBe(t *testing.T) {
	for level, strict := range map[string]bool{"read committed": false, "repeatable read": true, "serializable": true} {
		t.Run(level, func(t *testing.T) {
			b := newBench(t, isolated(level))
			l := b.lease(newClaim("k"))
			until := func() (at time.Time) {
				require.NoError(t, b.pool.QueryRow(b.ctx, "select lease_until from idempotency_records").Scan(&at))
				return at
			}
			beat := func() (extended bool) {
				before := until()
				lost, passed, err := b.store.Extend(b.ctx, []idem.LeaseRef{l})
				require.NoError(t, err)
				require.Empty(t, lost)
				extended = !until().Equal(before) // later, unless the machine's clock has been set back
				assert.Equal(t, extended, len(passed) == 0, "it says which it let be")
				return extended
			}
			open := func() idem.HeldPhase[pgx.Tx] {
				held := b.phase(l)
				require.NoError(t, effects.Write(b.ctx, held.Tx(), "w"))
				return held
			}
			held := open()
			assert.Equal(t, !strict, beat())
			b.commit(held, "first", nil)
			assert.True(t, beat(), "the phase is over")
			require.NoError(t, open().Release(b.ctx))
			assert.True(t, beat(), "the phase is over")

			held = open()
			_, err := b.pool.Exec(b.ctx, "update idempotency_records set lease_until = clock_timestamp() + interval '20 seconds'")
			require.NoError(t, err)
			assert.True(t, beat(), "the lease comes first")
			err = held.Commit(b.ctx, idem.PhaseRecord{Name: "second"}, nil)
			if strict {
				require.ErrorIs(t, err, idem.ErrSerialization)
			} else {
				require.NoError(t, err)
			}
			b.commit(open(), "third", nil)
			b.requireHealthy()
		})
	}
}
