package trace

import (
	"strconv"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Step is one step of a trace.
type Step struct {
	File string
	Line int
	// Text is the line as it is written.
	Text string
	// Include is the name of another trace, and Clock is how far the clock turns; else there are an actor and a verb.
	Include string
	Clock   time.Duration
	Actor   string
	Verb    *Verb
	// Want is the result, its words divided by single blanks.
	Want string

	args    []string
	options map[string]string
}

// Key is the first argument.
func (s *Step) Key() string { return s.Arg(0) }

// Arg gives an argument; "" for one that was left out.
func (s *Step) Arg(i int) string {
	if i >= len(s.args) {
		return ""
	}
	return s.args[i]
}

// Args gives all arguments.
func (s *Step) Args() []string { return s.args }

// Number gives an argument that is a number, a status or a state's number; 0 for one that was left out.
func (s *Step) Number(i int) int {
	n, _ := strconv.Atoi(s.Arg(i)) // Parse has seen that it is one
	return n
}

// State gives an argument that is a state.
func (s *Step) State(i int) idem.State { return States[s.Arg(i)] }

// Has reports whether an option is there.
func (s *Step) Has(option string) bool {
	_, there := s.options[option]
	return there
}

// Option gives an option's value, or what stands for it when it was left out.
func (s *Step) Option(name, otherwise string) string {
	if v, there := s.options[name]; there {
		return v
	}
	return otherwise
}

// NumberOption is Option of a number or status; 0 when it was left out.
func (s *Step) NumberOption(name string) int {
	n, _ := strconv.Atoi(s.options[name]) // Parse has seen that it is one
	return n
}

// DurationOption is Option of a duration.
func (s *Step) DurationOption(name string, otherwise time.Duration) time.Duration {
	v, there := s.options[name]
	switch {
	case !there:
		return otherwise
	case v == forever:
		return idem.Forever
	}
	d, _ := time.ParseDuration(v) // Parse has seen that it is one
	return d
}

// forever is a duration that is only written so.
const forever = "forever"

// States are the states by their names.
var States = map[string]idem.State{
	"absent": idem.StateAbsent, "in-flight": idem.StateInFlight, "completed": idem.StateCompleted, "failed": idem.StateFailedReplayable,
	"retryable": idem.StateFailedRetryable, "unknown": idem.StateUnknown,
}
