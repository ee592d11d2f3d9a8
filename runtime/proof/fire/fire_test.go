//go:build unix

package fire_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/proof/fire"
	"github.com/idemgen/idemgen/runtime/proof/history"
)

var duration = flag.Duration("fire", 15*time.Second, "how long a scenario burns")

func TestMain(m *testing.M) {
	if fire.Child() {
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

func burn(t *testing.T, s fire.Scenario) fire.Report {
	t.Helper()
	if testing.Short() {
		s.Duration = min(s.Duration, 5*time.Second)
	}
	report, err := fire.Run(t.Context(), s, t.TempDir())
	require.NoError(t, err)
	t.Logf("%d keys, %d calls, answers %v, %d restarts, %v, %v, %d charges of %d calls", report.Keys, report.Calls, report.Answers,
		report.Restarts, report.Dealt, report.Events, report.Charges, report.ChargeCalls)
	return report
}

func TestTransactional(t *testing.T) {
	report := burn(t, fire.Scenario{Duration: *duration})
	assert.Empty(t, report.Violations, "%s", report.Log)
	requireFire(t, report)
}

func TestLeased(t *testing.T) {
	report := burn(t, fire.Scenario{Duration: *duration, Leased: true})
	assert.Empty(t, report.Violations, "%s", report.Log)
	requireFire(t, report)
	if !testing.Short() {
		assert.Greater(t, report.ChargeCalls, report.Charges, "charges that were asked for again")
		assert.Positive(t, report.Events["took over"])
		assert.Positive(t, report.Events["recovered"])
	}
}

// requireFire: where nothing happens nothing is proved.
func requireFire(t *testing.T, report fire.Report) {
	t.Helper()
	if testing.Short() {
		return
	}
	assert.GreaterOrEqual(t, len(report.Dealt), 8, "kinds of things that happened")
	for _, k := range []history.Kind{history.Lost, history.Ran, history.Replayed, history.Mismatch, history.Nothing} {
		assert.Greater(t, report.Answers[k], 20, "answers of kind %d", k)
	}
}

// The controls. The harness must find them out.

// control is how long a control burns: it is found out soon or never.
func control() time.Duration { return min(*duration/2, 20*time.Second) }

func TestControlReadThenWrite(t *testing.T) {
	requireViolations(t, fire.Scenario{Store: fire.ReadThenWrite}, "effect: ", "fit no order")
}

func TestControlUnfenced(t *testing.T) {
	requireViolations(t, fire.Scenario{Leased: true, Store: fire.Unfenced}, "effect: ")
}

// A database that forgets what it has answered: without the promise of durability there is none of one effect.
func TestControlForgetfulDatabase(t *testing.T) {
	requireViolations(t, fire.Scenario{Forgetful: true}, "answer: ")
}

// requireViolations burns a control, again if chance was on its side, until the harness finds violations of all kinds.
func requireViolations(t *testing.T, s fire.Scenario, kinds ...string) {
	t.Helper()
	s.Duration = control()
	for range 3 {
		violations := burn(t, s).Violations
		found := 0
		for _, kind := range kinds {
			if slices.ContainsFunc(violations, func(v string) bool { return strings.Contains(v, kind) }) {
				found++
			}
		}
		if found == len(kinds) {
			return
		}
	}
	t.Errorf("the harness found nothing of the kinds %q with a control that is wrong", kinds)
}
