package generator

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/openapi/diag"
)

// Comparison is what a document's contracts are now against what they were somewhere else.
type Comparison struct {
	Document string
	// Against says what they were compared with, for people: origin/main (5d0c1f7a92b4), or a file.
	Against     string
	Differences []contract.Difference
}

// Difference is one change, with its verdict.
type Difference = contract.Difference

// VerdictVersion is the verdict on a change after which requests are compared by a new version, the older one beside it.
const VerdictVersion = contract.VerdictVersion

// Refused reports whether a change forgets records and nobody has answered for it.
func (c *Comparison) Refused() bool {
	return slices.ContainsFunc(c.Differences, func(d Difference) bool { return d.Verdict == contract.VerdictDangerous && d.Accepted == "" })
}

// Findings are the changes that a reviewer has to look at, as diagnostics.
func (c *Comparison) Findings() diag.List { return contract.DifferenceFindings(c.Differences) }

// Compare compares a document's contracts with the lock in a file, or with the one that a git revision has at the lock's place. An empty
// against is the merge base with what is released. Changes that forget records are differences here, and no findings.
func Compare(document, against string, opts Options) (*Comparison, diag.List, error) {
	opts.comparing = true
	u, err := compile(document, opts)
	if err != nil || u.api == nil || u.findings.HasErrors() {
		return nil, u.findings, err
	}
	now, found := contract.ParseLock(contract.EncodeLock(u.api), slash(u.lockPath()))
	if now == nil {
		return nil, u.findings, fmt.Errorf("generator: compare %s: %s", slash(document), found.All()[0])
	}
	was, name, err := u.earlier(against)
	var obstacle *BlockedError
	if errors.As(err, &obstacle) {
		return nil, u.findings, err
	}
	if err != nil {
		return nil, u.findings, fmt.Errorf("generator: compare %s: %w", slash(document), err)
	}
	return &Comparison{Document: document, Against: name, Differences: contract.Differences(was, now)}, u.findings, nil
}

// earlier finds the lock to compare with.
func (u *unit) earlier(against string) (*contract.Lock, string, error) {
	if against == "" {
		if u.base.lock == nil {
			return nil, "", blocked(one(u.base.unseen.finding(u.lockPath(), "give --against, a revision or a lock file")))
		}
		return u.base.lock, u.base.name, nil
	}
	if data, err := os.ReadFile(against); err == nil {
		lock, found := contract.ParseLock(data, slash(against))
		if lock == nil {
			return nil, "", errors.New(found.All()[0].String())
		}
		return lock, slash(against), nil
	}
	folder, lock := u.lockPlace()
	g := git{folder: folder}
	commit, err := g.run("rev-parse", "--verify", "--quiet", "--end-of-options", against+"^{commit}")
	if err != nil {
		return nil, "", fmt.Errorf("%q is neither a file nor a revision that git knows", against)
	}
	b, err := g.lockAt(commit, lock)
	if err == nil && b.absent != "" {
		moved, _, err := u.movedLock(commit)
		if moved != nil || err != nil {
			return moved, against, err
		}
	}
	return b.lock, against, err
}
