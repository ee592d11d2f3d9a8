package gogen

import (
	"strings"
	"testing"
	"time"

	"github.com/dave/jennifer/jen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/idemgen/idemgen/generator/contract"
)

// TestRenderNeverGivesOutBrokenCode: what does not parse is one line of error, without the source that jennifer adds.
func TestRenderNeverGivesOutBrokenCode(t *testing.T) {
	broken := jen.Func().Id("broken code").Params().Block()
	f, err := render(&contract.API{Package: "x"}, "x.yaml", "operation", []jen.Code{broken})
	require.ErrorContains(t, err, "render operation.gen.go")
	assert.NotContains(t, err.Error(), "\n")
	assert.Empty(t, f)
}

func TestImportsAreGrouped(t *testing.T) {
	f, err := render(&contract.API{Package: "x"}, "x.yaml", "operation", []jen.Code{
		jen.Var().Id("A").Qual("time", "Time"), jen.Var().Id("B").Add(idem("UUID")), jen.Var().Id("C").Qual("context", "Context"),
	})
	require.NoError(t, err)
	assert.Contains(t, string(f.Content), "import (\n\t\"context\"\n\t\"time\"\n\n\t\"github.com/idemgen/idemgen/runtime/idem\"\n)\n")

	f, err = render(&contract.API{Package: "x"}, "x.yaml", "operation", []jen.Code{jen.Var().Id("A").Qual("time", "Time")})
	require.NoError(t, err)
	assert.Contains(t, string(f.Content), "import \"time\"\n")
}

func TestDurationsReadAsTheyWereWritten(t *testing.T) {
	for d, want := range map[time.Duration]string{
		24 * time.Hour: "24 * time.Hour", 90 * time.Minute: "90 * time.Minute", 90 * time.Second: "90 * time.Second",
		1500 * time.Millisecond: "1500 * time.Millisecond", 7: "7 * time.Nanosecond", 0: "0 * time.Nanosecond",
	} {
		assert.Equal(t, want, strings.TrimSpace(duration(d).GoString()))
	}
}

func TestTagsThatEncodingJSONTakes(t *testing.T) {
	for name, want := range map[string]bool{
		"amount": true, "-": true, "a b": true, "$ref": true, "größe": true, "支付": true, "x-y_z.0": true,
		"": false, ",": false, `"`: false, "`": false, `\`: false, "'": false, "\n": false, "😀": false, "a\u2028": false,
	} {
		assert.Equal(t, want, taggable(name), "%q", name)
	}
}
