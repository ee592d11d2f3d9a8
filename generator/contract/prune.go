package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Retirement says that the last program which wrote a version of a contract has stopped.
type Retirement struct {
	Contract string // empty: every contract whose current version is higher
	Number   int
	Since    time.Time // the day, in UTC
}

// pruneMargin is what clocks and time zones may add.
const pruneMargin = 24 * time.Hour

// Prune takes a version out of the lock, if its last record has expired by now: the day, plus the longest retention that applied, plus a
// day. pruned names what was taken out; nothing that is current or not there is an error for a version of every contract.
func (l *Lock) Prune(r Retirement, now time.Time) (pruned []string, err error) {
	found := false
	for _, name := range slices.Sorted(maps.Keys(l.Contracts)) {
		c := l.Contracts[name]
		if r.Contract != "" && r.Contract != name {
			continue
		}
		v := c.Versions[r.Number]
		switch {
		case v == nil && r.Contract == "", r.Number == c.Current && r.Contract == "":
			continue
		case v == nil:
			return nil, fmt.Errorf("%s has no version %d", name, r.Number)
		case r.Number == c.Current:
			return nil, fmt.Errorf("version %d of %s is current", r.Number, name)
		}
		found = true
		if err := v.expired(r.Since, now); err != nil {
			return nil, fmt.Errorf("version %d of %s: %w", r.Number, name, err)
		}
		c.retire(r.Number)
		pruned = append(pruned, fmt.Sprintf("%s@%d", name, r.Number))
	}
	if !found {
		if r.Contract != "" {
			return nil, fmt.Errorf("there is no contract %s", r.Contract)
		}
		return nil, fmt.Errorf("no contract has an older version %d", r.Number)
	}
	return pruned, nil
}

// expired says when the last record of a version expires, if that is to come.
func (l *LockedVersion) expired(since, now time.Time) error {
	retention, ok := parseRetention(l.Retention)
	switch {
	case !ok:
		return fmt.Errorf("its retention %q cannot be read", l.Retention)
	case retention == Forever:
		return errors.New("its records never expire: prune it by what the database holds")
	case since.After(now):
		return fmt.Errorf("%s is in the future", since.Format(time.DateOnly))
	}
	if end := since.Add(24*time.Hour + retention + pruneMargin); end.After(now) { // its day counts as a whole
		return fmt.Errorf("its last record expires on %s (retention %s and a day)", end.Format(time.DateOnly), l.Retention)
	}
	return nil
}

// PruneUnused takes out the older versions of which no live record is left. live counts the live records of a contract id, those of a contract
// that has none included.
func (l *Lock) PruneUnused(live map[string]int64) (pruned []string) {
	for _, name := range slices.Sorted(maps.Keys(l.Contracts)) {
		c := l.Contracts[name]
		for _, number := range slices.Sorted(maps.Keys(c.Versions)) {
			if number == c.Current || live[c.Versions[number].ID] > 0 {
				continue
			}
			c.retire(number)
			pruned = append(pruned, fmt.Sprintf("%s@%d", name, number))
		}
	}
	return pruned
}

func (c *LockedContract) retire(number int) {
	c.Retired = append(slices.Clip(c.Retired), retiredText(number, c.Versions[number].ID))
	slices.SortFunc(c.Retired, func(a, b string) int {
		x, _ := parseRetired(a)
		y, _ := parseRetired(b)
		return x - y
	})
	delete(c.Versions, number)
}
