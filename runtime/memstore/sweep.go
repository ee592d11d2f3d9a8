package memstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/idemgen/idemgen/runtime/idem"
)

// Sweep deletes expired records.
func (s *Store) Sweep(ctx context.Context, limit int) (swept int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("memstore: sweep: %w", err)
	}
	err = s.change(func() error {
		for _, r := range s.all() {
			if swept < limit && s.absent(r) {
				s.remove(r)
				swept++
			}
		}
		return nil
	})
	return swept, err
}

// Erase deletes what a scope has.
func (s *Store) Erase(ctx context.Context, scope ...string) (erased, kept int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, fmt.Errorf("memstore: erase: %w", err)
	}
	if len(scope) == 0 {
		return 0, 0, errors.New("memstore: erase: no scope value: that would be everybody's records")
	}
	err = s.change(func() error {
		for _, r := range s.all() {
			switch {
			case !beginsWith(r.claim.Scope, scope) && !beginsWith(r.claim.Before, scope):
			case r.state == idem.StateInFlight || r.state == idem.StateUnknown:
				kept++
			default:
				s.remove(r)
				erased++
			}
		}
		return nil
	})
	return erased, kept, err
}

// beginsWith reports whether the array's first elements are values.
func beginsWith(array string, values []string) bool {
	var elements []string
	if json.Unmarshal([]byte(array), &elements) != nil || len(elements) < len(values) {
		return false
	}
	return slices.Equal(elements[:len(values)], values)
}
