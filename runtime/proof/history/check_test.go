package history_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/idemgen/idemgen/runtime/proof/history"
	"github.com/idemgen/idemgen/runtime/proof/shop"
)

// op is an operation on key k, from and until when.
func op(call, command string, begin, end int64, kind history.Kind, ran string) history.Operation {
	var receipt shop.Receipt
	if ran != "" {
		receipt = shop.Receipt{Call: ran, Run: "run of " + ran}
	}
	return history.Operation{
		Call: history.Call{Key: "k", Command: command, ID: call}, Answer: history.Answer{Kind: kind, Receipt: receipt}, Begin: begin, End: end,
	}
}

func TestHistoriesThatFit(t *testing.T) {
	for name, all := range map[string][]history.Operation{
		"run and replay":          {op("a", "1", 1, 2, history.Ran, "a"), op("b", "1", 3, 4, history.Replayed, "a")},
		"replay ends first":       {op("a", "1", 1, 4, history.Ran, "a"), op("b", "1", 2, 3, history.Replayed, "a")},
		"lost and done":           {op("a", "1", 1, history.Never, history.Lost, ""), op("b", "1", 3, 4, history.Replayed, "a")},
		"lost and not done":       {op("a", "1", 1, 2, history.Lost, ""), op("b", "1", 3, 4, history.Ran, "b")},
		"lost and done later":     {op("a", "1", 1, history.Never, history.Lost, ""), op("b", "1", 2, 3, history.Nothing, ""), op("c", "1", 4, 5, history.Replayed, "a")},
		"mismatch":                {op("a", "1", 1, 2, history.Ran, "a"), op("b", "2", 3, 4, history.Mismatch, "")},
		"mismatch with what runs": {op("a", "1", 1, 4, history.Ran, "a"), op("b", "2", 2, 3, history.Mismatch, "")},
		"mismatch with what was lost, which another run ends": {
			op("a", "1", 1, 2, history.Lost, ""), op("b", "2", 3, 4, history.Mismatch, ""), op("c", "1", 5, 6, history.Ran, "c")},
		"own claim ended by another attempt":     {op("a", "1", 1, 4, history.Replayed, "a"), op("b", "1", 2, 3, history.Nothing, "")},
		"recovered with the first one's command": {op("a", "1", 1, 2, history.Lost, ""), op("b", "1", 3, 4, history.Ran, "a"), op("c", "1", 5, 6, history.Replayed, "a")},
	} {
		assert.NoError(t, history.Check(all, time.Minute), name)
	}
}

// A leased request claims, loses its lease, and is answered with what another one's attempt did: others met its claim meanwhile.
func TestLeasedRequestMayHaveClaimed(t *testing.T) {
	first := op("a", "1", 1, 8, history.Replayed, "c")
	all := []history.Operation{first, op("b", "2", 2, 3, history.Mismatch, ""), op("c", "1", 4, 7, history.Ran, "c")}
	assert.Error(t, history.Check(all, time.Minute))
	all[0].Leased = true
	assert.NoError(t, history.Check(all, time.Minute))
}

func TestHistoriesThatDoNot(t *testing.T) {
	other := op("c", "1", 5, 6, history.Replayed, "a")
	other.Receipt.Run = "another run"
	for name, all := range map[string][]history.Operation{
		"two runs":                   {op("a", "1", 1, 4, history.Ran, "a"), op("b", "1", 2, 3, history.Ran, "b")},
		"replay of what did not run": {op("a", "1", 1, 2, history.Replayed, "b")},
		"replay before the run":      {op("b", "1", 1, 2, history.Replayed, "a"), op("a", "1", 3, 4, history.Ran, "a")},
		"replay to another command":  {op("a", "1", 1, 2, history.Ran, "a"), op("b", "2", 3, 4, history.Replayed, "a")},
		"mismatch without another":   {op("a", "1", 1, 2, history.Ran, "a"), op("b", "1", 3, 4, history.Mismatch, "")},
		"mismatch before it":         {op("b", "2", 1, 2, history.Mismatch, ""), op("a", "1", 3, 4, history.Ran, "a")},
		"run after one":              {op("a", "1", 1, 2, history.Lost, ""), op("b", "1", 3, 4, history.Replayed, "a"), op("c", "1", 5, 6, history.Ran, "c")},
		"two replays differ":         {op("a", "1", 1, 2, history.Lost, ""), op("b", "1", 3, 4, history.Replayed, "a"), other},
		"two lost ones both done": {op("a", "1", 1, 2, history.Lost, ""), op("b", "1", 1, 2, history.Lost, ""),
			op("c", "1", 3, 4, history.Replayed, "a"), op("d", "1", 5, 6, history.Replayed, "b")},
	} {
		assert.ErrorContains(t, history.Check(all, time.Minute), "fit no order", name)
	}
}
