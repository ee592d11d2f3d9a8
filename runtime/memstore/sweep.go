package memstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/runtime/canon"
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
	prefix := []byte{'['}
	for i, v := range values {
		if i > 0 {
			prefix = append(prefix, ',')
		}
		prefix = canon.AppendJSONString(prefix, v)
	}
	return array == string(prefix)+"]" || strings.HasPrefix(array, string(prefix)+",")
}
