package idem

import "time"

// SetEndPatience shortens the wait for business code that still runs.
func SetEndPatience[Tx any](e *Engine[Tx], d time.Duration) { e.patience = d }

// SetDoubtPatience shortens the search for the outcome of a lost commit.
func SetDoubtPatience[Tx any](e *Engine[Tx], d time.Duration) { e.doubt = d }

// SetBackoff shortens the delay after a recovery that failed.
func SetBackoff[Tx any](e *Engine[Tx], d time.Duration) { e.backoffStart = d }

// SetStartPatience sets for how long a leased request waits for Run to begin.
func SetStartPatience[Tx any](e *Engine[Tx], d time.Duration) {
	e.made = time.Now().Add(d - startPatience)
}

// LastEvent is the last kind of an event.
const LastEvent = EventRunFailed

// MaxWaiting bounds the requests that wait for others.
const MaxWaiting = maxWaiting

// Waiting counts them.
func Waiting[Tx any](e *Engine[Tx]) int {
	e.running.mu.Lock()
	defer e.running.mu.Unlock()
	return e.running.waiting
}

// Conditions and Comparisons count the rows and columns of the decision table.
const (
	Conditions  = conditions
	Comparisons = comparisons
)

// LeaseOf gives a lease that has nothing but its record's id.
func LeaseOf[Tx any](id UUID) *Lease[Tx] { return &Lease[Tx]{ref: LeaseRef{RecordID: id}} }

// Backoff is the delay after an attempt.
func Backoff[Tx any](e *Engine[Tx], number int) time.Duration { return e.backoff(number) }
