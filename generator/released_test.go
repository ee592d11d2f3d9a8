package generator

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is missing on the way to what is released is told apart, since each has another remedy.
func TestWhyWhatIsReleasedIsNotSeen(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	home := t.TempDir()
	for name, value := range map[string]string{
		"HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": filepath.Dir(home),
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
	} {
		t.Setenv(name, value)
	}
	git := func(t *testing.T, folder string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "git %v: %s", args, out)
	}
	commit := func(t *testing.T, folder, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "file"), []byte(text), 0o600))
		git(t, folder, "add", ".")
		git(t, folder, "commit", "-qm", text)
	}
	upstream := filepath.Join(home, "upstream")
	git(t, home, "init", "-q", "-b", "main", upstream)
	commit(t, upstream, "one")
	commit(t, upstream, "two")
	clone := func(t *testing.T, name string, args ...string) string {
		folder := filepath.Join(home, name)
		git(t, home, append(append([]string{"clone", "-q"}, args...), "file://"+upstream, folder)...)
		return folder
	}
	for _, c := range []struct {
		name      string
		make      func(t *testing.T) string
		why, help string
	}{
		{"seen", func(t *testing.T) string { return clone(t, "seen") }, "", ""},
		{"no repository", func(*testing.T) string { return home }, "there is no git repository", "keep the lock in one"},
		{"nobody's", func(t *testing.T) string {
			t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
			return filepath.Join(home, "seen")
		}, "git reads no repository that belongs to somebody else", "git config --global --add safe.directory FOLDER"},
		{"no remote", func(t *testing.T) string {
			folder := clone(t, "alone")
			git(t, folder, "remote", "rename", "origin", "upstream")
			return folder
		}, "the git repository has no remote called origin", "--base REVISION, a branch of what is released"},
		{"no head", func(t *testing.T) string {
			folder := clone(t, "headless")
			git(t, folder, "remote", "set-head", "origin", "--delete")
			return folder
		}, "git does not know the default branch of the remote origin", "git remote set-head origin --auto, or --base origin/main"},
		{"nothing committed", func(t *testing.T) string {
			folder := clone(t, "unborn")
			git(t, folder, "checkout", "-q", "--orphan", "fresh")
			return folder
		}, "nothing is committed yet", "commit it"},
		{"shallow", func(t *testing.T) string {
			folder := clone(t, "shallow", "--depth", "1")
			commit(t, upstream, "three")
			git(t, folder, "fetch", "-q", "--depth", "1", "origin", "+main:refs/remotes/origin/main")
			return folder
		}, "the clone is shallow, and git knows no merge base with origin/main", "git fetch --unshallow; in a workflow, fetch-depth: 0"},
		{"other history", func(t *testing.T) string {
			folder := clone(t, "orphan")
			git(t, folder, "checkout", "-q", "--orphan", "fresh")
			commit(t, folder, "other")
			return folder
		}, "git knows no merge base with origin/main", "--base REVISION, a branch of what is released"},
		{"no git", func(t *testing.T) string {
			t.Setenv("PATH", "")
			return home
		}, "git is not installed", "install it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := &unit{document: filepath.Join(c.make(t), "payments.yaml")}
			b, err := u.released()
			require.NoError(t, err)
			if c.why == "" {
				assert.NotNil(t, b.lock)
				assert.Nil(t, b.unseen)
				return
			}
			assert.Nil(t, b.lock)
			assert.Equal(t, &UnseenError{c.why, c.help}, b.unseen)
		})
	}
}
