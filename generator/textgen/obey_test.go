package textgen

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/openapi"
)

// An example that its own schema refuses is copied, and refused.
func TestExamplesObeyTheirSchemas(t *testing.T) {
	long := func(n uint64) *uint64 { return &n }
	for _, c := range []struct {
		schema openapi.Schema
		want   string
	}{
		{openapi.Schema{}, "string"},
		{openapi.Schema{MaxLength: long(3)}, "str"},
		{openapi.Schema{MinLength: 8}, "stringstring"},
		{openapi.Schema{MinLength: 8, MaxLength: long(8)}, "stringst"},
		{openapi.Schema{Pattern: "^[A-Z]{3}$", MaxLength: long(3)}, "AAA"},
		{openapi.Schema{Pattern: `^\d+$`}, "1"},
		{openapi.Schema{Pattern: `^[0-9a-f]*$`, MinLength: 4}, "1111"},
		{openapi.Schema{Pattern: `^acc_[A-Za-z0-9]{4,12}$`, MinLength: 10}, "acc_111111"},
		{openapi.Schema{Pattern: `^(card|bank)-(\w+)$`}, "card-1"},
		{openapi.Schema{Pattern: "^[a-z]+$"}, "string"},
		{openapi.Schema{Pattern: "^(?!0)x$"}, "string"}, // not Go's
		{openapi.Schema{Pattern: `\bx\b`}, "string"},
		{openapi.Schema{Format: "date"}, "2026-01-31"},
		{openapi.Schema{Format: "date-time"}, "2026-01-31T12:00:00Z"},
		{openapi.Schema{Format: "email"}, "name@example.com"},
		{openapi.Schema{Format: "uuid"}, "7d3c9f4e-52a1-4b8e-9c60-1f2a3b4c5d6e"},
		{openapi.Schema{Format: "iban"}, "iban"},
		{openapi.Schema{Format: "currency-code", MaxLength: long(3)}, "cur"},
		{openapi.Schema{Enum: []string{`"EUR"`}, MaxLength: long(3)}, "EUR"},
		{openapi.Schema{MinLength: 1 << 60}, "string"},
		{openapi.Schema{Pattern: "^(a{1000})$"}, "string"},
		{openapi.Schema{Pattern: "^" + strings.Repeat("(", 30) + strings.Repeat(")*", 30) + "$"}, ""},
	} {
		c.schema.Types = []string{"string"}
		assert.Equal(t, strconv.Quote(c.want), declare(&c.schema).fit(`"string"`), fmt.Sprintf("%+v", c.schema))
	}
	assert.Equal(t, "1", declare(&openapi.Schema{Types: []string{"integer"}, MinLength: 3}).fit("1"), "a number has no length")
	assert.Equal(t, `"10.50"`, declare(&openapi.Schema{Format: "decimal", Pattern: `^\d+(\.\d\d)?$`}).fit(`"10.50"`))
}

func FuzzObey(f *testing.F) {
	f.Add("^[A-Z]{3}$", uint64(0), uint64(3))
	f.Add(`(x*)*y{2,}|z`, uint64(5), uint64(9))
	f.Fuzz(func(t *testing.T, pattern string, least, most uint64) {
		s := &openapi.Schema{Types: []string{"string"}, Pattern: pattern, MinLength: least, MaxLength: &most}
		var got string
		require.NoError(t, json.Unmarshal([]byte(declare(s).fit(`"string"`)), &got))
		if got == "string" {
			return
		}
		if p, err := regexp.Compile(pattern); err == nil && utf8.ValidString(got) {
			assert.Regexp(t, p, got)
		}
		assert.LessOrEqual(t, uint64(utf8.RuneCountInString(got)), most)
	})
}
