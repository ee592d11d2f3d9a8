package idem

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

type formLine struct {
	SKU      string `json:"sku"`
	Quantity int32  `json:"quantity"`
}

// formCommand has every type that a generated command has.
type formCommand struct {
	Account  string                    `json:"account"`
	Amount   Number                    `json:"amount"`
	Count    *int64                    `json:"count,omitzero"`
	Express  *bool                     `json:"express,omitzero"`
	At       *Instant                  `json:"at,omitzero"`
	Note     Nullable[string]          `json:"note,omitzero"`
	Limit    Nullable[int64]           `json:"limit,omitzero"`
	File     []byte                    `json:"file,omitzero"`
	Tags     []string                  `json:"tags,omitzero"`
	Lines    []formLine                `json:"lines,omitzero"`
	Metadata map[string]string         `json:"metadata,omitzero"`
	Raw      json.RawMessage           `json:"raw,omitzero"`
	Nested   map[string]Nullable[bool] `json:"nested,omitzero"`
	Odd      string                    `json:"-"`
}

func assignFrom(t *testing.T, text string) (formCommand, error) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var node any
	require.NoError(t, decoder.Decode(&node))
	var cmd formCommand
	return cmd, assign(reflect.ValueOf(&cmd).Elem(), node, "body")
}

func TestTextBecomesTheCommandsTypes(t *testing.T) {
	cmd, err := assignFrom(t, `{"account":"a","amount":"10.00","count":"7","express":"true","at":"2026-01-02T03:04:05Z","note":"n","limit":"5",
		"file":"aGk=","tags":"one","lines":{"0":{"sku":"s","quantity":"2"},"1":{"sku":"t","quantity":"3"}},"metadata":{"k":"v"},"raw":{"a":["b"]},
		"nested":{"x":"false"},"unknown":"u","-":"never"}`)
	require.NoError(t, err)
	count, express := int64(7), true
	assert.Equal(t, formCommand{
		Account: "a", Amount: "10.00", Count: &count, Express: &express, At: &Instant{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		Note: Nullable[string]{Present: true, Value: "n"}, Limit: Nullable[int64]{Present: true, Value: 5}, File: []byte("hi"), Tags: []string{"one"},
		Lines: []formLine{{"s", 2}, {"t", 3}}, Metadata: map[string]string{"k": "v"}, Raw: json.RawMessage(`{"a":["b"]}`),
		Nested: map[string]Nullable[bool]{"x": {Present: true}},
	}, cmd)
	cmd, err = assignFrom(t, `{"tags":["one","two"],"count":8,"express":false,"note":null,"amount":1.50}`)
	require.NoError(t, err, "a JSON part has types of its own")
	assert.Equal(t, []string{"one", "two"}, cmd.Tags)
	assert.Equal(t, int64(8), *cmd.Count)
	assert.Equal(t, Nullable[string]{Present: true, Null: true}, cmd.Note)
	assert.Equal(t, Number("1.50"), cmd.Amount)
}

func TestTextThatIsNoValueIsRefusedAtItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		`{"count":"x"}`:         "body/count: it cannot be read as an integer of 64 bits",
		`{"count":""}`:          "body/count: it cannot be read as an integer of 64 bits",
		`{"express":"yes"}`:     "body/express: it cannot be read as true or false",
		`{"amount":"1,5"}`:      "body/amount: it cannot be read as a number",
		`{"at":"today"}`:        "body/at: it cannot be read as an RFC 3339 date-time",
		`{"file":"?"}`:          "body/file: it cannot be read as base64",
		`{"account":{"a":"b"}}`: "body/account: it cannot be read as a string",
		`{"account":["a","b"]}`: "body/account: it cannot be read as a string",
		`{"lines":[{"quantity":"2"},{"quantity":"x"}]}`: "body/lines/1/quantity: it cannot be read as an integer of 32 bits",
		`{"lines":{"0":{},"2":{}}}`:                     "body/lines: it cannot be read as an array",
		`{"metadata":{"k":["a"]}}`:                      "body/metadata/k: it cannot be read as a string",
		`{"metadata":"x"}`:                              "body/metadata: it cannot be read as an object",
		`{"count":1.5}`:                                 "body/count: it cannot be read as an integer of 64 bits",
		`"text"`:                                        "body: it cannot be read as an object",
	} {
		_, err := assignFrom(t, text)
		var refusal *canon.Refusal
		require.ErrorAs(t, err, &refusal, text)
		assert.Equal(t, want, refusal.Error(), text)
	}
}
