package generator

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCommandRepeatsTheOptions(t *testing.T) {
	assert.Equal(t, "idemgen generate api.yaml", Options{Extension: "x-idempotency", NewLock: true}.command("api.yaml"))
	assert.Equal(t, "idemgen generate ./-api.yaml", Options{}.command("-api.yaml"))
	assert.Equal(t, "idemgen generate api.yaml --overlay a.yaml --overlay 'b c.yaml' --extension x-once --webhooks --skip-unsupported "+
		"--lock a.lock.yaml --package pay --out '~/gen'",
		Options{Overlays: []string{"a.yaml", "b c.yaml"}, Extension: "x-once", Webhooks: true, SkipUnsupported: true,
			Lock: "a.lock.yaml", Package: "pay", Out: "~/gen"}.command("api.yaml"))
}

func TestShellWordsComeBack(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	for _, word := range []string{"plain", "a b", "it's", `"`, "$HOME", "`id`", `\`, "a\nb", "", "*", "größe", "'", "!x", "~", "#", "-n"} {
		out, err := exec.Command(sh, "-c", "printf %s "+shellWords("-", word)).Output()
		require.NoError(t, err)
		assert.Equal(t, "-"+word, string(out), "%q", word)
	}
}
