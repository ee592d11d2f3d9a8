package idem

import "time"

// SetEndPatience shortens the wait for business code that still runs.
func SetEndPatience[Tx any](e *Engine[Tx], d time.Duration) { e.patience = d }

// Conditions and Comparisons count the rows and columns of the decision table.
const (
	Conditions  = conditions
	Comparisons = comparisons
)
