package cli

import (
	"context"
	"errors"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/reason"
	reports "github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/server/app"
)

const (
	probeName = "probe"

	// manifestName is the manifest that verbs read and write when none is named.
	manifestName = "mcp-eval.manifest.json"
)

type probeOptions struct {
	std *IO
	connection
	server   string
	target   client.Target
	manifest string
	kinds    []string
	known    string // a file; "" is none
	mutation bool
	empty    bool
	standard *app.StandardOptions // nil does not run the battery
	price    reports.Price
	format   string
	brief    bool
}

func probeCommand(std *IO, command []string) *urfave.Command {
	return &urfave.Command{
		Name:      probeName,
		Usage:     "run a manifest's cases against a server; the exit code is the gate",
		UsageText: "mcpeval probe --server LABEL [--manifest FILE] [options] (-- COMMAND ARGS... | --url URL)",
		Description: "Every call is journaled as synthetic, in one capture a run. The standard battery follows, whose readiness does not decide the gate. It exits 0 when every case that applies passed, 1 when one failed " +
			"or none was judged, 2 when nothing was run, 3 when a case could not be judged. A mutating case runs only when it names a sandbox " +
			"that the manifest declares and --allow-mutation is given. " + authorizationVariable + " is sent to a URL as its Authorization header.",
		Flags: append(append(targetFlags(), standardFlags()...),
			manifestFlag(),
			kindFlag(),
			&urfave.BoolFlag{Name: "allow-mutation", Usage: "let the mutating cases run that name a declared sandbox"},
			&urfave.BoolFlag{Name: "allow-empty", Usage: "let a run pass in which no case was judged"},
			&urfave.StringFlag{Name: "known-failures", Usage: "`FILE` of case ids that are expected to fail, one a line; one that passes fails the gate"},
			gateOnlyFlag(),
			priceFlag(),
			&urfave.BoolFlag{Name: "brief", Usage: "leave the hints out of text"},
			formatsFlag(probeName),
		),
		Action: func(c *urfave.Context) error {
			o, err := parseProbe(std, c, command)
			if err != nil {
				return err
			}
			return runProbe(c.Context, o)
		},
	}
}

func gateOnlyFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "gate-only", Usage: "run the manifest's cases and not the standard battery; --probe does so, too"}
}

func manifestFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "manifest", Value: manifestName, Usage: "the `FILE` of cases"}
}

func kindFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "probe", Usage: "run only the cases of a `KIND`; may be given again"}
}

func parseProbe(std *IO, c *urfave.Context, command []string) (*probeOptions, error) {
	o := &probeOptions{
		std: std, manifest: c.String("manifest"), kinds: c.StringSlice("probe"), known: c.String("known-failures"),
		mutation: c.Bool("allow-mutation"), empty: c.Bool("allow-empty"), brief: c.Bool("brief"),
	}
	var err error
	if o.server, o.target, err = parseTarget(std, c, probeName, command); err != nil {
		return nil, err
	}
	if o.connection, err = parseConnection(c, probeName); err != nil {
		return nil, err
	}
	if o.format, err = formatOf(c, probeName); err != nil {
		return nil, err
	}
	if o.price, err = parsePrice(c, probeName); err != nil {
		return nil, err
	}
	if o.standard, err = parseBattery(std, c, probeName); err != nil {
		return nil, err
	}
	return o, nil
}

// parseBattery is the standard battery that runs after a manifest's cases, nil for
// none. Its flags are checked all the same.
func parseBattery(std *IO, c *urfave.Context, verb string) (*app.StandardOptions, error) {
	o, err := parseStandard(std, c, verb)
	if err != nil || c.Bool("gate-only") {
		return nil, err
	}
	return &o, nil
}

// readManifest reads the file of cases.
func readManifest(std *IO, verb, name string) ([]byte, error) {
	data, err := readInput(std, verb, "manifest", name)
	if usage, ok := errors.AsType[*usageError](err); ok {
		usage.next = "mcpeval init --server LABEL --output " + name + " -- COMMAND"
	}
	return data, err
}

func runProbe(ctx context.Context, o *probeOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	text, err := readManifest(o.std, probeName, o.manifest)
	if err != nil {
		return err
	}
	var known []byte
	if o.known != "" {
		if known, err = readInput(o.std, probeName, "known-failures file", o.known); err != nil {
			return err
		}
	}
	p := newProgress(o.std, "probing "+o.server)
	p.start("starting")
	probed, err := app.Probe(ctx, &app.ProbeOptions{
		Server: o.server, Version: version, Target: o.target,
		Manifest: text, Kinds: o.kinds, Known: known, AllowMutation: o.mutation, AllowEmpty: o.empty,
		Standard: o.standard, Protocol: o.protocol, StartupTimeout: o.startup,
		Record: o.std.recording(), Progress: p.count,
	})
	p.clear()
	if err != nil {
		return evaluationProblem(probeName, err)
	}
	shown := probed.Context
	shown.Price, shown.Place = o.price, o.std.place(probed.Document.Readiness)
	out, err := render(probed.Document, o.format, &reports.Options{
		Context: shown, Outcome: &probed.Outcome, Brief: o.brief, Color: o.std.colour(o.std.Out),
		Manifest: o.manifest, Lines: probed.Lines,
	})
	if err != nil {
		return fmt.Errorf("render report: %w", err)
	}
	if _, err := o.std.Out.Write(out); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return verdict(probed)
}

// verdict is the error that gives a run its exit code.
func verdict(p *app.Probed) error {
	switch {
	case p.Start != nil:
		return &app.Problem{Err: p.Start, Next: nextOf(p.Start)}
	case p.Discovery != nil && p.Outcome.Exit == reports.ExitIncomplete:
		return &app.Problem{
			Err:  fmt.Errorf("the server's tools cannot be listed, so that only pagination cases were run: %w", p.Discovery),
			Next: "mcpeval probe --probe pagination runs that diagnostic alone",
		}
	case p.Outcome.Exit == reports.ExitIncomplete:
		next := "mcpeval explain"
		for _, c := range p.Document.Cases {
			if r, _ := reason.Of(c.Reason); r.Class == reason.Fault {
				next += " " + string(c.Reason)
				break
			}
		}
		return &app.Problem{Err: errors.New("not every case could be judged"), Next: next}
	}
	if s := p.Standard; s != nil {
		if err := unmeasured(s.Problem, s.Start, s.Discovery); err != nil {
			return err
		}
	}
	if err := unmeasured(p.Document.ReadinessError, nil, p.Discovery); err != nil {
		return err
	}
	if p.Outcome.Exit == reports.ExitFailed {
		return errFound
	}
	return nil
}
