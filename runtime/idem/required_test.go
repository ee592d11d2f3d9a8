package idem_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

func TestRequiredPartsAreRefusedWhenAbsent(t *testing.T) {
	there := &canon.Request{Body: []byte(`"x"`), Query: "limit=5", Header: map[string][]string{"X-Version": {"7"}}}
	absent := &canon.Request{}
	body, err := idem.RequiredBody[string](there)
	require.NoError(t, err)
	assert.Equal(t, "x", body)
	limit, err := idem.RequiredQuery[int64](there, "limit")
	require.NoError(t, err)
	assert.Equal(t, int64(5), limit)
	version, err := idem.RequiredHeader[int32](there, "x-version")
	require.NoError(t, err)
	assert.Equal(t, int32(7), version)

	_, errBody := idem.RequiredBody[string](absent)
	_, errQuery := idem.RequiredQuery[int64](absent, "limit")
	_, errHeader := idem.RequiredHeader[int32](absent, "X-Version")
	for place, err := range map[string]error{"body": errBody, "query.limit": errQuery, "header.x-version": errHeader} {
		var refusal *canon.Refusal
		require.ErrorAs(t, err, &refusal)
		assert.Equal(t, canon.Refusal{Place: place, Offset: -1, Reason: "is required"}, *refusal)
	}
	_, err = idem.RequiredQuery[int64](&canon.Request{Query: "limit=x"}, "limit")
	assert.ErrorContains(t, err, "query.limit")
}
