package idem_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/idem"
)

func TestUUIDsAreReadBack(t *testing.T) {
	u := idem.NewUUID()
	for _, text := range []string{u.String(), strings.ToUpper(u.String())} {
		back, err := idem.ParseUUID(text)
		require.NoError(t, err)
		assert.Equal(t, u, back)
	}
	for _, text := range []string{"", "x", u.String()[1:], u.String() + "0", strings.ReplaceAll(u.String(), "-", ""), "g" + u.String()[1:], strings.Replace(u.String(), "-", "0", 1)} {
		back, err := idem.ParseUUID(text)
		require.Error(t, err, text)
		assert.True(t, back.IsZero())
	}
}
