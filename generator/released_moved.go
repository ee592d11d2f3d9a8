package generator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/contract"
)

// Bounds of the search for a lock that was moved: more files than that are no branch's work, and a larger one is no lock.
const (
	mostMoved   = 20000
	largestLock = 8 << 20 // bytes
)

// lockMark stands in every lock.
const lockMark = "scheme: " + contract.Scheme

// moved looks for the lock that a base has at another place.
func (u *unit) moved(b base) (base, error) {
	lock, lost, err := u.movedLock(b.absent)
	switch {
	case err != nil:
		return base{}, err
	case lost:
		return base{lost: true, unseen: &UnseenError{
			Why:  b.name + " has no lock there, and a lock that it has elsewhere is gone: nobody can tell whether it was this one",
			Help: "--lock, or the lock's old place", Expected: true,
		}}, nil
	case lock != nil:
		b.lock = lock
	}
	return b, nil
}

// movedLock finds what is released of a document whose lock the commit has at another place: in locks that were at a path where none is
// any more. One whose path is still there belongs to its own document. lost says that there are such locks and none of them is about this
// document, so that nobody knows what became of their contracts.
func (u *unit) movedLock(commit string) (lock *contract.Lock, lost bool, err error) {
	g := git{folder: standing(filepath.Dir(u.lockPath()))}
	paths, err := g.vanished(commit)
	if err != nil || u.doc == nil {
		return nil, false, err
	}
	paths = append(paths, u.leftLocks(g, paths)...)
	slices.Sort(paths)
	paths = slices.Compact(paths)
	base := filepath.Base(u.lockPath())
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(otherName(a, base), otherName(b, base)) })
	texts, err := g.blobs(commit, paths)
	if err != nil {
		return nil, false, err
	}
	var gone []*contract.Lock
	unread := false
	for _, name := range paths {
		text, ok := texts[name]
		if !ok || !bytes.Contains(text, []byte(lockMark)) {
			continue
		}
		parsed, _ := contract.ParseLock(text, name+"@"+short(commit))
		if unread = unread || parsed == nil; parsed != nil {
			gone = append(gone, parsed)
		}
	}
	if len(gone) == 0 {
		return nil, unread, nil
	}
	others, err := u.otherLocks(g, commit)
	if err != nil {
		return nil, false, err
	}
	lock, lost = contract.Moved(u.doc, u.localLocks(), gone, func(name string) bool { return others[name] })
	return lock, lock == nil && (lost || unread), nil
}

// otherName orders files of one name before all others.
func otherName(name, base string) int {
	if path.Base(name) == base {
		return 0
	}
	return 1
}

// lockPlace is a folder that exists, for git, and the lock's path from there.
func (u *unit) lockPlace() (folder, lock string) {
	dir := filepath.Dir(u.lockPath())
	folder, lock = standing(dir), filepath.Base(u.lockPath())
	for ; dir != folder; dir = filepath.Dir(dir) {
		lock = filepath.Join(filepath.Base(dir), lock)
	}
	return folder, slash(lock)
}

// standing is the folder, or the nearest one above it that exists: a lock may be about to be written into a new one.
func standing(folder string) string {
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() || folder == filepath.Dir(folder) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

// vanished lists files of a commit that are not there any more, as paths from the repository's top.
func (g git) vanished(commit string) ([]string, error) {
	out, err := g.run("diff", "--no-ext-diff", "--no-renames", "--ignore-submodules", "--diff-filter=D", "--name-only", "-z", commit, "--", ":(top)")
	if err != nil {
		return nil, fmt.Errorf("%w: git cannot compare with %s", errBase, short(commit))
	}
	top, err := g.run("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%w: git knows no working tree", errBase)
	}
	var paths []string
	for name := range strings.SplitSeq(out, "\x00") {
		_, err := os.Lstat(filepath.Join(top, filepath.FromSlash(name)))
		if name != "" && errors.Is(err, os.ErrNotExist) {
			paths = append(paths, name)
		}
	}
	if len(paths) > mostMoved {
		return nil, fmt.Errorf("more than %d files are gone since %s", mostMoved, short(commit))
	}
	return paths, nil
}

// leftLocks are locks whose documents are gone, though they themselves may have been left behind, and the lock beside this document where another
// one was named.
func (u *unit) leftLocks(g git, vanished []string) (left []string) {
	top, err := g.run("rev-parse", "--show-toplevel")
	if err != nil {
		return nil
	}
	for _, name := range vanished {
		stem := strings.TrimSuffix(name, path.Ext(name))
		has := func(ext string) bool {
			_, err := os.Lstat(filepath.Join(top, filepath.FromSlash(stem+ext)))
			return err == nil
		}
		if exts := []string{".yaml", ".yml", ".json"}; slices.Contains(exts, path.Ext(name)) && !slices.ContainsFunc(exts, has) {
			left = append(left, stem+lockSuffix)
		}
	}
	beside := git{folder: standing(filepath.Dir(u.document))}
	if prefix, err := beside.run("rev-parse", "--show-prefix"); err == nil && u.opts.Lock != "" {
		left = append(left, prefix+stem(u.document)+lockSuffix)
	}
	return left
}

// otherLocks are the names of contracts that locks have which the commit does not have at their places, without this document's own: what
// is in them was moved with another document.
func (u *unit) otherLocks(g git, commit string) (map[string]bool, error) {
	top, err := g.run("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, fmt.Errorf("%w: git knows no working tree", errBase)
	}
	out, err := g.run("ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard", "--", ":(top)*"+lockSuffix)
	if err != nil {
		return nil, fmt.Errorf("%w: git cannot list the locks", errBase)
	}
	paths := strings.FieldsFunc(out, func(r rune) bool { return r == 0 })
	released, err := g.blobs(commit, paths)
	if err != nil {
		return nil, err
	}
	own, _ := os.Stat(u.lockPath())
	names := map[string]bool{}
	for _, name := range paths {
		file := filepath.Join(top, filepath.FromSlash(name))
		info, err := os.Stat(file)
		if _, had := released[name]; had || err != nil || own != nil && os.SameFile(own, info) {
			continue
		}
		for _, lock := range readLocks(file) {
			for contract := range lock.Contracts {
				names[contract] = true
			}
		}
	}
	return names, nil
}

// localLocks are what the document's lock file holds: one, or the two sides of a merge.
func (u *unit) localLocks() []*contract.Lock { return readLocks(u.lockPath()) }

func readLocks(file string) (locks []*contract.Lock) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > largestLock {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil // whoever needs it says so
	}
	ours, theirs, ok := contract.Sides(text)
	sides := [][]byte{ours, theirs}
	if !ok {
		sides = [][]byte{text}
	}
	for _, side := range sides {
		if lock, _ := contract.ParseLock(side, slash(file)); lock != nil {
			locks = append(locks, lock)
		}
	}
	return locks
}
