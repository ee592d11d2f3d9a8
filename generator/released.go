package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
)

// base is what is known of the release that the working copy comes from.
type base struct {
	// lock is the lock as it was there, an empty one where there was none. Nil: nothing is known.
	lock *contract.Lock
	// name says where that is, for people.
	name string
	// unseen says why nothing is known, and what to do about it.
	unseen *UnseenError
}

// UnseenError says why it could not be seen what is released.
type UnseenError struct {
	// Why is a clause: the repository has no remote called origin.
	Why string
	// Help is what makes it seen; empty where nothing is known to help.
	Help string
}

// Error gives the reason, so that what is not seen can be handed on as an error.
func (u *UnseenError) Error() string { return u.Why }

// errBase says that the base which the caller named is none.
var errBase = errors.New("the base cannot be found")

// released finds the lock at the merge base with the release branch: a version that stands there may have written records. Without git, a
// remote or a merge base, as in a shallow clone, nothing is known, unless the caller named the base.
func (u *unit) released() (base, error) {
	b, err := findBase(filepath.Dir(u.lockPath()), filepath.Base(u.lockPath()), u.opts.Base)
	switch {
	case err == nil:
		return b, nil
	case u.opts.Base != "":
		return base{}, fmt.Errorf("generator: read lock of --base %s: %w", u.opts.Base, err)
	}
	if !errors.As(err, &b.unseen) {
		b.unseen = &UnseenError{Why: err.Error()}
	}
	return b, nil
}

func findBase(folder, lock, name string) (base, error) {
	g := git{folder: folder}
	if name == "" {
		head, err := g.run("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
		if err != nil {
			return base{}, g.whyNoHead()
		}
		name = head
	}
	find := []string{"merge-base", "--end-of-options", "HEAD", name}
	if _, err := g.run("rev-parse", "--quiet", "--verify", "MERGE_HEAD"); err == nil { // in a merge all of the other side is coming in
		find = []string{"rev-parse", "--quiet", "--verify", "--end-of-options", name + "^{commit}"}
	}
	commit, err := g.run(find...)
	if err != nil {
		return base{}, fmt.Errorf("%w: %w", errBase, g.whyNoMergeBase(name))
	}
	b, err := g.lockAt(commit, lock)
	b.name = name + " (" + short(commit) + ")"
	return b, err
}

// whyNoHead tells apart what may be missing on the way to the default branch of origin.
func (g git) whyNoHead() *UnseenError {
	if _, err := exec.LookPath("git"); err != nil {
		return &UnseenError{"git is not installed", "install it"}
	}
	_, err := g.run("rev-parse", "--git-dir")
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && bytes.Contains(exit.Stderr, []byte("dubious ownership")):
		return &UnseenError{"git reads no repository that belongs to somebody else", "git config --global --add safe.directory FOLDER"}
	case err != nil:
		return &UnseenError{"there is no git repository", "keep the lock in one"}
	}
	if remotes, _ := g.run("remote"); !slices.Contains(strings.Fields(remotes), "origin") {
		return &UnseenError{"the git repository has no remote called origin", "--base REVISION, a branch of what is released"}
	}
	return &UnseenError{"git does not know the default branch of the remote origin", "git remote set-head origin --auto, or --base origin/main"}
}

func (g git) whyNoMergeBase(name string) *UnseenError {
	if _, err := g.run("rev-parse", "--quiet", "--verify", "HEAD^{commit}"); err != nil {
		return &UnseenError{"nothing is committed yet", "commit it"}
	}
	if shallow, _ := g.run("rev-parse", "--is-shallow-repository"); shallow == "true" {
		return &UnseenError{"the clone is shallow, and git knows no merge base with " + name, "git fetch --unshallow; in a workflow, fetch-depth: 0"}
	}
	return &UnseenError{"git knows no merge base with " + name, "--base REVISION, a branch of what is released"}
}

// short is a commit as people read it.
func short(commit string) string { return commit[:min(len(commit), 12)] }

// lockAt reads the lock as a commit has it. A commit without one has an empty one.
func (g git) lockAt(commit, lock string) (base, error) {
	listed, err := g.run("ls-tree", "--name-only", commit, "--", lock)
	if err != nil {
		return base{}, fmt.Errorf("%w: git cannot list %s", errBase, commit)
	}
	if listed == "" {
		return base{lock: &contract.Lock{}}, nil
	}
	text, err := g.output("show", commit+":./"+lock)
	if err != nil {
		return base{}, fmt.Errorf("%w: git cannot show the lock of %s", errBase, commit)
	}
	parsed, found := contract.ParseLock(text, slash(lock)+"@"+short(commit))
	if parsed == nil {
		return base{}, fmt.Errorf("the lock that is released cannot be read: %s", found.All()[0])
	}
	return base{lock: parsed}, nil
}

// git runs git in a folder. Nothing that it runs changes anything or asks a remote.
type git struct{ folder string }

func (g git) output(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(context.Background(), "git", append([]string{"--no-optional-locks", "-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = g.folder
	cmd.Env = append(cmd.Environ(), "LC_ALL=C") // its words are read in one place
	return cmd.Output()
}

func (g git) run(args ...string) (string, error) {
	out, err := g.output(args...)
	return strings.TrimSpace(string(bytes.TrimRight(out, "\r\n"))), err
}
