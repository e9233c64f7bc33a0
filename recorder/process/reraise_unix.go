//go:build unix && !unsupported

package process

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ReRaise ends this process by the signal that ended its child, so that whoever
// waits sees the same status; no core is dumped. It returns only when that fails,
// with the exit code that shells use instead.
func ReRaise(sig os.Signal) int {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return 1
	}
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	resetToDefault(s)
	_ = syscall.Kill(syscall.Getpid(), s)
	// The signal is taken by any of the threads, some time soon.
	time.Sleep(time.Second)
	return 128 + int(s)
}
