//go:build !unsupported

package stdio

import (
	"os"
	"os/signal"
	"syscall"
)

// listen subscribes to Ctrl-C, Ctrl-Break and the closing of the console, which
// the child gets from the system as well.
func listen() <-chan os.Signal {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	return signals
}

func (s *shim) jobControl(os.Signal) bool { return false }

func isTerm(sig os.Signal) bool { return sig == syscall.SIGTERM }
