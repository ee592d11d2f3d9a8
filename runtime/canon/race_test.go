//go:build race

package canon_test

// raceEnabled: under the race detector sync.Pool drops some of what it is given.
const raceEnabled = true
