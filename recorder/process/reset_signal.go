//go:build unix && !linux && !darwin && !freebsd && !unsupported

package process

import (
	"os/signal"
	"syscall"
)

// resetToDefault gives a signal the runtime's default action, which is the
// system's for the signals that people send.
func resetToDefault(s syscall.Signal) { signal.Reset(s) }
