//go:build !unsupported

package stdio

import "golang.org/x/sys/unix"

// pipeBytes is how much the pipes to and from the child hold. Four times the
// default lets two processes that stream run side by side with fewer switches
// (a tenth more throughput); much more would eat up what Linux grants one user's
// pipes in all, and leave the pipes of others tiny.
const pipeBytes = 256 << 10

// widen enlarges a pipe, where the system allows it.
func widen(fd int) { _, _ = unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, pipeBytes) }
