package hostileidem

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	ft "github.com/idemgen/idemgen/golden/gogen/fingerprinttest"
)

// TestEveryNameIsRead: each member of the shape, whatever its name, reaches a field of its own and the canonical form.
func TestEveryNameIsRead(t *testing.T) {
	for i, m := range shapeAttackBody.Members[:len(shapeAttackBody.Members)-1] {
		name, err := json.Marshal(m.Name)
		require.NoError(t, err)
		body := `{` + string(name) + `:"seen"}`

		r := ft.JSON(body, "p")
		r.Query = "q%22%0A%60=AAE="
		cmd, err := decodeAttack(r)
		require.NoError(t, err, m.Name)
		fields := reflect.ValueOf(cmd.Body)
		for j := range fields.NumField() {
			got := fields.Field(j).Interface().(*string)
			if j == i {
				require.NotNil(t, got, "%q did not reach %s", m.Name, fields.Type().Field(j).Name)
				assert.Equal(t, "seen", *got)
			} else {
				assert.Nil(t, got, "%q reached %s", m.Name, fields.Type().Field(j).Name)
			}
		}

		want := `{"body":{` + m.Key + `"seen","` + "\uff5a" + `":"*/\u2028"},"query":{"q\"\n` + "`" + `":"AAE="}}`
		ft.Accepts(t, &AttackOperation, r, want)
	}
}

func TestWrongTypeIsRefused(t *testing.T) {
	_, err := decodeAttack(ft.JSON(`{"a\"b":1}`, "p"))
	require.Error(t, err)
}

func TestNothingWasInjected(t *testing.T) {
	assert.True(t, strings.HasPrefix(AttackOperation.Path, "/a\"b/`c`/\n//go:generate"), "literals keep every character")
}
