package mcp

import (
	"context"
	"errors"
	"time"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
)

// reindex brings the index up to date at once and every Options.Reindex, until ctx
// is done. What goes wrong is told once, and the index stays as it was. wait waits
// for the end.
func (e *Endpoint) reindex(ctx context.Context) (wait func()) {
	if e.o.Reindex <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(e.o.Reindex)
		defer tick.Stop()
		told := ""
		for {
			err := e.refresh(ctx)
			_, busy := errors.AsType[*home.LockedError](err)
			switch {
			case ctx.Err() != nil:
				return
			case err == nil:
				told = ""
			case !busy && err.Error() != told:
				told = err.Error()
				e.o.Record.Report("mcpeval: reindex: " + told)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { <-done }
}

func (e *Endpoint) refresh(ctx context.Context) error {
	h, err := e.o.Home()
	if err != nil {
		return err
	}
	_, err = projections.Refresh(ctx, h, &projections.Options{Verb: "serve", KeepPromotion: true, Wait: -1, Now: e.o.Record.Now})
	return err
}
