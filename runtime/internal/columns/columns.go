package columns

import (
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/idemgen/idemgen/runtime/idem"
)

// StateOf reads a stored state. What this program does not know is unknown, so that it is never run again; so is a record in
// flight without a lease, which a transactional handler committed itself.
func StateOf(stored int16, leased bool) idem.State {
	switch {
	case stored < int16(idem.StateInFlight) || stored > int16(idem.StateUnknown):
		return idem.StateUnknown
	case stored == int16(idem.StateInFlight) && !leased:
		return idem.StateUnknown
	}
	return idem.State(stored)
}

// IsOutcome reports whether a record in this state has a response.
func IsOutcome(s idem.State) bool { return s == idem.StateCompleted || s == idem.StateFailedReplayable }

// ParseUUID reads the database's text of a uuid.
func ParseUUID(s string) (u idem.UUID, err error) {
	digits := strings.ReplaceAll(s, "-", "")
	if len(digits) != hex.EncodedLen(len(u)) {
		return u, fmt.Errorf("%q is not a uuid", s)
	}
	_, err = hex.Decode(u[:], []byte(digits))
	return u, err
}

// StandsAt says where the record is found whose row stands at a key: under a second scope too, if it has an alias.
func StandsAt(p *idem.Prior, scope, keyspace, key, alias string) {
	p.Scope, p.Keyspace, p.Key = scope, keyspace, key
	if alias != "" {
		p.Scope, p.Before = alias, scope
	}
}

// ScopesOf are the scopes under which c's record stands, in the order in which they are claimed. The row of the first one is the
// record.
func ScopesOf(c *idem.Claim) []string {
	if c.Before != "" && c.Before != c.Scope {
		return []string{c.Before, c.Scope}
	}
	return []string{c.Scope}
}

// HomeOf is the scope under which the record of two scopes has its row.
func HomeOf(scope, before string) string {
	if before != "" {
		return before
	}
	return scope
}

// BodyOf is the body column of an outcome: null is a body that was not kept.
func BodyOf(c *idem.Completion) []byte {
	if c.NotKept {
		return nil
	}
	return NotNull(c.Response.Body)
}

// OutcomeArgs are status, headers and body as parameters; null where there is no outcome.
func OutcomeArgs(c *idem.Completion) []any {
	if !IsOutcome(c.State) {
		return []any{nil, nil, nil}
	}
	return []any{int32(c.Response.Status), EncodeHeaders(c.Response.Header), BodyOf(c)}
}

// NotNull keeps a column that may be empty from being null.
func NotNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// RetentionMillis is a retention as a statement parameter; negative means for ever. What is left of a millisecond counts as one.
func RetentionMillis(d time.Duration) int64 {
	if d < 0 {
		return -1
	}
	return Millis(d)
}

// Millis is a duration as a statement parameter. What is left of a millisecond counts as one.
func Millis(d time.Duration) int64 { return (max(d, 0) + time.Millisecond - 1).Milliseconds() }

// TimeoutMillis is a timeout as the server's settings want it: whole milliseconds in 31 bits, 0 for none.
func TimeoutMillis(d time.Duration) int64 {
	return min(Millis(d), math.MaxInt32)
}

// LockMillis is a lock timeout. None means not to wait, which the server would read as to wait for ever.
func LockMillis(d time.Duration) int64 { return max(TimeoutMillis(d), 1) }
