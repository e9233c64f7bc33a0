package lockfile

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/client"
)

// Read makes the lock of a live server; no tool is called. Its errors are a
// *client.Fault or a *client.PageError when the server or its catalog is not to
// be had, or the context's cause.
func Read(ctx context.Context, target client.Target, o *client.Options) (*Lock, error) {
	conn, err := client.Dial(ctx, target, o)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	defer conn.Close()
	entries, _, err := conn.ListTools(ctx)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	return New(entries), nil
}

func stopped(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
