package idem

import "time"

// SetEndPatience shortens the wait for business code that still runs.
func SetEndPatience[Tx any](e *Engine[Tx], d time.Duration) { e.patience = d }

// SetDoubtPatience shortens the search for the outcome of a lost commit.
func SetDoubtPatience[Tx any](e *Engine[Tx], d time.Duration) { e.doubt = d }

// Conditions and Comparisons count the rows and columns of the decision table.
const (
	Conditions  = conditions
	Comparisons = comparisons
)
