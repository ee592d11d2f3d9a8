package trace_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
	"github.com/idemgen/idemgen/runtime/storetest/trace"
)

func one(t *testing.T, line string) *trace.Step {
	t.Helper()
	steps, err := trace.Parse("t.trace", line)
	require.NoError(t, err)
	require.Len(t, steps, 1)
	return &steps[0]
}

func TestSteps(t *testing.T) {
	s := one(t, `  alice	settles k failed 422 "no # \"way\"" after 90s not-kept -> completed   201 "a  b",  attempt 2 : replay # and so on`)
	assert.Equal(t, "alice", s.Actor)
	assert.Equal(t, "settles", s.Verb.Name())
	assert.Equal(t, "k", s.Key())
	assert.Equal(t, idem.StateFailedReplayable, s.State(1))
	assert.Equal(t, 422, s.Number(2))
	assert.Equal(t, `no # "way"`, s.Arg(3))
	assert.Empty(t, s.Arg(4))
	assert.Equal(t, 90*time.Second, s.DurationOption("after", 0))
	assert.Equal(t, time.Hour, s.DurationOption("retention", time.Hour))
	assert.True(t, s.Has("not-kept"))
	assert.False(t, s.Has("retention"))
	assert.Equal(t, `completed 201 "a  b", attempt 2: replay`, s.Want)

	assert.Equal(t, 1500*time.Millisecond, one(t, "clock +1500ms").Clock)
	assert.Equal(t, "states", one(t, "include states").Include)
	assert.Equal(t, idem.Forever, one(t, "a claims k retention forever -> ours").DurationOption("retention", 0))
	assert.Equal(t, []string{"a", "b", "c"}, one(t, "a extends a b c -> ok").Args())
	assert.Equal(t, "ending", one(t, `a completes k 201 "ending" -> ok`).Arg(2))
	assert.Equal(t, 409, one(t, `a commits k name ending 409 -> ok`).NumberOption("ending"))
	assert.Equal(t, "B", one(t, "a claims k command B -> ours").Option("command", "A"))
	assert.Equal(t, "A", one(t, "a claims k -> ours").Option("command", "A"))
}

func TestLinesKeepTheirPlace(t *testing.T) {
	steps, err := trace.Parse("t.trace", "# a comment\r\n\r\n\n a claims k -> ours\r\n#\nclock +1s")
	require.NoError(t, err)
	require.Len(t, steps, 2)
	assert.Equal(t, []any{"t.trace", 4, "a claims k -> ours", "ours"}, []any{steps[0].File, steps[0].Line, steps[0].Text, steps[0].Want})
	assert.Equal(t, 6, steps[1].Line)
	none, err := trace.Parse("t.trace", " \n# nothing\n")
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestErrors(t *testing.T) {
	for line, want := range map[string]string{
		"alice claims k":                       `1:14: no result: a step ends with "-> …"`,
		"alice claims k ->":                    "1:16: no result after the arrow",
		"alice claims k -> # ours":             "1:16: no result after the arrow",
		"-> ours":                              "1:1: a step begins with an actor and a verb: alice claims k -> ours",
		"claims -> ours":                       "1:1: a step begins with an actor and a verb: alice claims k -> ours",
		"alice cliams k -> ours":               `1:7: no verb "cliams"; did you mean "claims"?`,
		"alice juggles k -> ours":              `1:7: no verb "juggles": there are claims, writes, `,
		"alice claims -> ours":                 "1:14: KEY is missing; usage: claims KEY [scope TEXT]",
		"alice settles k -> ok":                "1:17: STATE is missing; usage: settles KEY STATE [STATUS] [BODY] [not-kept]",
		"alice settles k complete -> ok":       `1:17: no state "complete"; did you mean "completed"?`,
		"alice settles k gone -> ok":           `1:17: no state "gone": there are absent, completed, failed, in-flight, retryable, unknown`,
		"alice completes k done -> ok":         `1:19: "done" is no status: three digits, as of HTTP`,
		"alice completes k 99 -> ok":           `1:19: "99" is no status`,
		"alice completes k 201 a b -> ok":      `1:25: completes takes no "b": there are not-kept, retention, rolling-back; usage:`,
		"alice claims k comand B -> ours":      `1:16: claims takes no "comand"; did you mean "command"?; usage: claims`,
		`alice claims k "again" -> ours`:       `1:16: claims takes no "again"`,
		"alice claims k command -> ours":       "1:24: command has no value; usage: claims",
		"alice claims k again again -> ours":   "1:22: again is there twice",
		"alice claims k retention 10 -> ours":  `1:26: "10" is no duration: write 30s or 1h30m, in whole milliseconds`,
		"alice claims k retention 1us -> ours": `1:26: "1us" is no duration`,
		"alice claims k retention -1s -> ours": `1:26: "-1s" is no duration`,
		"alice sweeps many -> 0 swept":         `1:14: "many" is no number`,
		"alice sweeps -1 -> 0 swept":           `1:14: "-1" is no number`,
		"alice extends -> ok":                  "1:15: KEY is missing; usage: extends KEY…",
		`alice completes k 201 "no end -> ok`:  "1:23: a quoted word has no end, or an escape that Go does not know",
		`alice completes k 201 "\q" -> ok`:     "1:23: a quoted word has no end, or an escape that Go does not know",
		"clock":                                "1:1: usage: clock +DURATION",
		"clock 1s":                             "1:7: the clock turns forward only: +1s",
		"clock -1s":                            "1:7: the clock turns forward only: +1s",
		"clock +1":                             `1:8: "1" is no duration`,
		"clock +0s":                            "1:7: the clock must turn",
		"clock +forever":                       "1:7: the clock must turn",
		"clock +1s -> ok":                      "1:1: usage: clock +DURATION",
		"include":                              "1:1: usage: include NAME",
	} {
		_, err := trace.Parse("t.trace", line)
		require.Error(t, err, line)
		assert.True(t, strings.HasPrefix(err.Error(), "t.trace:"+want), "%s\n got: %s\nwant: t.trace:%s", line, err, want)
	}
}

func TestEveryWrongLineIsReported(t *testing.T) {
	_, err := trace.Parse("t.trace", "alice claims\nalice claims k -> ours\nclock\n")
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 2)
	assert.True(t, strings.HasPrefix(lines[0], "t.trace:1:"))
	assert.True(t, strings.HasPrefix(lines[1], "t.trace:3:"))
}

func TestResultsAreComparedByTheirWords(t *testing.T) {
	assert.Equal(t, `a, b: c "d  e"; f`, trace.Result(`a , b :  c "d  e" ; f`))
	assert.Equal(t, `a, "b`, trace.Result(`a, "b`), "what is no text of words stays as it is")
}

// FuzzParse: no text makes the parser panic, and what it reads it reads again from the step's own line.
func FuzzParse(f *testing.F) {
	f.Add("alice settles k failed 422 \"no\" after 90s -> ok # end")
	f.Add("clock +1s\ninclude states\n\na extends a b -> lost a")
	f.Add("a commits k n \"\\x00\" ending 201 body b -> phase twice")
	f.Add("a claims k retention 9223372036854775807h -> \"")
	f.Fuzz(func(t *testing.T, text string) {
		steps, err := trace.Parse("f", text)
		if err != nil {
			return
		}
		for _, s := range steps {
			again, err := trace.Parse("f", s.Text)
			require.NoError(t, err)
			require.Len(t, again, 1)
			again[0].Line = s.Line
			require.Equal(t, s, again[0])
			require.Equal(t, s.Want, trace.Result(s.Want))
		}
	})
}
