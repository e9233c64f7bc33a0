package app

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

// checkIndex tells how far the index is behind the journal.
func checkIndex(ctx context.Context, h *home.Home) Check {
	const name = "index"
	var (
		fresh   query.Freshness
		corrupt []journal.Place
	)
	err := index.Read(ctx, h.IndexPath(), func(conn *sqlite.Conn) (err error) {
		if fresh, err = query.FreshnessOf(conn, h.Store()); err != nil {
			return err
		}
		corrupt = nil // Read may call again
		return index.Sources(conn, true, func(s index.Source) {
			if s.CorruptLine > 0 {
				corrupt = append(corrupt, journal.Place{Path: s.Path, Line: s.CorruptLine, Offset: s.CorruptOffset})
			}
		})
	})
	switch {
	case errors.Is(err, index.ErrNone):
		return Check{name, StatusNote, "there is no index yet", "mcpeval index"}
	case errors.Is(err, index.ErrUnreadable):
		return Check{name, StatusBad, "the index cannot be read", "mcpeval index --rebuild"}
	case err != nil:
		return Check{name, StatusBad, "cannot compare index and journal: " + err.Error(), "mcpeval index"}
	case len(corrupt) > 0:
		return Check{name, StatusBad, fmt.Sprintf("logs that cannot be read to their end: %d, such as %s", len(corrupt), corrupt[0]), "mcpeval journal repair " + journal.Shown(corrupt[0].Path)}
	case fresh.Lost > 0:
		return Check{name, StatusNote, fmt.Sprintf("indexed logs that are gone or shorter: %d", fresh.Lost), "mcpeval audit, then mcpeval index"}
	case fresh.Events > 0:
		return Check{name, StatusNote, fmt.Sprintf("events not indexed yet: %d", fresh.Events), "mcpeval index"}
	}
	return Check{name, StatusOK, "up to date", ""}
}
