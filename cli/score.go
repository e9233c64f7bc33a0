package cli

import (
	"context"
	"errors"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/reason"
	reports "github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/synth"
	"github.com/mcpeval/mcpeval/server/app"
)

const scoreName = "score"

type scoreOptions struct {
	std *IO
	connection
	server   string
	target   client.Target
	standard app.StandardOptions
	price    reports.Price
	format   string
	brief    bool
}

func scoreCommand(std *IO, command []string) *urfave.Command {
	return &urfave.Command{
		Name:      scoreName,
		Usage:     "score how ready a server is for agents, from 0 to 100, and say why",
		UsageText: "mcpeval score --server LABEL [options] (-- COMMAND ARGS... | --url URL)",
		Description: "The standard battery needs no manifest and is the same for every server; docs/standard.md has its checks. It calls tools " +
			"that say they only read, with arguments built from their schemas. Tools that say nothing are called only with --confirm-read-only, " +
			"and writers never. What is not tested counts against the score. It exits 0 when there is a score, 2 when nothing was called, and 3 " +
			"when the server could not be measured. " + authorizationVariable + " is sent to a URL as its Authorization header.",
		Flags: append(append(targetFlags(), standardFlags()...),
			priceFlag(),
			&urfave.BoolFlag{Name: "brief", Usage: "leave the lost checks out of text"},
			formatsFlag(scoreName),
		),
		Action: func(c *urfave.Context) error {
			o := &scoreOptions{std: std, brief: c.Bool("brief")}
			var err error
			if o.server, o.target, err = parseTarget(std, c, scoreName, command); err != nil {
				return err
			}
			if o.connection, err = parseConnection(c, scoreName); err != nil {
				return err
			}
			if o.format, err = formatOf(c, scoreName); err != nil {
				return err
			}
			if o.price, err = parsePrice(c, scoreName); err != nil {
				return err
			}
			if o.standard, err = parseStandard(std, c, scoreName); err != nil {
				return err
			}
			return runScore(c.Context, o)
		},
	}
}

// standardFlags are what an operator says about the tools of the standard
// battery.
func standardFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "arguments", Usage: "`FILE` of arguments for the standard battery: {\"tool\": {...}}"},
		&urfave.BoolFlag{Name: "confirm-read-only", Usage: "attest that unannotated tools are read-only, for the standard battery"},
		&urfave.StringSliceFlag{Name: "skip-tool", Usage: "leave the tool `NAME` out of the standard battery, where it then counts as failed"},
	}
}

func parseStandard(std *IO, c *urfave.Context, verb string) (app.StandardOptions, error) {
	o := app.StandardOptions{ConfirmReadOnly: c.Bool("confirm-read-only"), Skip: c.StringSlice("skip-tool")}
	if !c.IsSet("arguments") {
		return o, nil
	}
	var err error
	if o.Arguments, err = readInput(std, verb, "arguments file", c.String("arguments")); err != nil {
		return o, err
	}
	if _, err := synth.ParseFile(o.Arguments); err != nil {
		return o, usagef(verb, "%s", err)
	}
	return o, nil
}

func priceFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "price-per-mtok", Usage: "show what the catalog costs a session at `USD` for a million tokens"}
}

func parsePrice(c *urfave.Context, verb string) (reports.Price, error) {
	if !c.IsSet("price-per-mtok") {
		return 0, nil
	}
	price, err := reports.ParsePrice(c.String("price-per-mtok"))
	if err != nil {
		return 0, usagef(verb, "--price-per-mtok: %s", err)
	}
	return price, nil
}

func runScore(ctx context.Context, o *scoreOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	p := newProgress(o.std, "scoring "+o.server)
	p.start("starting")
	scored, err := app.Score(ctx, &app.ScoreOptions{
		Server: o.server, Version: version, Target: o.target, StandardOptions: o.standard,
		Protocol: o.protocol, StartupTimeout: o.startup,
		Record: o.std.recording(), Progress: p.count,
	})
	p.clear()
	if err != nil {
		return evaluationProblem(scoreName, err)
	}
	shown := scored.Context
	shown.Price, shown.Place = o.price, o.std.place(scored.Document.Readiness)
	out, err := render(scored.Document, o.format, &reports.Options{Context: shown, Brief: o.brief, Color: o.std.colour(o.std.Out)})
	if err != nil {
		return fmt.Errorf("render report: %w", err)
	}
	if _, err := o.std.Out.Write(out); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return unmeasured(scored.Problem, scored.Start, scored.Discovery)
}

// unmeasured is the error of a server that has no score, nil for no problem.
func unmeasured(why reason.Label, start *client.Fault, discovery *client.PageError) error {
	switch {
	case why == "":
		return nil
	case start != nil:
		return &app.Problem{Err: start, Next: nextOf(start)}
	case discovery != nil && why == reason.DiscoveryIncomplete:
		return &app.Problem{
			Err:  fmt.Errorf("the server's tools cannot be listed, so that there is no score: %w", discovery),
			Next: "a manifest with a pagination case, and mcpeval probe --probe pagination, show where the listing breaks",
		}
	}
	return &app.Problem{Err: errors.New("readiness could not be measured: " + string(why)), Next: "mcpeval explain " + string(why)}
}
