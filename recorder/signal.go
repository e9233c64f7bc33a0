//go:build !plan9

package recorder

import (
	"os"
	"syscall"
)

// signalNumber is the number of a signal that ended a process.
func signalNumber(s os.Signal) int {
	n, _ := s.(syscall.Signal)
	return int(n)
}
