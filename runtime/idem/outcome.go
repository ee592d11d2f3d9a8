package idem

import (
	"context"
	"fmt"
)

// outcome gives what the record at a place keeps of a response: its state, the headers that are stored, the body unless it is too
// large, and all of it sealed where there is a sealer. Only sealing fails.
func (e *Engine[Tx]) outcome(ctx context.Context, op *Operation, at place, response Response) (Completion, error) {
	c := Completion{State: StateCompleted, Response: op.keep(response)}
	if response.Status >= 400 {
		c.State = StateFailedReplayable
	}
	if int64(len(c.Response.Body)) > e.options.MaxResponse {
		c.NotKept, c.Response.Body = true, nil
	}
	if at == (place{}) {
		return c, nil // there is no record
	}
	c, err := e.seals.sealResponse(ctx, at, c)
	if err != nil {
		return Completion{}, fmt.Errorf("%w: %w", errNotSealed, err)
	}
	return c, nil
}
