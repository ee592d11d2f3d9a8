package idem

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func captureOf(body string, limit int64) *capture {
	return newCapture(io.NopCloser(strings.NewReader(body)), limit)
}

func TestValidatedValueHasTheNamesAndNumbersOfTheBody(t *testing.T) {
	value := captureOf(`{"amount": "1", "AMOUNT": "99", "n": [9007199254740993, 1.50], "none": null, "yes": true}`+" \n", 1000).ValidatedValue()
	assert.Equal(t, map[string]any{
		"amount": "1", "AMOUNT": "99", "n": []any{json.Number("9007199254740993"), json.Number("1.50")}, "none": nil, "yes": true,
	}, value)
}

func TestValidatedValueLeavesTheBytes(t *testing.T) {
	for name, body := range map[string]string{"a value": `{"amount": "1"}`, "none": "{", "two": "1 2", "empty": ""} {
		c := captureOf(body, 1000)
		first := make([]byte, min(len(body), 3))
		_, err := io.ReadFull(c, first)
		require.NoError(t, err, name)
		c.ValidatedValue()
		rest, err := io.ReadAll(c)
		require.NoError(t, err, name)
		assert.Equal(t, body, string(first)+string(rest), name)
		whole, err := c.rest()
		require.NoError(t, err, name)
		assert.Equal(t, body, string(whole), name)
	}
}

func TestValidatedValueOfWhatIsNoneCannotBeBound(t *testing.T) {
	for name, body := range map[string]string{
		"empty": "", "blank": "  ", "no JSON": "amount=1", "cut off": `{"amount":`, "two values": "{} {}", "a brace too many": "{}}",
		"too large": `"` + strings.Repeat("a", 1000) + `"`,
	} {
		_, err := json.Marshal(captureOf(body, 1000).ValidatedValue())
		assert.Error(t, err, name)
	}
	c := newCapture(io.NopCloser(io.MultiReader(strings.NewReader("{}"), broken{})), 1000)
	_, err := json.Marshal(c.ValidatedValue())
	assert.Error(t, err, "a body that breaks off")
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("reset") }
