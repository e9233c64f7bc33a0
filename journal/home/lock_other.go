//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package home

import (
	"errors"
	"fmt"
	"os"
)

// tryLock refuses: without a lock that ends with its process, two indexers could
// not be told from one that was killed.
func tryLock(*os.File) error {
	return fmt.Errorf("lock index: %w", errors.ErrUnsupported)
}
