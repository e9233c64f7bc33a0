//go:build unix && !unsupported

package stdio

import (
	"os"
	"os/signal"
	"syscall"
)

// listen subscribes to the signals that the shim handles, for the rest of the
// process's life.
//
// Broken pipes are caught and dropped, not ignored: the child would inherit that.
// INT and HUP stay ignored where they were ignored at the start (nohup, shell
// jobs), because the child inherits that too.
func listen() <-chan os.Signal {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGTSTP, syscall.SIGCONT)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	return signals
}

// jobControl handles the signals that stop and continue, and reports whether
// this was one.
func (s *shim) jobControl(sig os.Signal) bool {
	switch sig {
	case syscall.SIGTSTP:
		_ = s.child.Forward(sig)
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP) // what TSTP would have done to us
	case syscall.SIGCONT:
		_ = s.child.Forward(sig)
	default:
		return false
	}
	return true
}

func isTerm(sig os.Signal) bool { return sig == syscall.SIGTERM }
