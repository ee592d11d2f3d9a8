package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/config"
)

// The reference's examples are read without a finding, and it names every member.
func TestReference(t *testing.T) {
	file, err := filepath.Abs("CONFIG.md")
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	parts := strings.Split(string(text), "```")
	require.Len(t, parts, 5)
	for _, i := range []int{1, 3} {
		c, found := load(t, strings.TrimPrefix(parts[i], "yaml\n"))
		require.Empty(t, found.All())
		assert.NotEmpty(t, c.Documents)
	}
	prose := parts[2] + parts[4]
	schema, err := config.Schema()
	require.NoError(t, err)
	var of struct {
		Properties map[string]struct {
			Items struct {
				Properties map[string]any
				AnyOf      []struct{ Properties map[string]any }
			}
		}
	}
	require.NoError(t, json.Unmarshal(schema, &of))
	named := func(name string) { assert.Contains(t, prose, "`"+name+"`", "the reference does not name %s", name) }
	require.Len(t, of.Properties["documents"].Items.AnyOf, 2)
	for name := range of.Properties {
		named(name)
	}
	for name := range of.Properties["documents"].Items.AnyOf[1].Properties {
		named(name)
	}
	for name := range of.Properties["accept"].Items.Properties {
		named(name)
	}
}
