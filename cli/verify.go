package cli

import (
	"context"
	"errors"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/probes/client"
	reports "github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/server/app"
)

const verifyName = "verify"

type verifyOptions struct {
	std *IO
	connection
	target   client.Target
	finding  string
	caseID   string
	manifest string
	format   string
	brief    bool
}

func verifyCommand(std *IO, command []string) *urfave.Command {
	return &urfave.Command{
		Name:      verifyName,
		Usage:     "run one case for a finding; three green runs in a row close it",
		UsageText: "mcpeval verify --finding ID --case ID [--manifest FILE] [options] (-- COMMAND ARGS... | --url URL)",
		Description: "The case must be read-only and call the finding's tool; for a false-success it must say what the result holds. A red run starts " +
			"the count anew and reopens the finding, and so does another case, timeout, command or URL. A case that could not be judged, since the " +
			"server did not start, cannot be listed, or broke off, records nothing. It exits 0 when the case passed, 1 when it did not, 2 when nothing " +
			"was run, 3 when it could not be judged. " + authorizationVariable + " is sent to a URL as its Authorization header.",
		Flags: append(serverFlags(),
			&urfave.StringFlag{Name: "finding", Usage: "the `ID` of the finding"},
			&urfave.StringFlag{Name: "case", Usage: "the `ID` of the case in the manifest"},
			manifestFlag(),
			&urfave.BoolFlag{Name: "brief", Usage: "leave the hints out of text"},
			formatFlag(),
		),
		Action: func(c *urfave.Context) error {
			o := &verifyOptions{
				std: std, finding: c.String("finding"), caseID: c.String("case"), manifest: c.String("manifest"), brief: c.Bool("brief"),
			}
			switch {
			case o.finding == "":
				return usagef(verifyName, "verify needs --finding ID")
			case o.caseID == "":
				return usagef(verifyName, "verify needs --case ID")
			}
			var err error
			if o.target, err = parseServer(std, c, verifyName, command); err != nil {
				return err
			}
			if o.connection, err = parseConnection(c, verifyName); err != nil {
				return err
			}
			if o.format, err = format(c, verifyName); err != nil {
				return err
			}
			return runVerify(c.Context, o)
		},
	}
}

func runVerify(ctx context.Context, o *verifyOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	text, err := readInput(o.std, verifyName, "manifest", o.manifest)
	if usage, ok := errors.AsType[*usageError](err); ok && o.manifest != "" {
		usage.next = "mcpeval generate --finding ID --output " + o.manifest + " --confirm-read-only"
	}
	if err != nil {
		return err
	}
	h, err := o.std.home()
	if err != nil {
		return err
	}
	p := newProgress(o.std, "verifying")
	p.start("starting")
	v, err := app.Verify(ctx, &app.VerifyOptions{
		Home: h, Finding: o.finding, Case: o.caseID, Version: version, Target: o.target, Manifest: text,
		Protocol: o.protocol, StartupTimeout: o.startup, Record: o.std.recording(), Progress: p.count,
	})
	p.clear()
	if err != nil {
		return verifyProblem(err)
	}
	out, err := o.render(v)
	if err != nil {
		return fmt.Errorf("render report: %w", err)
	}
	if _, err := o.std.Out.Write(out); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return verifyVerdict(v)
}

// verifyProblem makes the errors of a verification ours.
func verifyProblem(err error) error {
	if conflict, ok := errors.AsType[*projections.ConflictError](err); ok {
		return &app.Problem{Err: err, Next: conflict.Next()}
	}
	if _, ok := errors.AsType[*home.LockedError](err); ok {
		return &app.Problem{Err: err, Next: "mcpeval index, later"}
	}
	err = evaluationProblem(verifyName, err)
	if _, ok := errors.AsType[*app.Problem](err); ok {
		return err
	}
	return homeProblem(err)
}

func (o *verifyOptions) render(v *app.Verified) ([]byte, error) {
	if o.format == formatJSON {
		return app.EncodeVerified(v)
	}
	out, err := v.Report.Text(&reports.Options{
		Context: v.Result.Context, Outcome: &v.Result.Outcome, Brief: o.brief, Color: o.std.colour(o.std.Out),
	})
	return append(out, o.sentence(v)...), err
}

// sentence says what a run means for its finding.
func (o *verifyOptions) sentence(v *app.Verified) string {
	switch {
	case v.Lifecycle == nil:
		return fmt.Sprintf("%s: nothing recorded, since the case was not judged\n", o.finding)
	case v.Lifecycle.ConsecutivePasses > 0:
		return fmt.Sprintf("%s: %s, %s in a row\n", o.finding, v.Lifecycle.State, plural(v.Lifecycle.ConsecutivePasses, "green run"))
	}
	return fmt.Sprintf("%s: %s\n", o.finding, v.Lifecycle.State)
}

// verifyVerdict is the error that gives a verification its exit code.
func verifyVerdict(v *app.Verified) error {
	switch {
	case v.Result.Discovery != nil:
		return &app.Problem{
			Err:  fmt.Errorf("the server's tools cannot be listed, so that nothing was verified: %w", v.Result.Discovery),
			Next: "a manifest with a pagination case, and mcpeval probe --probe pagination, show where the listing breaks",
		}
	case v.Result.Outcome.Exit == reports.ExitIncomplete:
		return &app.Problem{Err: errors.New("the case could not be judged"), Next: "mcpeval explain " + *v.Reason}
	case !v.Verified:
		return errFound
	}
	return nil
}
