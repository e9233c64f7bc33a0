//go:build darwin || freebsd || linux

package app

import "golang.org/x/sys/unix"

var errDiskFull error = unix.ENOSPC

func freeBytes(path string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, err
	}
	return int64(uint64(s.Bavail) * uint64(s.Bsize)), nil
}
