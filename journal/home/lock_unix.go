//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package home

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock on f or returns errBusy. It belongs to the open file,
// which no child inherits.
func tryLock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errBusy
		default:
			return fmt.Errorf("lock index: %w", err)
		}
	}
}
