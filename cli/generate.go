package cli

import (
	"context"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/generate"
	"github.com/mcpeval/mcpeval/server/app"
)

const generateName = "generate"

type generateOptions struct {
	std     *IO
	finding string
	output  string
	expect  string // a file; "" is none
	confirm bool
	force   bool
	format  string
}

func generateCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:      generateName,
		Usage:     "write the case that reproduces a finding",
		UsageText: "mcpeval generate --finding ID --output FILE --confirm-read-only [--expect FILE] [--force]",
		Description: "The manifest has one read-only case, chosen by the finding's class; docs/generate.md has the rules. Arguments are rebuilt from " +
			"the recorded shape: each placeholder has a line \"fill: PATH (SHAPE)\", PATH a JSON pointer into the file, and has to be completed by hand. " +
			"Nothing is called. It exits 2 when there is no case for the finding.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "finding", Usage: "the `ID` of the finding"},
			&urfave.StringFlag{Name: "output", Usage: "the `FILE` to write"},
			&urfave.BoolFlag{Name: "confirm-read-only", Usage: "attest that the finding's tool only reads"},
			&urfave.StringFlag{Name: "expect", Usage: "`FILE` of what the tool should answer, for false-success and blocked-optimal-path"},
			&urfave.BoolFlag{Name: "force", Usage: "replace the output file"},
			formatFlag(),
		},
		Action: func(c *urfave.Context) error {
			if err := noArgs(c, generateName); err != nil {
				return err
			}
			o := &generateOptions{
				std: std, finding: c.String("finding"), output: c.String("output"), expect: c.String("expect"),
				confirm: c.Bool("confirm-read-only"), force: c.Bool("force"),
			}
			var err error
			if o.format, err = format(c, generateName); err != nil {
				return err
			}
			switch {
			case o.finding == "":
				return usagef(generateName, "generate needs --finding ID")
			case o.output == "":
				return usagef(generateName, "generate needs --output FILE")
			case c.IsSet("expect") && o.expect == "":
				return usagef(generateName, "--expect takes a file")
			}
			return runGenerate(c.Context, o)
		},
	}
}

func runGenerate(ctx context.Context, o *generateOptions) error {
	var expect []byte
	if o.expect != "" {
		var err error
		if expect, err = readInput(o.std, generateName, "expectation file", o.expect); err != nil {
			return err
		}
	}
	h, err := o.std.home()
	if err != nil {
		return err
	}
	g, err := app.Generate(ctx, &app.GenerateOptions{
		Home: h, Finding: o.finding, Output: o.output, Force: o.force, ConfirmReadOnly: o.confirm, Expect: expect,
	})
	if err != nil {
		return evaluationProblem(generateName, err)
	}
	if o.format == formatJSON {
		return writeJSON(o.std.Out, generateDocumentOf(o, g))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nprobe=%s", g.CaseID, g.Kind)
	if g.MaxAttempts > 0 {
		fmt.Fprintf(&b, " max_attempts=%d", g.MaxAttempts)
	}
	b.WriteString("\n")
	for _, f := range g.Fills {
		fmt.Fprintf(&b, "fill: %s (%s)\n", f.Path, f.Shape)
	}
	if _, err := fmt.Fprint(o.std.Out, b.String()); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

// generateDocument is the JSON of generate.
type generateDocument struct {
	Output      string         `json:"output"`
	Case        string         `json:"case"`
	Probe       string         `json:"probe"`
	MaxAttempts *int           `json:"max_attempts"` // null for a kind that calls once
	Fill        []generateFill `json:"fill"`
}

type generateFill struct {
	Path  string `json:"path"`
	Shape string `json:"shape"`
}

func generateDocumentOf(o *generateOptions, g *generate.Generated) *generateDocument {
	d := &generateDocument{Output: o.output, Case: g.CaseID, Probe: string(g.Kind), Fill: []generateFill{}}
	if g.MaxAttempts > 0 {
		d.MaxAttempts = &g.MaxAttempts
	}
	for _, f := range g.Fills {
		d.Fill = append(d.Fill, generateFill{f.Path, f.Shape})
	}
	return d
}
