package storetest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/storetest/trace"
)

// Side is one of two stores that have to agree.
type Side[Tx any] struct {
	New     NewStore[Tx]
	Effects Effects[Tx]
}

const (
	storySteps = 80
	// storyLockTimeout is short, because nobody else acts while a step of a story waits.
	storyLockTimeout = time.Millisecond
	// inTheWay begins the result of a claim that met a transaction.
	inTheWay = "in flight: "
)

// Agree lets two stores live through the same random stories and fails at the first result in which they differ. What it prints
// then is a trace: with the right result in its last line it belongs into testdata. Both need every Ability; where one
// is said to lack ConcurrentTransactions, nobody does anything beside an open transaction that would have to wait. A story is a function
// of seed.
//
// While a transaction runs, one may call in flight what the other knows to be free, or knows more about: a claim may run into
// several things, and databases lock more than they would have to where records and business keys have changed hands. A story
// ends there.
func Agree[A, B any](t *testing.T, a Side[A], b Side[B], seed uint64, stories int, lacks ...Ability) {
	t.Helper()
	for i := range stories {
		dice := rand.New(rand.NewPCG(seed, uint64(i)))
		t.Run(fmt.Sprint("story ", i), func(t *testing.T) { agree(t, a, b, newNarrator(dice, lacks)) })
	}
}

func agree[A, B any](t *testing.T, a Side[A], b Side[B], n *narrator) {
	t.Helper()
	left, right := newTeller(t, newFixture(t, a.New, a.Effects, testClock)), newTeller(t, newFixture(t, b.New, b.Effects, testClock))
	left.lockTimeout, right.lockTimeout = storyLockTimeout, storyLockTimeout
	defer left.end()
	defer right.end()
	var told []string
	for range storySteps {
		line := nextStep(n, left)
		steps, err := trace.Parse("story", line+" -> ?")
		if strings.HasPrefix(line, "clock") {
			steps, err = trace.Parse("story", line)
		}
		require.NoError(t, err)
		s := &steps[0]
		if s.Verb == nil {
			left.clock.advance(s.Clock)
			right.clock.advance(s.Clock)
			told = append(told, line)
			continue
		}
		want, errLeft := left.do(s)
		got, errRight := right.do(s)
		told = append(told, line+" -> "+want)
		if comparable(want) == comparable(got) {
			continue
		}
		if len(left.transactions()) > 0 && (strings.HasPrefix(want, inTheWay) || strings.HasPrefix(got, inTheWay)) {
			return // see Agree; from here on there are two stories
		}
		t.Fatalf("%s\nthe other store gave: %s\nerrors: %v, %v", strings.Join(told, "\n"), got, errLeft, errRight)
	}
}

var counted = regexp.MustCompile(`\d+ (swept|erased)`)

// comparable gives what has to be equal. Numbers of what was swept or erased are not: a claim that is released over an expired
// record leaves it to some stores and takes it out of others. Records that are stuck or due for the same time have no order.
func comparable(result string) string {
	parts := strings.Split(counted.ReplaceAllString(result, "$1"), "; ")
	slices.Sort(parts)
	return strings.Join(parts, "; ")
}
