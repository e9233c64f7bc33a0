package guidance

import (
	"context"
	"errors"
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
)

const (
	// maxListings is how often a catalog that keeps changing is listed again.
	maxListings = 3
	// settleTimeout bounds the wait for a sign of life.
	settleTimeout = 5 * time.Second

	codeMethodNotFound = -32601
)

// look connects as a client of one profile.
func (c *Config) look(ctx context.Context, p Profile, protocol string) view {
	v := view{profile: p, tools: make(map[string]bool)}
	changed := make(chan struct{}, 1)
	o := &client.Options{
		Protocol: protocol, StartupTimeout: c.StartupTimeout, Grace: c.Grace, Clock: c.Clock,
		Version: c.Version.String(), Stop: ctx.Done(),
		OnNotification: func(method string, _ rawjson.Value) {
			if method == "notifications/tools/list_changed" {
				select {
				case changed <- struct{}{}:
				default:
				}
			}
		},
	}
	p.declare(o)
	conn, err := client.Dial(ctx, c.Target, o)
	if err != nil {
		v.err = err
		return v
	}
	defer conn.Close()
	facts := conn.Facts()
	v.revision = facts.Revision
	said, _ := facts.Handshake.Get("instructions")
	v.instructions, _ = said.Text()
	entries, err := settled(ctx, conn, changed)
	if err != nil {
		v.err = err
		return v
	}
	for _, e := range entries {
		named, _ := e.Get("name")
		if name, ok := named.Text(); ok && name != "" {
			v.tools[name] = true
		}
	}
	return v
}

// settled reads the catalog until it rests: some servers list more tools once they
// have heard what their client can do, and announce it. Its error is a
// *client.PageError.
func settled(ctx context.Context, conn *client.Conn, changed <-chan struct{}) (entries []rawjson.Value, err error) {
	for range 1 + maxListings {
		entries, _, err = conn.ListTools(ctx)
		facts := conn.Facts()
		e, ok := errors.AsType[*client.PageError](err)
		switch {
		case ok && e.Problem == client.PageRefused && e.Page == 1 && e.RPC.Code == codeMethodNotFound && !facts.Declares("tools"):
			return nil, nil // it has none
		case err != nil:
			return nil, err
		case !facts.Declares("tools", "listChanged"):
			return entries, nil
		}
		// The announcement is there once a later question is answered.
		q := client.Request{Method: "ping", Timeout: settleTimeout}
		if facts.Lifecycle == client.Stateless {
			q.Method = "server/discover"
		}
		if _, err := conn.Do(ctx, q); err != nil {
			return entries, nil
		}
		select {
		case <-changed:
		default:
			return entries, nil
		}
	}
	return entries, nil
}
