package labelsidem

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ft "github.com/idemgen/idemgen/golden/gogen/fingerprinttest"
)

func TestEntriesStandBetweenMembers(t *testing.T) {
	ft.Accepts(t, &PutLabelsOperation,
		ft.JSON(`{"zone":"z","version":1,"owners":{"b":{"since":"2024-01-01T00:00:00Z"},"a":{"since":"2024-01-02T00:00:00Z"}},"comment":[],"blue":"x","empty":{"k":1}}`),
		`{"body":{"blue":"x","empty":{"k":{"number":"1"}},`+
			`"owners":{"a":{"since":"2024-01-02T00:00:00Z"},"b":{"since":"2024-01-01T00:00:00Z"}},"version":"1","zone":"z"}}`)
}

func TestRefusedLabels(t *testing.T) {
	for body, place := range map[string]string{
		`{"owners":{}}`:                             "body/version",
		`{"owners":{},"version":1,"zone":1}`:        "body/zone",
		`{"owners":{},"version":1,"zone":null}`:     "body/zone",
		`{"owners":{},"version":1,"Version":"x"}`:   "body/Version",
		`{"owners":{},"version":1,"a":"x","a":"y"}`: "body/a",
		`{"owners":{"a":{}},"version":1}`:           "body/owners/a/since",
		`{"owners":{"a":{"x":1}},"version":1}`:      "body/owners/a/x",
	} {
		ft.Refuses(t, &PutLabelsOperation, ft.JSON(body), place)
	}
}

func TestCommand(t *testing.T) {
	cmd, err := decodePutLabels(ft.JSON(`{"owners":{"a":{"since":"2024-01-02T00:00:00Z"}},"version":1,"empty":{}}`))
	require.NoError(t, err)
	assert.Equal(t, int64(1), cmd.Body.Version)
	assert.Equal(t, 2, cmd.Body.Owners["a"].Since.Day())
	assert.NotNil(t, cmd.Body.Empty)
	assert.Nil(t, cmd.Body.Comment)
}
