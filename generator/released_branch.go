package generator

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/idemgen/idemgen/openapi/diag"
)

// originRefs is where git keeps what it knows of the remote origin's branches.
const originRefs = "refs/remotes/origin/"

// releaseBranch finds the branch of origin that is released, as a full name. A clone has it as origin's head. One that was put together
// from init and fetch, as runners do it, has none: there the branch counts that the run is going to be merged into, then the one that most
// repositories release.
func (g git) releaseBranch() (string, *UnseenError) {
	if head, err := g.run("symbolic-ref", "--quiet", originRefs+"HEAD"); err == nil && g.knows(head) {
		return head, nil
	}
	if target := targetBranch(); target != "" && g.knows(originRefs+target) {
		return originRefs + target, nil
	}
	var customary []string
	for _, name := range []string{"main", "master"} {
		if g.knows(originRefs + name) {
			customary = append(customary, originRefs+name)
		}
	}
	if len(customary) == 1 {
		return customary[0], nil
	}
	return "", g.whyNoBranch()
}

func (g git) knows(ref string) bool {
	_, err := g.run("show-ref", "--verify", "--quiet", ref)
	return err == nil
}

// targetBranch is the branch that GitHub Actions or GitLab says this run is going to be merged into.
func targetBranch() string {
	for _, name := range []string{"GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME"} {
		if branch := os.Getenv(name); branch != "" {
			return branch
		}
	}
	return ""
}

// inCI reports whether the environment says that this is continuous integration, as all runners do.
func inCI() bool {
	is, err := strconv.ParseBool(os.Getenv("CI"))
	return err == nil && is
}

// whyNoBranch tells apart what may be missing on the way to the release branch.
func (g git) whyNoBranch() *UnseenError {
	if _, err := exec.LookPath("git"); err != nil {
		return &UnseenError{"git is not installed", "install it", inCI()}
	}
	_, err := g.run("rev-parse", "--git-dir")
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && bytes.Contains(exit.Stderr, []byte("dubious ownership")):
		return &UnseenError{"git reads no repository that belongs to somebody else", "git config --global --add safe.directory FOLDER", true}
	case err != nil:
		return &UnseenError{"there is no git repository", "keep the lock in one", inCI()}
	}
	if remotes, _ := g.run("remote"); !slices.Contains(strings.Fields(remotes), "origin") {
		return &UnseenError{"the git repository has no remote called origin", "--base REVISION, a branch of what is released", inCI()}
	}
	branches, _ := g.run("for-each-ref", "--count=1", originRefs)
	if target := targetBranch(); target != "" {
		fetch := shellWords("git", "fetch", "origin", "+refs/heads/"+target+":"+originRefs+target)
		return &UnseenError{"git has not fetched origin/" + target, fetch + " (in a workflow, fetch-depth: 0), or --base REVISION", true}
	}
	if branches == "" && !g.shallow() { // nothing was ever pushed, most likely
		return &UnseenError{"git knows no branch of the remote origin", "git fetch origin, or --base REVISION", inCI()}
	}
	return &UnseenError{"git does not know the default branch of the remote origin", "--base origin/main, or git remote set-head origin --auto", true}
}

func (g git) whyNoMergeBase(name string) *UnseenError {
	if _, err := g.run("rev-parse", "--quiet", "--verify", "HEAD^{commit}"); err != nil {
		return &UnseenError{"nothing is committed yet", "commit it", inCI()}
	}
	if g.shallow() {
		return &UnseenError{"the clone is shallow, and git knows no merge base with " + name, "git fetch --unshallow (in a workflow, fetch-depth: 0), or --base REVISION", true}
	}
	return &UnseenError{"git knows no merge base with " + name, "--base REVISION, a branch of what is released", true}
}

func (g git) shallow() bool {
	shallow, _ := g.run("rev-parse", "--is-shallow-repository")
	return shallow == "true"
}

// finding says that it could not be seen what is released, and what that means.
func (u *UnseenError) finding(lock, means string) diag.Diagnostic {
	hint := u.Help
	if hint != "" && u.Expected && !strings.Contains(hint, "--base") {
		hint += ", or --base " + NoBase
	}
	return diag.Diagnostic{
		Pos: diag.Pos{File: slash(lock)}, Code: diag.ReleaseUnseen, Hint: hint,
		Message: "what is released could not be seen (" + u.Why + "): " + means,
	}
}

// Blind are the findings about packages whose release could not be seen although there may well be one: nobody knows then what a change
// does to it.
func (p *Plan) Blind() (found diag.List) {
	for i := range p.Packages {
		if unseen := p.Packages[i].Unseen; unseen != nil && unseen.Expected {
			found.Add(unseen.finding(p.Packages[i].Lock, "the lock was compared with itself alone"))
		}
	}
	return found
}
