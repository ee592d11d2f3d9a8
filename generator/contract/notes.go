package contract

import "fmt"

// Notes tell, in one line each, what building against the lock did that nobody has to act on and everybody should know of: an id that
// changed, and a name that the lock keeps. They are no findings.
func Notes(api *API, lock *Lock) []string {
	var notes []string
	for _, c := range api.Contracts {
		if c.Kept != "" {
			notes = append(notes, fmt.Sprintf("name %s is kept from the lock (%s)", c.Name, c.Kept))
		}
		if was, is, changed := changedID(c, lock); changed {
			notes = append(notes, fmt.Sprintf("%s: contract %s → %s: retries of requests that were made before are answered %d until they expire",
				c.Name, was, is, c.Statuses.Unavailable))
		}
	}
	return notes
}

// changedID compares ids. Without a comparison there is none now, and earlier records are replayed whatever theirs was.
func changedID(c *Contract, lock *Lock) (was, is string, changed bool) {
	locked := lock.contract(c.Name)
	if locked == nil || !c.Compare {
		return "", "", false
	}
	was, is = "none", string(c.Version.ID)
	if v := locked.Versions[locked.Current]; v != nil {
		was = v.ID
	}
	return was, is, was != is
}
