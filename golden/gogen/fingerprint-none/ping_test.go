package pingsidem

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ft "github.com/idemgen/idemgen/golden/gogen/fingerprinttest"
	"github.com/idemgen/idemgen/runtime/canon"
)

func TestNothingIsCompared(t *testing.T) {
	assert.Empty(t, NotifyOperation.Versions)
	assert.Empty(t, PingedOperation.Versions)
}

// TestCommand: no scanner looked at the request, so the decoder alone demands the body.
func TestCommand(t *testing.T) {
	cmd, err := decodeNotify(ft.JSON(`{"meta":{"id":1}}`))
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":1}`, string(cmd.Body.Meta))

	_, err = decodeNotify(&canon.Request{})
	var refusal *canon.Refusal
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, "body", refusal.Place)
}
