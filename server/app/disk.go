package app

import (
	"errors"

	"zombiezen.com/go/sqlite"
)

// errDiskFull, for each system, is what it says when there is no room left.

// DiskFull reports whether err says that there was no room left.
func DiskFull(err error) bool {
	return errors.Is(err, errDiskFull) || err != nil && sqlite.ErrCode(err).ToPrimary() == sqlite.ResultFull
}
