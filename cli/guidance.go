package cli

import (
	"context"
	"errors"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/server/app"
)

const guidanceName = "guidance"

type guidanceOptions struct {
	std *IO
	connection
	server  string
	target  client.Target
	require []string
	format  string
}

func guidanceCommand(std *IO, command []string) *urfave.Command {
	return &urfave.Command{
		Name:      guidanceName,
		Usage:     "find instructions that name tools which some clients do not have",
		UsageText: "mcpeval guidance --server LABEL [--require-tool NAME]... [options] (-- COMMAND ARGS... | --url URL)",
		Description: "It connects as five clients, which declare nothing, roots, sampling, elicitation, or all of them, and compares the server's " +
			"instructions with the tools that each is shown. A tool named in `backticks` that others have and this one has not is for you to review; " +
			"it fails nothing. No tool is called. It exits 1 when a tool of --require-tool is missing for any client, and 3 when a client could not " +
			"be served. " + authorizationVariable + " is sent to a URL as its Authorization header.",
		Flags: append(targetFlags(),
			&urfave.StringSliceFlag{Name: "require-tool", Usage: "fail unless every client is shown the tool `NAME`; may be given again"},
			formatFlag(),
		),
		Action: func(c *urfave.Context) error {
			o := &guidanceOptions{std: std, require: c.StringSlice("require-tool")}
			var err error
			if o.server, o.target, err = parseTarget(std, c, guidanceName, command); err != nil {
				return err
			}
			if o.connection, err = parseConnection(c, guidanceName); err != nil {
				return err
			}
			if o.format, err = format(c, guidanceName); err != nil {
				return err
			}
			return runGuidance(c.Context, o)
		},
	}
}

func runGuidance(ctx context.Context, o *guidanceOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	p := newProgress(o.std, "reading "+o.server)
	p.start("starting")
	r, err := app.Guidance(ctx, &app.GuidanceOptions{
		Server: o.server, Version: version, Target: o.target, Require: o.require,
		Protocol: o.protocol, StartupTimeout: o.startup, Progress: p.count,
	})
	p.clear()
	if err != nil {
		return evaluationProblem(guidanceName, err)
	}
	out := r.Text()
	if o.format == formatJSON {
		if out, err = r.Encode(); err != nil {
			return err
		}
	}
	if _, err := o.std.Out.Write(out); err != nil {
		return fmt.Errorf("write guidance report: %w", err)
	}
	switch {
	case r.Failed():
		return errFound
	case r.Incomplete():
		return &app.Problem{
			Err:  errors.New("the server could not be read as every client"),
			Next: "the report names the profiles; mcpeval explain tells what their labels mean",
		}
	}
	return nil
}
