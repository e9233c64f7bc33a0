//go:build unix

package projections_test

import (
	"fmt"
	"os/exec"

	"github.com/mcpeval/mcpeval/journal/home"
)

// limitedChild runs an indexer that may not write files larger than limit: what
// a full disk is to it.
func limitedChild(h *home.Home, limit int64, full bool) ([]byte, error) {
	cmd := childCmd(h, "index")
	if full {
		cmd.Env = append(cmd.Env, childFull+"=1")
	}
	sh := exec.Command("sh", "-c", fmt.Sprintf(`trap "" XFSZ; ulimit -f %d; exec "$0"`, limit/512), cmd.Path)
	sh.Env = cmd.Env
	return sh.CombinedOutput()
}
