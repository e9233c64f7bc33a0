//go:build unix

package projections_test

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS is the largest resident size of an ended process, in bytes.
func maxRSS(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
