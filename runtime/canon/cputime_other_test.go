//go:build !linux

package canon_test

import "time"

// spent is the time that work takes; where the processor's is not to be had, what else the machine does counts too.
func spent(work func()) time.Duration {
	start := time.Now()
	work()
	return time.Since(start)
}
