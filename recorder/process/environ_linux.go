//go:build !unsupported

package process

import (
	"os"
	"slices"
	"strings"
)

// environ is the environment as this process was given it. os.Environ leaves
// out repeated and empty entries; they are passed on too, unless this process
// has changed its environment since.
func environ() []string {
	now := os.Environ()
	block, err := os.ReadFile("/proc/self/environ")
	if err != nil || len(block) == 0 {
		return now
	}
	given := strings.Split(strings.TrimSuffix(string(block), "\x00"), "\x00")
	if !slices.Equal(asEnviron(given), now) {
		return now
	}
	return given
}

// asEnviron leaves out what os.Environ leaves out: empty entries, and all but
// the first of those that share a name.
func asEnviron(given []string) []string {
	seen := make(map[string]bool, len(given))
	var kept []string
	for _, entry := range given {
		if entry == "" {
			continue
		}
		if name, _, ok := strings.Cut(entry, "="); ok {
			if seen[name] {
				continue
			}
			seen[name] = true
		}
		kept = append(kept, entry)
	}
	return kept
}
