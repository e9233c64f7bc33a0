package cli

import (
	"errors"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	reports "github.com/mcpeval/mcpeval/probes/report"
)

const reportName = "report"

type reportOptions struct {
	std      *IO
	document string // a file or "-"
	digest   bool
	brief    bool
	format   string
}

func reportCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:        reportName,
		Usage:       "show a JSON report in another form",
		ArgsUsage:   "DOC|-",
		Description: "DOC is what probe --format json wrote; - reads it from stdin. It exits 0 whatever the report says.",
		Flags: []urfave.Flag{
			formatsFlag(reportName),
			&urfave.BoolFlag{Name: "digest", Usage: "print the SHA-256 of the report without what only time decides"},
			&urfave.BoolFlag{Name: "brief", Usage: "leave the hints out of text"},
		},
		Action: func(c *urfave.Context) error {
			o := &reportOptions{std: std, digest: c.Bool("digest"), brief: c.Bool("brief")}
			var err error
			if o.document, err = oneArg(c, reportName, "report"); err != nil {
				return err
			}
			if o.format, err = formatOf(c, reportName); err != nil {
				return err
			}
			if o.digest && c.IsSet("format") {
				return usagef(reportName, "--digest has no --format")
			}
			return runReport(o)
		},
	}
}

// readDocument reads a report that was named on the command line.
func readDocument(std *IO, verb, name string) (*reports.Document, error) {
	data, err := readInput(std, verb, "report", name)
	if err != nil {
		return nil, err
	}
	d, err := reports.Read(data)
	if e, ok := errors.AsType[*reports.Error](err); ok {
		where := name
		if name == "-" {
			where = "stdin"
		}
		return nil, &usageError{what: fmt.Sprintf("%s is no report: %s", where, e), next: "mcpeval schema report prints what a report may hold"}
	}
	return d, err
}

func runReport(o *reportOptions) error {
	d, err := readDocument(o.std, reportName, o.document)
	if err != nil {
		return err
	}
	if o.digest {
		sum, err := d.Digest()
		if err != nil {
			return fmt.Errorf("digest report: %w", err)
		}
		_, err = fmt.Fprintln(o.std.Out, sum)
		return err
	}
	out, err := render(d, o.format, &reports.Options{Brief: o.brief, Color: o.std.colour(o.std.Out)})
	if err != nil {
		return fmt.Errorf("render report: %w", err)
	}
	_, err = o.std.Out.Write(out)
	return err
}
