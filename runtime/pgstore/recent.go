package pgstore

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/idemgen/idemgen/runtime/idem"
)

// recentKeys is how many keys a store remembers: a quarter of a mebibyte.
const recentKeys = 1 << 15

// recent remembers keys under which a record stands, so that a claim of one reads first, which gives a retry its answer in one round
// trip. It may be wrong both ways and decides nothing: of two keys that meet in a place the later one stays, and a key whose record
// is gone costs its next claim one reading in vain.
type recent struct {
	seed  maphash.Seed
	slots [recentKeys]atomic.Uint64
}

func newRecent() *recent { return &recent{seed: maphash.MakeSeed()} }

func (r *recent) remember(c *idem.Claim) {
	h := r.hash(c)
	r.slots[h%recentKeys].Store(h)
}

func (r *recent) knows(c *idem.Claim) bool {
	h := r.hash(c)
	return r.slots[h%recentKeys].Load() == h
}

// hash is over what names the record. It is never 0, which is an empty place.
func (r *recent) hash(c *idem.Claim) uint64 {
	return maphash.Comparable(r.seed, [3]string{c.Scope, c.Keyspace, c.Key}) | 1<<63
}
