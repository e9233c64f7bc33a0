package cli

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	reports "github.com/mcpeval/mcpeval/probes/report"
)

const diffName = "diff"

type diffOptions struct {
	std           *IO
	base, current string
	onRegression  bool
	onChange      bool
	brief         bool
	format        string
}

func diffCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:        diffName,
		Usage:       "say what changed between two JSON reports",
		ArgsUsage:   "BASE CURRENT",
		Description: "Cases are regressed, fixed, changed, unchanged, added or removed; latencies never count. One of the two may be -, for stdin. It exits 0 unless a flag says otherwise.",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "fail-on-regression", Usage: "exit 1 when a case regressed"},
			&urfave.BoolFlag{Name: "fail-on-change", Usage: "exit 1 when anything changed"},
			&urfave.BoolFlag{Name: "brief", Usage: "leave out what did not change"},
			formatsFlag(diffName),
		},
		Action: func(c *urfave.Context) error {
			o := &diffOptions{std: std, onRegression: c.Bool("fail-on-regression"), onChange: c.Bool("fail-on-change"), brief: c.Bool("brief")}
			var err error
			if o.format, err = formatOf(c, diffName); err != nil {
				return err
			}
			if c.NArg() != 2 {
				return usagef(diffName, "diff takes exactly two reports, the base and the current one")
			}
			o.base, o.current = c.Args().Get(0), c.Args().Get(1)
			if o.base == "-" && o.current == "-" {
				return usagef(diffName, "only one of the reports can come from stdin")
			}
			return runDiff(o)
		},
	}
}

func runDiff(o *diffOptions) error {
	base, err := readDocument(o.std, diffName, o.base)
	if err != nil {
		return err
	}
	current, err := readDocument(o.std, diffName, o.current)
	if err != nil {
		return err
	}
	generator, err := generator()
	if err != nil {
		return err
	}
	d, err := reports.Compare(generator, base, current)
	if err != nil {
		return fmt.Errorf("compare reports: %w", err)
	}
	var out []byte
	switch o.format {
	case formatJSON:
		if out, err = d.Encode(); err != nil {
			return fmt.Errorf("render diff: %w", err)
		}
	case formatMarkdown:
		out = d.Markdown()
	default:
		out = d.Text(o.brief)
	}
	if _, err := o.std.Out.Write(out); err != nil {
		return fmt.Errorf("write diff: %w", err)
	}
	if d.Exit(o.onRegression, o.onChange) != reports.ExitPassed {
		return errFound
	}
	return nil
}

// generator is this program, for documents.
func generator() (reports.Generator, error) {
	name, err := reports.NewLabel(reports.GeneratorName)
	if err != nil {
		return reports.Generator{}, err
	}
	stamp, err := reports.NewLabel(version)
	return reports.Generator{Name: name, Version: stamp}, err
}
