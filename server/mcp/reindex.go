package mcp

import "context"

// reindex brings the index up to date every Options.Reindex until ctx is done.
// wait waits for its end.
func (e *Endpoint) reindex(ctx context.Context) (wait func()) {
	return func() {}
}
