package model_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/proof/model"
)

func TestLeased(t *testing.T) {
	for name, set := range map[string]model.Setting{
		"one command": {}, "another command": {OtherCommand: true}, "worker": {Worker: true}, "hold": {Worker: true, Hold: true},
	} {
		if testing.Short() && !set.Hold {
			continue // seconds each, minutes under the race detector, which has nothing to find
		}
		t.Run(name, func(t *testing.T) {
			set.Troubles = troubles()
			result, violation := model.Leased(set).Explore()
			require.Nil(t, violation, "%v", violation)
			t.Logf("%+v", result)
			assert.Greater(t, result.States, 10000)
		})
	}
}

func TestFlawedLeasedIsRefuted(t *testing.T) {
	for name, c := range map[string]struct {
		flaw model.Flaw
		says string
	}{
		"unfenced":           {model.Unfenced, "effects"},
		"fence by attempt":   {model.FenceByAttempt, "effects"},
		"takes live":         {model.TakesLive, "had not run out"},
		"takes anything":     {model.TakesAnything, ""},
		"expires in flight":  {model.ExpiresInFlight, "effects"},
		"phase apart":        {model.PhaseApart, "happened twice"},
		"runs phases again":  {model.RunsPhasesAgain, "happened twice"},
		"own result":         {model.OwnResult, "answers"},
		"charges by attempt": {model.ChargesByAttempt, "two charges"},
	} {
		t.Run(name, func(t *testing.T) {
			_, violation := model.Leased(model.Setting{Flaw: c.flaw}).Explore()
			require.NotNil(t, violation)
			require.Contains(t, violation.String(), c.says)
			t.Log(violation)
		})
	}
}
