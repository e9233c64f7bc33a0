package cli

import (
	"fmt"

	"github.com/mcpeval/mcpeval/journal/home"
	reports "github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/server/app"
)

// place is where a score stands. A corpus that cannot be read costs nobody the
// score: a warning says so.
func (std *IO) place(r *reports.Readiness) *reports.Place {
	var h *home.Home
	if dir, err := std.homeDir(); err == nil {
		h = &home.Home{Dir: dir}
	}
	p, err := app.PlaceOf(h, r)
	if err != nil {
		fmt.Fprintf(std.Err, "mcpeval: %s\n", err)
	}
	return p
}
