package idem

import "time"

// SetEndPatience shortens the wait for business code that still runs.
func SetEndPatience[Tx any](e *Engine[Tx], d time.Duration) { e.patience = d }
