package contract

import (
	"bytes"
	"maps"
	"slices"
)

// Sides cuts a lock that git could not merge into what the two branches have. ok is false where it has no conflict, or one that is cut off.
// A common ancestor between them (merge.conflictStyle diff3) is left out.
func Sides(data []byte) (ours, theirs []byte, ok bool) {
	const (
		both = iota
		left
		ancestor
		right
	)
	at := both
	for line := range bytes.Lines(data) {
		switch {
		case at == both && isMarker(line, '<'):
			at, ok = left, true
		case at == left && isMarker(line, '|'):
			at = ancestor
		case (at == left || at == ancestor) && isMarker(line, '='):
			at = right
		case at == right && isMarker(line, '>'):
			at = both
		case at == both:
			ours, theirs = append(ours, line...), append(theirs, line...)
		case at == left:
			ours = append(ours, line...)
		case at == right:
			theirs = append(theirs, line...)
		}
	}
	return ours, theirs, ok && at == both
}

// isMarker recognises the lines that git puts between the sides.
func isMarker(line []byte, sign byte) bool {
	line = bytes.TrimRight(line, "\r\n")
	marker := bytes.Repeat([]byte{sign}, 7)
	return bytes.Equal(line, marker) || bytes.HasPrefix(line, append(marker, ' '))
}

// MergeLocks gives what both branches of a merge need. Versions that are released stay as they are; where two have one number and nobody
// knows, the second side's gets the next one, so that none is lost. What the document says decides the rest when it is built against the result.
func MergeLocks(ours, theirs, released *Lock) *Lock {
	out := &Lock{Scheme: Scheme, Contracts: map[string]*LockedContract{}, Gone: mergeGone(ours.Gone, theirs.Gone)}
	maps.Copy(out.Contracts, theirs.Contracts)
	for name, c := range ours.Contracts {
		if other := theirs.Contracts[name]; other != nil {
			c = mergeContracts(c, other, released.contract(name), released != nil)
		}
		out.Contracts[name] = c
	}
	return out
}

func mergeContracts(ours, theirs, released *LockedContract, known bool) *LockedContract {
	out := *ours
	out.Accepted, out.Retired = slices.Clone(ours.Accepted), slices.Clone(ours.Retired)
	for _, a := range theirs.Accepted {
		if !slices.Contains(out.Accepted, a) {
			out.Accepted = append(out.Accepted, a)
		}
	}
	for _, r := range theirs.Retired {
		if !slices.Contains(out.Retired, r) {
			out.Retired = append(out.Retired, r)
		}
	}
	if known {
		out.Versions = releasedVersions(released, theirs, ours)
	} else {
		out.Versions = bothVersions(ours, theirs)
	}
	out.Current = 0
	for number := range out.Versions {
		out.Current = max(out.Current, number)
	}
	return &out
}

// releasedVersions are those of the sides that are released. The others are made anew of the document.
func releasedVersions(released *LockedContract, sides ...*LockedContract) map[int]*LockedVersion {
	out := map[int]*LockedVersion{}
	for _, side := range sides {
		for _, v := range side.Versions {
			if released == nil {
				continue
			}
			if number := released.version(v.ID); number != 0 {
				out[number] = v
			}
		}
	}
	return out
}

// bothVersions keeps every version of both sides.
func bothVersions(ours, theirs *LockedContract) map[int]*LockedVersion {
	out := &LockedContract{Versions: maps.Clone(ours.Versions), Retired: slices.Concat(ours.Retired, theirs.Retired)}
	for _, number := range slices.Sorted(maps.Keys(theirs.Versions)) {
		v := theirs.Versions[number]
		switch {
		case out.version(v.ID) != 0:
		case out.Versions[number] == nil:
			out.Versions[number] = v
		default:
			out.Versions[max(out.highest(), theirs.highest())+1] = v
		}
	}
	return out.Versions
}
