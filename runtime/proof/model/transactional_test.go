package model_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/proof/model"
)

var deep = flag.Bool("deep", false, "explore with two crashes or lost connections; takes a minute")

func troubles() uint8 {
	if *deep {
		return 2
	}
	return 1
}

func TestTransactional(t *testing.T) {
	for name, set := range map[string]model.Setting{"one command": {}, "another command": {OtherCommand: true}} {
		t.Run(name, func(t *testing.T) {
			set.Troubles = troubles() + 1
			result, violation := model.Transactional(set).Explore()
			require.Nil(t, violation, "%v", violation)
			t.Logf("%+v", result)
			assert.Greater(t, result.States, 10000)
		})
	}
}

func TestFlawedTransactionalIsRefuted(t *testing.T) {
	for name, c := range map[string]struct {
		flaw model.Flaw
		says string
	}{
		"read then write":    {model.ReadThenWrite, "effects: more"},
		"unguarded takeover": {model.UnguardedTakeover, "effects: more"},
		"timeout is done":    {model.TimeoutIsDone, "success without"},
		"read in doubt":      {model.ReadInDoubt, "nothing should be left"},
		"answer first":       {model.AnswerFirst, "success without"},
		"effect outside":     {model.EffectOutside, "effect"},
	} {
		t.Run(name, func(t *testing.T) {
			_, violation := model.Transactional(model.Setting{Flaw: c.flaw}).Explore()
			require.NotNil(t, violation)
			require.Contains(t, violation.String(), c.says)
			t.Log(violation)
		})
	}
}
