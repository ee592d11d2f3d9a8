package generator

import (
	"fmt"

	"github.com/idemgen/idemgen/generator/contract"
)

// mergeLock joins a lock that has a conflict into u.merged, and gives one of its sides, which has the findings of a text. A lock without a
// conflict is left as it is.
func (u *unit) mergeLock(data []byte) ([]byte, error) {
	ours, theirs, ok := contract.Sides(data)
	if !ok {
		return data, nil
	}
	var sides [2]*contract.Lock
	for i, text := range [][]byte{ours, theirs} {
		lock, found := contract.ParseLock(text, slash(u.lockPath()))
		if lock == nil {
			return nil, fmt.Errorf("generator: merge lock: one side of the conflict is no lock: %s", found.All()[0])
		}
		sides[i] = lock
	}
	u.merged = contract.MergeLocks(sides[0], sides[1], u.base.lock)
	return ours, nil
}
