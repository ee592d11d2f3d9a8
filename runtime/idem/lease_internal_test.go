package idem

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A lease may be lost between Begin's claim and the moment at which the framework's session has it.
func TestLeaseThatWasLostBeforeItWasBound(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	l := &Lease[int]{ctx: ctx}
	calls := 0
	l.bind(binding{lost: func() { calls++ }})
	assert.Zero(t, calls)
	cancel()
	l.bind(binding{lost: func() { calls++ }})
	assert.Equal(t, 1, calls)
	l.bind(binding{})
}
