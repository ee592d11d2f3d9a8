package textgen

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// What the runtime's source says of codes.
var (
	constant = regexp.MustCompile(`(?m)^\t(Code\w+)\s+Code = "(\w+)"$`)
	kind     = regexp.MustCompile(`(?s)case (Code\w+):\n\t\treturn kindOf\{(\d+), (nil|unavailable|func\(s \*Statuses\) int \{ return s\.(\w+) \}), "[^"]*",\s*"[^"]*", (?:0|(?:(\d+) \* )?time\.Second)\}`)
)

// What the runtime answers stands in a function that it does not export; its source is read, so that a code which is added there, another
// status or another time fails here.
func TestAnswersAreTheRuntimes(t *testing.T) {
	source, err := os.ReadFile("../../runtime/idem/problem.go")
	require.NoError(t, err)
	names := map[string]string{}
	for _, m := range constant.FindAllStringSubmatch(string(source), -1) {
		names[m[1]] = m[2]
	}
	require.NotEmpty(t, names)
	c := everything()
	given := map[string]answer{}
	for _, a := range answersOf(&contract.API{}, c) {
		given[string(a.code)] = a
	}
	own := map[string]int{"Missing": 1001, "Malformed": 1002, "Mismatch": 1003, "InFlight": 1004, "Unknown": 1005, "Unavailable": 1006}
	found := kind.FindAllStringSubmatch(string(source), -1)
	require.Len(t, found, len(names), "a case that cannot be read")
	require.Len(t, given, len(names), "a code that is not told, or that is none")
	for _, m := range found {
		a, ok := given[names[m[1]]]
		require.True(t, ok, m[1])
		status, err := strconv.Atoi(m[2])
		require.NoError(t, err)
		switch {
		case m[3] == "unavailable":
			status = own["Unavailable"]
		case m[4] != "":
			status = own[m[4]]
		}
		assert.Equal(t, status, a.status, m[1])
		assert.Equal(t, strings.HasSuffix(m[0], "time.Second}"), a.retry > 0, m[1])
		if m[5] != "" {
			assert.Equal(t, m[5]+"s", a.retry.String(), m[1])
		} else if a.retry > 0 {
			assert.Equal(t, time.Second, a.retry, m[1])
		}
	}
}

// What a leased attempt did before its answer could not be stored stays done: nobody may be told that a new key is as good.
func TestUnsettledAnswersAskForTheSameKey(t *testing.T) {
	for _, execution := range []string{contract.Transactional, contract.Leased} {
		c := everything()
		c.Execution = execution
		for _, a := range answersOf(&contract.API{}, c)[len(refusals(&contract.API{}, c)):] {
			assert.Regexp(t, "same (request|key)", a.then, a.code)
			settles := a.code == idem.CodeCompletionFailed || a.code == idem.CodeStoreUnavailable || a.code == idem.CodeTryAgain
			if settles && execution == contract.Leased {
				assert.Contains(t, a.when, "may have been carried out", a.code)
				assert.NotContains(t, a.when, "did nothing", a.code)
			}
			if settles {
				assert.Contains(t, sharedWords(a), "may have been carried out", "%s: a component is every operation's", a.code)
			}
		}
	}
}

func everything() *contract.Contract {
	return &contract.Contract{
		Compare: true, Key: contract.Key{Required: true}, Unique: &contract.Unique{}, Spec: canon.BodySpec{Accepts: []canon.Media{canon.JSON}},
		Statuses: contract.Statuses{Missing: 1001, Malformed: 1002, Mismatch: 1003, InFlight: 1004, Unknown: 1005, Unavailable: 1006},
	}
}

func TestSpell(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"24 hours": 24 * time.Hour, "45 days": 45 * 24 * time.Hour, "1 hour": time.Hour, "90 seconds": 90 * time.Second, "15 minutes": 15 * time.Minute,
		"25 hours": 25 * time.Hour, "for ever": contract.Forever,
	} {
		assert.Equal(t, want, spell(d))
	}
}
