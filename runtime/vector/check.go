package vector

import (
	"encoding/hex"
	"fmt"

	"github.com/idemgen/idemgen/runtime/canon"
)

// Fingerprint gives the canonical text and the digest of a request, or why it has none.
type Fingerprint func(*canon.Request) (canonical string, digest canon.Digest, err error)

// Fault is a vector that does not hold.
type Fault struct {
	Index  int    // among the vectors; -1 when the list as a whole is at fault
	Vector string // its name
	Text   string // what was wanted and what was seen
}

// Check gives the vectors that do not hold under a fingerprint. template is the operation's path.
func Check(vectors []Vector, template string, of Fingerprint) []Fault {
	requests, err := Expand(vectors)
	if err != nil {
		return []Fault{{Index: -1, Text: err.Error()}}
	}
	var out []Fault
	seen := map[string]Seen{}
	for i := range vectors {
		v := &vectors[i]
		now := See(requests[i], template, of)
		seen[v.Name] = now
		if text := v.Judge(now, seen[v.Base()]); text != "" {
			out = append(out, Fault{Index: i, Vector: v.Name, Text: text})
		}
	}
	return out
}

// Seen is what a fingerprint made of a request.
type Seen struct {
	Canonical string
	Digest    canon.Digest
	Err       error
}

// See fingerprints a request.
func See(r Request, template string, of Fingerprint) Seen {
	var s Seen
	s.Canonical, s.Digest, s.Err = of(r.Canon(template))
	return s
}

// Judge says why a vector does not hold, from what was made of its request and of its base's; empty when it holds.
func (v *Vector) Judge(now, base Seen) string {
	switch {
	case v.Refused != "" && now.Err == nil:
		return "it must be refused, and is accepted\n  canonical seen: " + now.Canonical
	case v.Refused != "":
		return ""
	case now.Err != nil:
		return fmt.Sprintf("it is refused: %v\n  canonical wanted: %s", now.Err, v.wanted(base))
	case v.Canonical != "" && now.Canonical != v.Canonical:
		return "its canonical text moved\n  canonical wanted: " + v.Canonical + "\n  canonical seen: " + now.Canonical
	case v.SHA256 != "" && hex.EncodeToString(now.Digest[:]) != v.SHA256:
		return fmt.Sprintf("its digest moved, for the same canonical text\n  sha256 wanted: %s\n  sha256 seen: %x\n  canonical seen: %s", v.SHA256, now.Digest, now.Canonical)
	case v.Like != "" && now.Digest != base.Digest:
		return fmt.Sprintf("it must be the same command as %q\n  canonical wanted: %s\n  canonical seen: %s", v.Like, base.Canonical, now.Canonical)
	case v.Unlike != "" && now.Digest == base.Digest:
		return fmt.Sprintf("it must be another command than %q\n  canonical of both: %s", v.Unlike, now.Canonical)
	}
	return ""
}

// wanted is the canonical text that a vector which is not refused must have, as far as it is known.
func (v *Vector) wanted(base Seen) string {
	switch {
	case v.Canonical != "":
		return v.Canonical
	case v.Like != "":
		return base.Canonical
	}
	return "any other than that of " + v.Unlike
}
