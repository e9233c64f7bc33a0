package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/guidance"
	"github.com/mcpeval/mcpeval/probes/report"
)

// GuidanceOptions are one comparison of a server's instructions with its catalogs.
type GuidanceOptions struct {
	Server  string // the label
	Version string // of mcpeval
	Target  client.Target
	// Require are the tools that every client must have.
	Require []string

	// Protocol is client.Auto or a revision; empty is Auto.
	Protocol string
	// StartupTimeout is that of client.Options.
	StartupTimeout time.Duration
	Clock          client.Clock // nil is the system's

	// Progress, when set, is told after each profile.
	Progress func(done, total int)
}

// Guidance compares instructions with catalogs. No tool is called and nothing is
// journaled. Its errors are an *InputError before anything was started, a
// *client.Fault or *client.PageError when no client can be served, or the context's
// cause.
func Guidance(ctx context.Context, o *GuidanceOptions) (*guidance.Report, error) {
	server, err := report.NewLabel(o.Server)
	if err != nil {
		return nil, &InputError{Err: errServer}
	}
	version, err := report.NewLabel(o.Version)
	if err != nil {
		return nil, &InputError{Err: fmt.Errorf("version: %w", err)}
	}
	r, err := guidance.Run(ctx, &guidance.Config{
		Target: o.Target, Server: server, Version: version, Require: o.Require,
		Protocol: o.Protocol, StartupTimeout: o.StartupTimeout, Clock: o.Clock, Progress: o.Progress,
	})
	if _, ok := errors.AsType[*guidance.RequirementError](err); ok {
		return nil, &InputError{Err: err}
	}
	return r, err
}
