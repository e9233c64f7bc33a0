//go:build unix && !linux && !unsupported

package process

import "os"

// environ is the environment as this process was given it.
func environ() []string { return os.Environ() }
