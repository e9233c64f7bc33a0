//go:build (linux || darwin || freebsd) && !unsupported

package process

import (
	"os/signal"
	"syscall"
	"unsafe"
)

// resetToDefault gives a signal the system's default action. signal.Reset is not
// enough: it brings the runtime's own handler back, which prints stacks and exits
// with 2 for SIGQUIT, SIGABRT, SIGSEGV and their like.
func resetToDefault(s syscall.Signal) {
	signal.Reset(s)
	// In every layout of struct sigaction all zeros mean the default action, no
	// flags and an empty mask; 128 bytes are more than any of them has.
	var action [16]uint64
	maskSize := uintptr(8) // Linux only
	_, _, _ = syscall.RawSyscall6(sysSigaction, uintptr(s), uintptr(unsafe.Pointer(&action)), 0, maskSize, 0, 0)
}
