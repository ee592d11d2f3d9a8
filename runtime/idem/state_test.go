package idem_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

// The table of the design, written a second time in its own words: condition, then what T and L answer to the same command,
// another one, and one that cannot be compared.
var designTable = []struct {
	name                    string
	condition               idem.Condition
	transactional, inLeased [3]idem.Action
}{
	{"absent", idem.ConditionAbsent, same(idem.ActClaim), same(idem.ActClaim)},
	{"expired", idem.ConditionExpired, same(idem.ActClaim), same(idem.ActClaim)},
	{"in flight, alive", idem.ConditionInFlight, same(idem.ActInFlight), otherwise(idem.ActInFlight)},
	{"in flight, lease over", idem.ConditionLeaseOver, same(idem.ActInFlight), otherwise(idem.ActTakeOver)},
	{"completed", idem.ConditionCompleted, otherwise(idem.ActReplay), otherwise(idem.ActReplay)},
	{"failed replayable", idem.ConditionFailedReplayable, otherwise(idem.ActReplay), otherwise(idem.ActReplay)},
	{"failed retryable", idem.ConditionFailedRetryable, otherwise(idem.ActNextAttempt), otherwise(idem.ActNextAttempt)},
	{"unknown", idem.ConditionUnknown, otherwise(idem.ActUnknown), otherwise(idem.ActUnknown)},
}

func same(a idem.Action) [3]idem.Action { return [3]idem.Action{a, a, a} }

// otherwise is what every row says that compares: 422 for another command, 503 where nothing can be compared.
func otherwise(forSame idem.Action) [3]idem.Action {
	return [3]idem.Action{forSame, idem.ActMismatch, idem.ActIncomparable}
}

func TestDecideFollowsTheDesign(t *testing.T) {
	comparisons := [3]idem.Comparison{idem.SameCommand, idem.OtherCommand, idem.NotComparable}
	for _, row := range designTable {
		for i, comparison := range comparisons {
			assert.Equal(t, row.transactional[i], idem.Decide(row.condition, comparison, idem.Transactional), "%s, T, %d", row.name, comparison)
			assert.Equal(t, row.inLeased[i], idem.Decide(row.condition, comparison, idem.Leased), "%s, L, %d", row.name, comparison)
		}
	}
	require.Len(t, designTable, int(idem.Conditions), "every condition has a row")
	require.EqualValues(t, len(comparisons), idem.Comparisons)
}

func TestConditionOfEveryState(t *testing.T) {
	type clocks struct{ expired, leaseOver bool }
	all := []clocks{{false, false}, {true, false}, {false, true}, {true, true}}
	want := map[idem.State][4]idem.Condition{ // in the order of all
		idem.StateAbsent: {idem.ConditionAbsent, idem.ConditionAbsent, idem.ConditionAbsent, idem.ConditionAbsent},
		// Expiry means nothing to a record in flight or unknown, and a lease nothing to one that is settled.
		idem.StateInFlight:         {idem.ConditionInFlight, idem.ConditionInFlight, idem.ConditionLeaseOver, idem.ConditionLeaseOver},
		idem.StateCompleted:        {idem.ConditionCompleted, idem.ConditionExpired, idem.ConditionCompleted, idem.ConditionExpired},
		idem.StateFailedReplayable: {idem.ConditionFailedReplayable, idem.ConditionExpired, idem.ConditionFailedReplayable, idem.ConditionExpired},
		idem.StateFailedRetryable:  {idem.ConditionFailedRetryable, idem.ConditionExpired, idem.ConditionFailedRetryable, idem.ConditionExpired},
		idem.StateUnknown:          {idem.ConditionUnknown, idem.ConditionUnknown, idem.ConditionUnknown, idem.ConditionUnknown},
	}
	require.Len(t, want, int(idem.StateUnknown)+1)
	for state, conditions := range want {
		for i, c := range all {
			t.Run(fmt.Sprint(state, c), func(t *testing.T) {
				assert.Equal(t, conditions[i], idem.ConditionOf(state, c.expired, c.leaseOver))
			})
		}
	}
	assert.Equal(t, idem.ConditionUnknown, idem.ConditionOf(idem.StateUnknown+1, false, false),
		"a state of a newer runtime is never run again")
}

func TestStatesAreStoredAsTheDesignNumbersThem(t *testing.T) {
	assert.Equal(t, []idem.State{0, 1, 2, 3, 4, 5}, []idem.State{
		idem.StateAbsent, idem.StateInFlight, idem.StateCompleted, idem.StateFailedReplayable, idem.StateFailedRetryable, idem.StateUnknown,
	})
}
