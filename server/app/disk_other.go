//go:build !darwin && !freebsd && !linux && !windows

package app

import (
	"errors"
	"syscall"
)

var errDiskFull error = syscall.ENOSPC

func freeBytes(string) (int64, error) { return 0, errors.ErrUnsupported }
