package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const cpuMeasured = true

// cpuTime gives what this process and the process pid have used.
func cpuTime(pid uint32) (time.Duration, error) {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return 0, fmt.Errorf("read the own CPU time: %w", err)
	}
	// The scheduler's statistics count in nanoseconds: time on a CPU comes first.
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err != nil {
		return 0, fmt.Errorf("read the session's CPU time: %w", err)
	}
	first, _, _ := strings.Cut(string(text), " ")
	session, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read the session's CPU time: %w", err)
	}
	return time.Duration(own.Utime.Nano() + own.Stime.Nano() + session), nil
}
