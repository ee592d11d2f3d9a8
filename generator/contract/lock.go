package contract

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/openapi/diag"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/vector"
)

// Lock is the content of <base>.idempotency.lock.yaml (FINGERPRINT section 4).
type Lock struct {
	Scheme    string
	Contracts map[string]*LockedContract
	// Gone are contracts that were released once and are not any more.
	Gone []Gone
}

// LockedContract is one contract in the lock, its members as they stand there.
type LockedContract struct {
	Pos       diag.Pos
	Operation string // POST /payments
	Key       string // header.Idempotency-Key required 1..255
	Scope     []string
	Before    []string // the scope before a change that is under way; nil: none is
	Keyspace  string
	Retention string
	Execution string
	Lease     string // this and what follows: of leased execution, else empty
	Takeover  string
	Attempts  string
	Wait      string // how long duplicates of a running request wait: 2s; empty: they do not
	Keep      string
	Unique    *LockedUnique // nil: there is no business key
	// Unchecked says that requests are not compared: there is no version then.
	Unchecked bool
	Current   int
	Versions  map[int]*LockedVersion
	Accepted  []Accepted
	Retired   []string // versions that were pruned: 1 5d0c1f7a92b4e863
}

// LockedUnique is a business key in the lock.
type LockedUnique struct {
	ID     string
	Fields []Field
}

// LockedVersion is one version of a contract in the lock.
type LockedVersion struct {
	Pos       diag.Pos
	ID        string
	Path      string // empty: the operation's
	Retention string
	Fields    []Field
	Unknown   string // empty without a body
	Ignored   []string
	// Media, Types and Parts say how bodies are read; no Media is JSON alone.
	Media []canon.Media
	Types []string
	Parts []canon.Part
	// Vectors are empty in a lock of an idemgen that made none. VectorPos are the places where they stand.
	Vectors   []vector.Vector
	VectorPos []diag.Pos
}

// paths lists the values that the business key is made of, as an annotation writes them.
func (u *LockedUnique) paths() []string {
	var out []string
	for _, f := range u.Fields {
		head, _, _ := strings.Cut(f.Rule, " ")
		if head != objectHead && !strings.HasPrefix(head, "union") { // which are on the way to a value
			out = append(out, PlainPath(f.Path))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// contract finds a contract by name. A nil lock has none.
func (l *Lock) contract(name string) *LockedContract {
	if l == nil {
		return nil
	}
	return l.Contracts[name]
}

// pinned finds the name under which the lock knows an operation: its own where the lock has it, else another one that the lock
// has for the same method and path. Empty when the operation is new.
func (l *Lock) pinned(operation, name string) string {
	if l == nil {
		return ""
	}
	if own := l.Contracts[name]; own != nil && own.Operation == operation {
		return name
	}
	var others []string
	for other, c := range l.Contracts {
		if c.Operation == operation {
			others = append(others, other)
		}
	}
	if len(others) == 0 {
		return ""
	}
	return slices.Min(others)
}

// longerRetention compares two spellings of a lock.
func longerRetention(a, b string) bool {
	x, okA := parseRetention(a)
	y, okB := parseRetention(b)
	switch {
	case !okA || !okB || y == Forever:
		return false
	case x == Forever:
		return true
	}
	return x > y
}

// parseRetention reads what retentionText writes.
func parseRetention(text string) (time.Duration, bool) {
	if text == "forever" {
		return Forever, true
	}
	return parseDuration(text)
}

// parseDuration reads what durationText writes.
func parseDuration(text string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseInt(days, 10, 32)
		if err != nil || n < 1 {
			return 0, false
		}
		return time.Duration(n) * 24 * time.Hour, true
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d > 0
}
