package projections

import (
	"context"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/index"
)

// Digest is what two indexes of the same events have in common, whatever order
// and slices the events came in.
func Digest(ctx context.Context, h *home.Home) (string, error) { return digestOf(ctx, h.IndexPath()) }

func digestOf(ctx context.Context, path string) (d string, err error) {
	err = index.Read(ctx, path, func(conn *sqlite.Conn) error {
		d, err = index.Digest(conn, index.Workers())
		return err
	})
	return d, err
}
