package contract

import (
	"fmt"
	"slices"
)

// Notes tell, in one line each, what building against the lock did that nobody has to act on and everybody should know of: an id that
// changed, a name that the lock keeps, an execution that is another one. They are no findings.
func Notes(api *API, lock *Lock) []string {
	var notes []string
	for _, c := range api.Contracts {
		if c.Kept != "" {
			notes = append(notes, fmt.Sprintf("name %s is kept from the lock (%s)", c.Name, c.Kept))
		}
		if note := executionNote(c, lock.contract(c.Name)); note != "" {
			notes = append(notes, note)
		}
		if note := versionNote(c, lock.contract(c.Name)); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// executionNote tells that nobody recovers what an earlier program has left.
func executionNote(c *Contract, locked *LockedContract) string {
	if locked == nil || locked.Execution != Leased || c.Execution == Leased {
		return ""
	}
	return fmt.Sprintf("%s: execution leased → %s: attempts that were cut off before are answered %d until somebody resolves them", c.Name, c.Execution, c.Statuses.InFlight)
}

// versionNote tells what became of the lock's current version.
func versionNote(c *Contract, locked *LockedContract) string {
	if locked == nil || !c.Compare {
		return ""
	}
	current, is := locked.Versions[locked.Current], &c.Version
	switch {
	case current == nil:
		return fmt.Sprintf("%s: version %d, id %s: requests are compared from now on; of earlier ones nothing is known, and their retries are answered %d until they expire",
			c.Name, is.Number, is.ID, c.Statuses.Unavailable)
	case current.ID == string(is.ID):
		return ""
	case slices.ContainsFunc(c.Older, func(v Version) bool { return string(v.ID) == current.ID }):
		return fmt.Sprintf("%s: version %d, id %s, is new; version %d stays live: retries of earlier requests are recognised by it", c.Name, is.Number, is.ID, locked.Current)
	case is.Number == locked.Current:
		return fmt.Sprintf("%s: version %d is replaced in place, %s → %s: it is not released", c.Name, is.Number, current.ID, is.ID)
	}
	return fmt.Sprintf("%s: version %d is taken back, it was not released; version %d, id %s, is current again", c.Name, locked.Current, is.Number, is.ID)
}
