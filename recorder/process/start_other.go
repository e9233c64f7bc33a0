//go:build (!unix && !windows) || unsupported

package process

import "os"

// Process is a started child; there are none on this target.
type Process struct {
	// GuardErr says why a guard that was asked for does not run.
	GuardErr error
}

// Start returns ErrUnsupportedTarget.
func Start(Command) (*Process, error) { return nil, ErrUnsupportedTarget }

// Pid is 0.
func (*Process) Pid() int { return 0 }

// Wait returns ErrUnsupportedTarget.
func (*Process) Wait() (Exit, error) { return Exit{}, ErrUnsupportedTarget }

// Forward returns ErrUnsupportedTarget.
func (*Process) Forward(os.Signal) error { return ErrUnsupportedTarget }

// Terminate returns ErrUnsupportedTarget.
func (*Process) Terminate() error { return ErrUnsupportedTarget }

// Kill returns ErrUnsupportedTarget.
func (*Process) Kill() error { return ErrUnsupportedTarget }

// Release does nothing.
func (*Process) Release() {}

// GuardMain returns exit code 2: there are no guards on this target.
func GuardMain([]string) int { return 2 }

// ReRaise returns exit code 1: signals cannot be passed on on this target.
func ReRaise(os.Signal) int { return 1 }
