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
		"CI": "", "GITHUB_BASE_REF": "", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "",
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
	// bare is a clone as a runner makes it: origin has no head there.
	bare := func(t *testing.T, name string, refs ...string) string {
		folder := filepath.Join(home, name)
		git(t, home, "init", "-q", folder)
		git(t, folder, "remote", "add", "origin", "file://"+upstream)
		if len(refs) > 0 {
			git(t, folder, append([]string{"fetch", "-q", "--refmap=", "origin"}, refs...)...)
			git(t, folder, "update-ref", "--no-deref", "-d", "refs/remotes/origin/HEAD") // git 2.48 and later make one
		}
		return folder
	}
	for _, c := range []struct {
		name      string
		make      func(t *testing.T) string
		why, help string
		expected  bool
	}{
		{"seen", func(t *testing.T) string { return clone(t, "seen") }, "", "", false},
		{"no repository", func(*testing.T) string { return home }, "there is no git repository", "keep the lock in one", false},
		{"no repository in continuous integration", func(t *testing.T) string {
			t.Setenv("CI", "true")
			return home
		}, "there is no git repository", "keep the lock in one", true},
		{"nobody's", func(t *testing.T) string {
			t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
			return filepath.Join(home, "seen")
		}, "git reads no repository that belongs to somebody else", "git config --global --add safe.directory FOLDER", true},
		{"no remote", func(t *testing.T) string {
			folder := clone(t, "alone")
			git(t, folder, "remote", "rename", "origin", "upstream")
			return folder
		}, "the git repository has no remote called origin", "--base REVISION, a branch of what is released", false},
		{"nothing pushed", func(t *testing.T) string { return bare(t, "fresh") }, "git knows no branch of the remote origin", "git fetch origin, or --base REVISION", false},
		{"no customary branch", func(t *testing.T) string { return bare(t, "odd", "+main:refs/remotes/origin/trunk") },
			"git does not know the default branch of the remote origin", "--base origin/main, or git remote set-head origin --auto", true},
		{"two customary branches", func(t *testing.T) string {
			return bare(t, "two", "+main:refs/remotes/origin/main", "+main:refs/remotes/origin/master")
		}, "git does not know the default branch of the remote origin", "--base origin/main, or git remote set-head origin --auto", true},
		{"the target is not fetched", func(t *testing.T) string {
			t.Setenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "next")
			return bare(t, "narrow", "+main:refs/remotes/pull/1/merge")
		}, "git has not fetched origin/next", "git fetch origin +refs/heads/next:refs/remotes/origin/next (in a workflow, fetch-depth: 0), or --base REVISION", true},
		{"nothing committed", func(t *testing.T) string {
			folder := clone(t, "unborn")
			git(t, folder, "checkout", "-q", "--orphan", "fresh")
			return folder
		}, "nothing is committed yet", "commit it", false},
		{"shallow", func(t *testing.T) string {
			folder := clone(t, "shallow", "--depth", "1")
			commit(t, upstream, "three")
			git(t, folder, "fetch", "-q", "--depth", "1", "origin", "+main:refs/remotes/origin/main")
			return folder
		}, "the clone is shallow, and git knows no merge base with origin/main", "git fetch --unshallow (in a workflow, fetch-depth: 0), or --base REVISION", true},
		{"other history", func(t *testing.T) string {
			folder := clone(t, "orphan")
			git(t, folder, "checkout", "-q", "--orphan", "fresh")
			commit(t, folder, "other")
			return folder
		}, "git knows no merge base with origin/main", "--base REVISION, a branch of what is released", true},
		{"no git", func(t *testing.T) string {
			t.Setenv("PATH", "")
			return home
		}, "git is not installed", "install it", false},
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
			assert.Equal(t, &UnseenError{c.why, c.help, c.expected}, b.unseen)
		})
	}
	for _, c := range []struct {
		name, target string
		refs         []string
		want         string
	}{
		{"the branch that it will be merged into", "release", []string{"+main:refs/remotes/origin/release", "+main:refs/remotes/origin/main"}, "origin/release"},
		{"main", "", []string{"+main:refs/remotes/origin/main", "+main:refs/remotes/origin/feature"}, "origin/main"},
		{"master", "gone", []string{"+main:refs/remotes/origin/master"}, "origin/master"},
	} {
		t.Run("origin without a head: "+c.name, func(t *testing.T) {
			t.Setenv("GITHUB_BASE_REF", c.target)
			folder := bare(t, "runner-"+c.want[len("origin/"):], c.refs...)
			git(t, folder, "checkout", "-q", "--detach", c.want)
			b, err := (&unit{document: filepath.Join(folder, "payments.yaml")}).released()
			require.NoError(t, err)
			require.Nil(t, b.unseen)
			assert.Contains(t, b.name, c.want+" (")
		})
	}
}
