//go:build unix

package clients

import (
	"io/fs"
	"os"
	"syscall"
)

// owner gives t the owner of another file, so that what root edits for somebody
// stays theirs. Whoever may not do that owns the file already, or replaces one of
// a group.
func owner(t *os.File, of fs.FileInfo) {
	if s, ok := of.Sys().(*syscall.Stat_t); ok {
		_ = t.Chown(int(s.Uid), int(s.Gid)) // see above
	}
}
