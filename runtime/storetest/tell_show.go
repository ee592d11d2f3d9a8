package storetest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/runtime/idem"
)

// stateNames are the words for what stands under a key.
var stateNames = map[idem.State]string{
	idem.StateAbsent: "absent", idem.StateInFlight: "in flight", idem.StateCompleted: "completed", idem.StateFailedReplayable: "failed",
	idem.StateFailedRetryable: "retryable", idem.StateUnknown: "unknown",
}

var tableNames = map[idem.Action]string{
	idem.ActInFlight: "in flight", idem.ActMismatch: "mismatch", idem.ActIncomparable: "not comparable", idem.ActReplay: "replay",
	idem.ActTakeOver: "take over", idem.ActNextAttempt: "next attempt", idem.ActUnknown: "unknown",
}

var errorNames = map[error]string{
	idem.ErrFenced: "fenced", idem.ErrPhaseTwice: "phase twice", idem.ErrNotStuck: "not stuck", idem.ErrNoRecord: "no record",
}

// errorName: an error that has no name of its own is a refusal. What it says is shown when it was not expected.
func errorName(err error) string {
	for known, name := range errorNames {
		if errors.Is(err, known) {
			return name
		}
	}
	return "refused"
}

// showFound says what a claim found, and where, if that is not where it asked.
func showFound(p idem.Prior, asked idem.Claim) string {
	switch {
	case p.State == idem.StateAbsent:
		return "ours"
	case p.RecordID.IsZero():
		return stateNames[p.State]
	}
	text := stateNames[p.State]
	switch {
	case p.LeaseOver:
		text += ", lease over"
	case p.State == idem.StateInFlight:
		text += ", " + p.LeaseLeft.String() + " left"
	}
	text += showResponse(p)
	if p.Attempt > 1 {
		text += fmt.Sprint(", attempt ", p.Attempt)
	}
	if p.Business {
		text += ", under " + p.Key
	}
	if !p.Business && (p.Scope != asked.Scope || p.Before != asked.Before) {
		text += ", in " + showScope(p.Scope)
		if p.Before != "" {
			text += " and " + showScope(p.Before)
		}
	}
	return text
}

func showResponse(p idem.Prior) string {
	if p.Response.Status == 0 {
		return ""
	}
	text := fmt.Sprint(" ", p.Response.Status)
	if len(p.Response.Body) > 0 {
		text += " " + strconv.Quote(string(p.Response.Body))
	}
	if p.NotKept {
		text += ", not kept"
	}
	return text
}

func showScope(array string) string {
	return strings.ReplaceAll(strings.Trim(array, `[]"`), `","`, "/")
}

// The commands of traces. A claim has sameCommand unless it says another one.
const (
	sameCommand  = "A"
	incomparable = "?" // of a contract version that nobody knows
)

// showAction says what the request gets that found p, by the decision table.
func showAction(p idem.Prior, c idem.Claim, mode idem.ExecutionMode) string {
	if p.State == idem.StateAbsent {
		return ""
	}
	return ": " + tableNames[idem.Decide(idem.ConditionOf(p.State, false, p.LeaseOver), comparisonOf(p, c), mode)]
}

func comparisonOf(p idem.Prior, c idem.Claim) idem.Comparison {
	asked, stored := string(c.Fingerprints), string(p.Fingerprints)
	if p.RecordID.IsZero() {
		stored = sameCommand // nobody sees what a transaction in flight asked for, and the table does not care
	}
	switch {
	case asked == incomparable || stored == incomparable:
		return idem.NotComparable
	case asked == stored && (p.RecordID.IsZero() || c.Operation == p.Operation):
		return idem.SameCommand
	}
	return idem.OtherCommand
}

// showAttempt says which attempt has begun, and what it knows of those before.
func showAttempt(p idem.Prior) string {
	text := fmt.Sprintf("attempt %d after %s", p.Attempt, stateNames[p.State])
	for i, phase := range p.Phases {
		if i == 0 {
			text += ", phases"
		}
		text += " " + phase.Name
		if len(phase.Result) > 0 {
			text += " " + strconv.Quote(string(phase.Result))
		}
	}
	return text
}

func showStuck(r idem.StuckRecord) string {
	text := stateNames[r.State]
	if r.Status > 0 {
		text += fmt.Sprint(" ", r.Status)
	}
	if r.LeaseOver {
		text += ", lease over"
	}
	if r.Attempt > 1 {
		text += fmt.Sprint(", attempt ", r.Attempt)
	}
	if len(r.Phases) > 0 {
		text += ", phases " + strings.Join(r.Phases, " ")
	}
	return text
}

// list shows what there is, one after the other.
func list[V any](all []V, show func(V) string) string {
	var texts []string
	for _, v := range all {
		texts = append(texts, show(v))
	}
	if len(texts) == 0 {
		return "nothing"
	}
	return strings.Join(texts, "; ")
}
