package idem

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

var storedCommands = map[string]*canon.Request{
	"empty": {},
	"usual": {
		Body: []byte(`{"amount":"10.00"}`), ContentType: "application/json; charset=utf-8", Query: "expand=a%20b&x", Path: []string{"acc_1", ""},
		Header: http.Header{"X-Tier": {"gold", ""}},
	},
	"bytes that are no text": {Body: []byte("\x00\xff"), ContentType: "\xff", Query: "\x00", Path: []string{"\xff/"}, Header: http.Header{"X-Tier": {"\xff"}}},
}

func TestStoredCommand(t *testing.T) {
	op := &Operation{CommandHeaders: []string{"X-Tier", "X-Absent"}}
	for name, r := range storedCommands {
		t.Run(name, func(t *testing.T) {
			got, err := readCommand(storeCommand(op, r))
			require.NoError(t, err)
			assert.Equal(t, string(r.Body), string(got.Body))
			assert.Equal(t, r.ContentType, got.ContentType)
			assert.Equal(t, r.Query, got.Query)
			assert.Equal(t, r.Path, got.Path)
			want := http.Header(maps.Clone(r.Header))
			if r.ContentType != "" {
				if want == nil {
					want = http.Header{}
				}
				want["Content-Type"] = []string{r.ContentType}
			}
			assert.Equal(t, len(want), len(got.Header))
			for name, lines := range want {
				assert.Equal(t, lines, got.Header[name])
			}
		})
	}
}

func TestStoredCommandHoldsNoOtherHeader(t *testing.T) {
	r := &canon.Request{Header: http.Header{"Authorization": {"Bearer secret"}, "Idempotency-Key": {"key-secret"}, "Cookie": {"secret"}, "X-Tier": {"gold"}}}
	text := storeCommand(&Operation{CommandHeaders: []string{"X-Tier"}}, r)
	assert.NotContains(t, string(text), "secret")
	assert.Contains(t, string(text), "gold")
}

// Yesterday's records hold this: the format is what it is for ever.
func TestStoredCommandIsPinned(t *testing.T) {
	op := &Operation{CommandHeaders: []string{"X-Tier"}}
	want := "\x01" + "\x02\x05acc_1\x00" + "\x0eexpand=a%20b&x" + "\x1fapplication/json; charset=utf-8" +
		"\x01\x06X-Tier\x02\x04gold\x00" + `{"amount":"10.00"}`
	assert.Equal(t, want, string(storeCommand(op, storedCommands["usual"])))
}

func TestStoredCommandThatIsDamaged(t *testing.T) {
	whole := storeCommand(&Operation{CommandHeaders: []string{"X-Tier"}}, storedCommands["usual"])
	body := len(storedCommands["usual"].Body)
	for n := range len(whole) - body { // the body is what remains: a seal guards it, and the database
		_, err := readCommand(whole[:n])
		require.Error(t, err, n)
	}
	_, err := readCommand(append([]byte{2}, whole[1:]...))
	require.ErrorIs(t, err, errCommandFormat)
	_, err = readCommand(append([]byte{1}, bytes.Repeat([]byte{0xff}, 12)...))
	require.ErrorIs(t, err, errCommandFormat)
}

// FuzzStoredCommand reads anything: never a panic, and what it accepts is the same when it was written again.
func FuzzStoredCommand(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(storedCommands)) {
		f.Add(storeCommand(&Operation{CommandHeaders: []string{"X-Tier"}}, storedCommands[name]))
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		r, err := readCommand(stored)
		if err != nil {
			require.ErrorIs(t, err, errCommandFormat)
			return
		}
		again, err := readCommand(storeCommand(&Operation{CommandHeaders: slices.Collect(maps.Keys(r.Header))}, r))
		require.NoError(t, err)
		assert.Equal(t, r, again)
	})
}
