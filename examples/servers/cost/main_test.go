package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	stdserver "github.com/idemgen/idemgen/examples/servers/std"
	"github.com/idemgen/idemgen/runtime/memstore"
)

// The table has a line for each kind. Times are not asserted: a moment on a busy machine says nothing.
func TestRunPrintsEveryKind(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out, time.Millisecond))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2+len(kinds))
	for _, line := range lines {
		assert.Equal(t, 8, strings.Count(line, "|"), line)
	}
}

// What idemgen adds is counted, so that it does not grow unseen.
func TestAllocationsOfARequest(t *testing.T) {
	a := newApp()
	bare := counted(std(a), fresh)
	bound, err := newBound(stdserver.Handler[*memstore.Tx], a)
	require.NoError(t, err)
	first := counted(bound, fresh)
	assert.LessOrEqual(t, first.allocations-bare.allocations, int64(100))
	assert.LessOrEqual(t, first.bytes-bare.bytes, int64(12<<10))
	replay := counted(bound, same)
	assert.Less(t, replay.allocations, first.allocations)
}
