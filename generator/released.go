package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
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
	// absent is the commit that has no lock at the place; empty where there is one.
	absent string
	// lost says that released locks are at their places no more, and that nobody knows whether one of them is the document's.
	lost bool
}

// UnseenError says why it could not be seen what is released.
type UnseenError struct {
	// Why is a clause: the repository has no remote called origin.
	Why string
	// Help is what makes it seen; empty where nothing is known to help.
	Help string
	// Expected says that there may well be a release: the clone knows a remote, or this is continuous integration, which is there to find
	// out what a change does to what is released.
	Expected bool
}

// Error gives the reason, so that what is not seen can be handed on as an error.
func (u *UnseenError) Error() string { return u.Why }

// errBase says that the base which the caller named is none.
var errBase = errors.New("the base cannot be found")

// NoBase is given in place of a revision by who says that there is no release to compare with.
const NoBase = "none"

// released finds the lock at the merge base with the release branch: a version that stands there may have written records. Without git, a
// remote or a merge base, as in a shallow clone, nothing is known, unless the caller named the base.
func (u *unit) released() (base, error) {
	if u.opts.Base == NoBase {
		return base{unseen: &UnseenError{Why: "--base " + NoBase}}, nil
	}
	folder, lock := u.lockPlace()
	b, err := findBase(folder, lock, u.opts.Base)
	if err == nil && b.absent != "" {
		b, err = u.moved(b)
	}
	switch {
	case err == nil:
		return b, nil
	case u.opts.Base != "":
		return base{}, fmt.Errorf("generator: read lock of --base %s: %w", u.opts.Base, err)
	}
	if !errors.As(err, &b.unseen) {
		b.unseen = &UnseenError{Why: err.Error(), Expected: true} // git has found the release, and the lock of it cannot be read
	}
	return b, nil
}

func findBase(folder, lock, name string) (base, error) {
	g := git{folder: folder}
	revision := name
	if name == "" {
		var unseen *UnseenError
		if revision, unseen = g.releaseBranch(); unseen != nil {
			return base{}, unseen
		}
		name = strings.TrimPrefix(revision, "refs/remotes/")
	}
	find := []string{"merge-base", "--end-of-options", "HEAD", revision}
	if _, err := g.run("rev-parse", "--quiet", "--verify", "MERGE_HEAD"); err == nil { // in a merge all of the other side is coming in
		find = []string{"rev-parse", "--quiet", "--verify", "--end-of-options", revision + "^{commit}"}
	}
	commit, err := g.run(find...)
	if err != nil {
		return base{}, fmt.Errorf("%w: %w", errBase, g.whyNoMergeBase(name))
	}
	b, err := g.lockAt(commit, lock)
	b.name = name + " (" + short(commit) + ")"
	return b, err
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
		return base{lock: &contract.Lock{}, absent: commit}, nil
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

func (g git) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), "git", append([]string{"--no-optional-locks", "-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = g.folder
	cmd.Env = append(cmd.Environ(), "LC_ALL=C") // its words are read in one place
	return cmd
}

func (g git) output(args ...string) ([]byte, error) { return g.command(args...).Output() }

func (g git) run(args ...string) (string, error) {
	out, err := g.output(args...)
	return strings.TrimSpace(string(bytes.TrimRight(out, "\r\n"))), err
}
