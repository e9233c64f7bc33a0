package cli

import (
	"context"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/server/app"
)

type doctorOptions struct {
	std       *IO
	redaction bool
	format    string
}

func doctorCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  "doctor",
		Usage: "check the home, the journal and the index, and say how to mend what is wrong",
		Description: "With --check-redaction every stored line is decoded and looked through for what looks private. " +
			"A finding names a file and line, never the text: it is a redaction bug, so stop capturing and look at that line.",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "check-redaction", Usage: "look through every stored line for what looks private"},
			formatFlag(),
		},
		Action: func(c *urfave.Context) error {
			f, err := format(c, "doctor")
			if err != nil {
				return err
			}
			if err := noArgs(c, "doctor"); err != nil {
				return err
			}
			return runDoctor(c.Context, &doctorOptions{std, c.Bool("check-redaction"), f})
		},
	}
}

// redactionReport is the part of the doctor's JSON that --check-redaction adds.
type redactionReport struct {
	Lines        int64    `json:"lines"`
	Files        int64    `json:"files"`
	Findings     []string `json:"findings"` // file:line
	MustNotShare []string `json:"must_not_share"`
}

func runDoctor(ctx context.Context, o *doctorOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	dir, err := o.std.homeDir()
	if err != nil {
		return err
	}
	checks, err := app.Doctor(ctx, &app.DoctorOptions{Home: dir})
	if err != nil {
		return err
	}
	var redaction *redactionReport
	if o.redaction {
		redaction, err = checkRedaction(ctx, o.std, &home.Home{Dir: dir})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // as any other thing that cannot be looked at
			checks = append(checks, app.Check{Name: "redaction", Status: app.StatusBad, Detail: "cannot be checked: " + err.Error(), Fix: "make the store readable"})
		}
	}
	if o.format == formatJSON {
		err = writeJSON(o.std.Out, struct {
			Checks    []app.Check      `json:"checks"`
			Redaction *redactionReport `json:"redaction"`
		}{checks, redaction})
	} else {
		err = writeDoctor(o.std, checks, redaction)
	}
	if err != nil {
		return err
	}
	for _, c := range checks {
		if c.Status == app.StatusBad {
			return errFound
		}
	}
	if redaction != nil && len(redaction.Findings) > 0 {
		return errFound
	}
	return nil
}

func checkRedaction(ctx context.Context, std *IO, h *home.Home) (*redactionReport, error) {
	p := newProgress(std, "checking redaction")
	result, err := app.CheckRedaction(ctx, h.Store(), p.update)
	p.clear()
	if err != nil {
		return nil, err
	}
	report := &redactionReport{Lines: result.Lines, Files: result.Files, Findings: []string{}, MustNotShare: []string{h.SaltPath()}}
	for _, place := range result.Findings {
		report.Findings = append(report.Findings, place.String())
	}
	return report, nil
}

func writeDoctor(std *IO, checks []app.Check, redaction *redactionReport) error {
	for _, c := range checks {
		if _, err := fmt.Fprintf(std.Out, "%-4s  %s: %s\n", c.Status, c.Name, c.Detail); err != nil {
			return err
		}
		if c.Fix != "" {
			fmt.Fprintf(std.Out, "      next: %s\n", c.Fix)
		}
	}
	if redaction == nil {
		return nil
	}
	for _, place := range redaction.Findings {
		fmt.Fprintf(std.Out, "bad   %s\n", place)
	}
	status := "ok"
	if len(redaction.Findings) > 0 {
		status = "bad"
	}
	fmt.Fprintf(std.Out, "%-4s  redaction: %s, %s\n", status, plural(redaction.Lines, "line"), plural(int64(len(redaction.Findings)), "finding"))
	fmt.Fprintf(std.Out, "note  session names are stored as plain SHA-256: one that can be guessed can be confirmed\n")
	_, err := fmt.Fprintf(std.Out, "note  must not be shared: %s\n", redaction.MustNotShare[0])
	return err
}
