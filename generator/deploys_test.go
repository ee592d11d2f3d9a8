package generator

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDeploys makes the programs of golden/deploys, each from its document and the lock of the one before: the first version of a contract,
// the second beside it, and the second alone, when the first was pruned.
func TestDeploys(t *testing.T) {
	golden, err := filepath.Abs("../golden/deploys")
	require.NoError(t, err)
	t.Setenv("GIT_DIR", t.TempDir()) // without a repository the lock on disk counts as released
	var lock []byte
	for _, name := range []string{"one", "two", "three"} {
		dir := filepath.Join(golden, name)
		want := tree(t, os.DirFS(dir))
		made := sources(t, want)
		if *update {
			refuseUpdateInCI(t)
			made = dir
		}
		document := filepath.Join(made, "openapi.yaml")
		lockFile := filepath.Join(made, "openapi"+lockSuffix)
		if lock != nil {
			require.NoError(t, os.WriteFile(lockFile, lock, 0o644))
		} else if *update {
			require.NoError(t, os.RemoveAll(lockFile))
		}
		plan, findings, err := Prepare([]string{document}, Options{NewLock: true})
		if name == "three" {
			plan, _, findings, err = Prune([]string{document}, Pruning{Live: map[string]int64{}}, Options{})
		}
		require.NoError(t, err)
		require.False(t, findings.HasErrors())
		_, err = plan.Write()
		require.NoError(t, err)
		if !*update {
			assertTree(t, want, made)
		}
		lock, err = os.ReadFile(lockFile)
		require.NoError(t, err)
	}
}
