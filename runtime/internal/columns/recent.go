package columns

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/idemgen/idemgen/runtime/idem"
)

// recentKeys is how many keys a store remembers: a quarter of a mebibyte.
const recentKeys = 1 << 15

// Recent remembers keys under which a record stands, so that a claim of one reads first, which gives a retry its answer in one round
// trip. It may be wrong both ways and decides nothing: of two keys that meet in a place the later one stays, and a key whose record
// is gone costs its next claim one reading in vain.
type Recent struct {
	seed  maphash.Seed
	slots [recentKeys]atomic.Uint64
}

// NewRecent gives one that remembers nothing.
func NewRecent() *Recent { return &Recent{seed: maphash.MakeSeed()} }

// Remember is told of a claim under whose key a record stands.
func (r *Recent) Remember(c *idem.Claim) {
	h := r.hash(c)
	r.slots[h%recentKeys].Store(h)
}

// Knows reports whether that was so not long ago.
func (r *Recent) Knows(c *idem.Claim) bool {
	h := r.hash(c)
	return r.slots[h%recentKeys].Load() == h
}

// hash is over what names the record. It is never 0, which is an empty place.
func (r *Recent) hash(c *idem.Claim) uint64 {
	return maphash.Comparable(r.seed, [3]string{c.Scope, c.Keyspace, c.Key}) | 1<<63
}
