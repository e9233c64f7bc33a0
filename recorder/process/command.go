package process

import (
	"errors"
	"os"
	"time"
)

// ErrUnsupportedTarget is returned by Start on targets that have neither Unix
// process groups nor Windows jobs.
var ErrUnsupportedTarget = errors.New("unsupported target: processes are started on Unix and Windows")

// GuardArg is the first argument that makes the program a guard. main calls
// GuardMain when it sees it, before anything else.
const GuardArg = "__guard"

// DefaultGrace is the time between TERM and KILL.
const DefaultGrace = 5 * time.Second

// Command says what to start and how.
type Command struct {
	// Args is the command and its arguments. Args[0] is looked up by LookPath and
	// passed on as it stands.
	Args []string
	// Env is the environment; nil means the one this process was given, byte for
	// byte.
	Env []string
	// Dir is the working directory; empty means this process's own.
	Dir string
	// Stdin, Stdout and Stderr are the child's files; nil means the null device.
	// They stay the caller's to close.
	Stdin, Stdout, Stderr *os.File
	// Guard ends the child's group when this process dies. It starts this same
	// program again (see GuardArg). On Windows at most one guarded child may be
	// alive at a time.
	Guard bool
	// Grace is the guard's time between TERM and KILL; 0 means DefaultGrace.
	Grace time.Duration
}

// Exit says how a process ended.
type Exit struct {
	Code   int       // 0 when Signal is set
	Signal os.Signal // nil unless a signal ended it
	Killed bool      // set by a caller that had to end it: see Terminate and Kill
}
