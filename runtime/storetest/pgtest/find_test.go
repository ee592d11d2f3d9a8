package pgtest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// install makes a folder that looks like an installation with these programs.
func install(t *testing.T, base, version string, programs ...string) string {
	dir := filepath.Join(base, version, "bin")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o755))
	}
	return dir
}

func TestNewestWholeInstallationIsFound(t *testing.T) {
	base := filepath.Join(t.TempDir(), "99-postgresql")
	install(t, base, "10", "initdb", "postgres") // the first one in the order of letters
	install(t, base, "9.6", "initdb", "postgres")
	install(t, base, "18", "psql") // the client alone
	want := install(t, base, "17", "initdb", "postgres")
	got, err := firstServerDir(newestFirst(filepath.Join(base, "*", "bin")))
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestMajorVersion(t *testing.T) {
	for path, want := range map[string]int{
		"15/bin": 15, "9.6/bin": 9, "@16/bin": 16, "/bin": 0, "99999999999999999999/bin": 0,
	} {
		assert.Equal(t, want, majorVersion(path), path)
	}
}

func TestNothingInstalledSaysWhatToInstall(t *testing.T) {
	_, err := firstServerDir([]string{"", t.TempDir()})
	require.ErrorIs(t, err, ErrNoServer)
	require.ErrorContains(t, err, "apt-get install postgresql")
	require.ErrorContains(t, err, EnvServer)
}
