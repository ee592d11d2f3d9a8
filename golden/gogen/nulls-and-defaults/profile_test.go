package profilesidem

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ft "github.com/idemgen/idemgen/golden/gogen/fingerprinttest"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

const (
	id   = "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"
	path = `"path":{"profileId":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}}`
)

func TestNullAbsentAndDefault(t *testing.T) {
	for body, want := range map[string]string{
		`null`:                                   `null`,
		`{}`:                                     `{"active":true}`,
		`{"active":true}`:                        `{"active":true}`,
		`{"active":false}`:                       `{"active":false}`,
		`{"born":null,"ratio":null,"tags":null}`: `{"active":true}`,
		`{"address":null}`:                       `{"active":true,"address":null}`,
		`{"address":{}}`:                         `{"active":true,"address":{}}`,
		`{"address":{"city":"Rome"}}`:            `{"active":true,"address":{"city":"Rome"}}`,
		`{"extra":null}`:                         `{"active":true,"extra":null}`,
		`{"extra":1.50}`:                         `{"active":true,"extra":{"number":"1.5"}}`,
		`{"names":null}`:                         `{"active":true,"names":null}`,
		`{"names":["b",null,"a"]}`:               `{"active":true,"names":["b",null,"a"]}`,
		`{"photo":null}`:                         `{"active":true,"photo":null}`,
		`{"photo":"AAE="}`:                       `{"active":true,"photo":"AAE="}`,
		`{"tags":{"b":" x ","a":null}}`:          `{"active":true,"tags":{"b":"x"}}`,
		`{"tags":{}}`:                            `{"active":true,"tags":{}}`,
		`{"ratio":0.10,"born":"2024-01-01T01:00:00.500+01:00"}`: `{"active":true,"born":"2024-01-01T00:00:00.5Z","ratio":"0.1"}`,
	} {
		ft.Accepts(t, &UpdateProfileOperation, ft.JSON(body, id), `{"body":`+want+`,`+path)
	}
}

func TestRefusedNulls(t *testing.T) {
	for body, place := range map[string]string{
		`{"active":null}`:           "body/active",
		`{"address":{"city":null}}`: "body/address/city",
		`{"names":[1]}`:             "body/names/0",
	} {
		ft.Refuses(t, &UpdateProfileOperation, ft.JSON(body, id), place)
	}
	ft.Refuses(t, &UpdateProfileOperation, ft.JSON(`{}`, "no-uuid"), "path.profileId")
}

func TestCommandTellsNullFromAbsent(t *testing.T) {
	cmd, err := decodeUpdateProfile(ft.JSON(`{"address":null,"extra":null,"names":["a",null],"photo":"AAE="}`, id))
	require.NoError(t, err)
	assert.Equal(t, UpdateProfileBody{
		Address: idem.Nullable[UpdateProfileBodyAddress]{Present: true, Null: true},
		Extra:   json.RawMessage(`null`),
		Names:   idem.Nullable[[]json.RawMessage]{Present: true, Value: []json.RawMessage{json.RawMessage(`"a"`), json.RawMessage(`null`)}},
		Photo:   idem.Nullable[[]byte]{Present: true, Value: []byte{0, 1}},
	}, cmd.Body.Value)

	cmd, err = decodeUpdateProfile(ft.JSON(`null`, id))
	require.NoError(t, err)
	assert.True(t, cmd.Body.Null)

	_, err = decodeUpdateProfile(&canon.Request{Path: []string{id}})
	require.Error(t, err, "an absent body is no null")
}

func TestCommandIsWrittenAsItWasSent(t *testing.T) {
	for _, body := range []string{`{}`, `{"active":false,"address":null,"names":[],"tags":{}}`, `{"extra":{"a":1},"ratio":1.50}`} {
		cmd, err := decodeUpdateProfile(ft.JSON(body, id))
		require.NoError(t, err)
		again, err := json.Marshal(cmd.Body)
		require.NoError(t, err)
		assert.Equal(t, body, string(again))
	}
}
