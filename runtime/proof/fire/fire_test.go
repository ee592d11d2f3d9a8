//go:build unix

package fire_test

import (
	"flag"
	"os"
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
	t.Logf("%d keys, %d calls, answers %v, %d restarts, %v, %v", report.Keys, report.Calls, report.Answers, report.Restarts, report.Dealt, report.Events)
	return report
}

func TestTransactional(t *testing.T) {
	report := burn(t, fire.Scenario{Duration: *duration})
	assert.Empty(t, report.Violations, "%s", report.Log)
	requireFire(t, report)
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
	report := burn(t, fire.Scenario{Duration: control(), Store: fire.ReadThenWrite})
	requireViolation(t, report, "effect: ")
	requireViolation(t, report, "fit no order")
}

func requireViolation(t *testing.T, report fire.Report, kind string) {
	t.Helper()
	for _, v := range report.Violations {
		if strings.Contains(v, kind) {
			return
		}
	}
	t.Errorf("the harness found nothing of the kind %q with a store that is wrong", kind)
}

// A database that forgets what it has answered: without the promise of durability there is none of one effect.
func TestControlForgetfulDatabase(t *testing.T) {
	report := burn(t, fire.Scenario{Duration: control(), Forgetful: true})
	requireViolation(t, report, "answer: ")
}
