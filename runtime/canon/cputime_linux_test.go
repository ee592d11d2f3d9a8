package canon_test

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// spent is the processor time that work takes on its thread (clock_gettime(2), CLOCK_THREAD_CPUTIME_ID): what else the machine does has no
// part in it.
func spent(work func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	work()
	return threadTime() - start
}

func threadTime() time.Duration {
	const threadCPU = 3
	var t syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadCPU, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic(errno)
	}
	return time.Duration(t.Nano())
}
