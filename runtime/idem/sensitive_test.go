package idem_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestSensitiveFieldsNeedKeys(t *testing.T) {
	op := createPayment()
	op.Versions[0].Sensitive = []int{1}
	contract := idem.Contract{BasePath: "/v1", Dimensions: []string{"tenant"}, Operations: []*idem.Operation{op}}
	_, err := idem.NewEngine(newFixture(t).store, contract, tenantScope, idem.Options{})
	require.ErrorContains(t, err, "Options.Keys")

	keys, err := idem.NewKeyRing(1, map[uint32][]byte{1: bytes.Repeat([]byte{1}, 32)})
	require.NoError(t, err)
	op.Versions[0].Sensitive = []int{99}
	_, err = idem.NewEngine(newFixture(t).store, contract, tenantScope, idem.Options{Keys: keys})
	require.ErrorContains(t, err, "Sensitive has a number that is no field")
}

// A command that a recovery may need is stored as it came.
func TestStoredCommandsWithSensitiveFieldsNeedASealer(t *testing.T) {
	keys, err := idem.NewKeyRing(1, map[uint32][]byte{1: bytes.Repeat([]byte{1}, 32)})
	require.NoError(t, err)
	for policy, needed := range map[idem.TakeoverPolicy]bool{idem.Recover: true, idem.Retake: false, idem.Hold: false} {
		f := newLeasedFixture(t, policy)
		f.op.Versions[0].Sensitive = []int{1}
		contract := idem.Contract{BasePath: "/v1", Dimensions: []string{"tenant"}, Operations: []*idem.Operation{f.op}}
		_, err := idem.NewEngine(f.store, contract, tenantScope, idem.Options{Keys: keys})
		if needed {
			require.ErrorContains(t, err, "give Options.Sealer")
		} else {
			require.NoError(t, err)
		}
		_, err = idem.NewEngine(f.store, contract, tenantScope, idem.Options{Keys: keys, Sealer: sealer(t)})
		require.NoError(t, err)
	}
}

func TestKeyedRequests(t *testing.T) {
	keys, err := idem.NewKeyRing(1, map[uint32][]byte{1: bytes.Repeat([]byte{1}, 32)})
	require.NoError(t, err)
	sensitive := -1
	f := newFixture(t, func(f *fixture, o *idem.Options) {
		o.Keys = keys
		for i, name := range f.op.Versions[0].Fields {
			if name == "body.currency" {
				sensitive = i
				f.op.Versions[0].Sensitive = []int{i}
			}
		}
	})
	require.GreaterOrEqual(t, sensitive, 0)
	runs := 0
	h := f.handler(f.pay(&runs))
	require.Equal(t, 201, send(h, call{}).status)
	assert.True(t, send(h, call{body: `{"currency":"EUR","amount":10}`}).replayed())
	a := send(h, call{body: `{"amount":"11","currency":"USD"}`})
	assert.Equal(t, idem.CodeMismatch, a.code())
	assert.Contains(t, a.body, `"fields":["body.amount"]`, "the sensitive one differs too and is not named")
	assert.Equal(t, 1, runs)
}
