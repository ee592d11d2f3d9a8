package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/runtime/canon"
)

func TestTraitsTakeALineApart(t *testing.T) {
	cases := map[string]Traits{
		"exact/1 required":                        {Head: "exact"},
		"decimal/1 optional null=absent":          {Head: "decimal", Optional: true, Null: NullAbsent},
		"object optional unknown=ignore":          {Head: "object", Optional: true, Unknown: canon.IgnoreUnknown},
		"list/1 of exact/1 required":              {Head: "list", Element: &Traits{Head: "exact"}},
		"set/1 of (int/1 null=distinct) optional": {Head: "set", Optional: true, Element: &Traits{Head: "int", Null: NullDistinct}},
		`exact/1 optional default="a/b c"`:        {Head: "exact", Optional: true, Default: `"a/b c"`},
		"union(type) required":                    {Head: "union", Of: "type"},
		`union("odd/name") required`:              {Head: "union", Of: `"odd/name"`},
		"union required":                          {Head: "union"},
		"recursion of body.children[] optional":   {Head: "recursion", Of: "body.children[]", Optional: true},
		"view(claims)/1 required":                 {Head: "view", Of: "claims"},
	}
	for line, want := range cases {
		got, err := Field{Rule: line}.Traits()
		require.NoError(t, err, line)
		assert.Equal(t, want, got, line)
	}
	_, err := Field{Rule: "exact/1 sometimes"}.Traits()
	assert.Error(t, err)
}
