//go:build !unix

package main

import "time"

var started = time.Now()

// cpuTime is wall time where the process's own is not to be had.
func cpuTime() time.Duration { return time.Since(started) }
