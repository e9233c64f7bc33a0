package cli

import (
	"context"
	"errors"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/server/app"
)

type shareOptions struct {
	std    *IO
	dir    string
	notes  bool
	probes bool
	force  bool
	format string
}

func shareCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  "share",
		Usage: "copy the journal into a folder that another home can import",
		Description: "Every line is checked for what looks private; one that is flagged publishes nothing and is named by file and line. " +
			"Never in it: the salt, the index, the ledger. Read SHARE.md in the folder before you pass it on: " +
			"session names that can be guessed can be confirmed.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "dir", Usage: "make the folder `DIR`, outside of the home"},
			&urfave.BoolFlag{Name: "include-annotation-notes", Usage: "with the notes that people wrote about calls"},
			&urfave.BoolFlag{Name: "include-probe-history", Usage: "with what probes, scores and verifications recorded"},
			&urfave.BoolFlag{Name: "force", Usage: "replace a whole earlier envelope, and nothing else"},
			formatFlag(),
		},
		Action: func(c *urfave.Context) error {
			const path = "share"
			f, err := format(c, path)
			if err != nil {
				return err
			}
			if err := noArgs(c, path); err != nil {
				return err
			}
			if c.String("dir") == "" {
				return usagef(path, "share needs --dir DIR, a folder outside of the home")
			}
			return runShare(c.Context, &shareOptions{
				std, c.String("dir"), c.Bool("include-annotation-notes"), c.Bool("include-probe-history"), c.Bool("force"), f,
			})
		},
	}
}

func runShare(ctx context.Context, o *shareOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	h, err := o.std.home()
	if err != nil {
		return err
	}
	p := newProgress(o.std, "checking and copying")
	shared, err := app.Share(ctx, &app.ShareOptions{
		Home: h, Dir: o.dir, Notes: o.notes, History: o.probes, Force: o.force, Progress: p.update, Now: o.std.Now,
	})
	p.clear()
	if err != nil {
		return inputProblem(err)
	}
	if err := o.print(shared); err != nil {
		return err
	}
	if len(shared.Findings) > 0 {
		return errFound
	}
	return nil
}

func (o *shareOptions) print(s *app.Shared) error {
	findings := []string{}
	for _, place := range s.Findings {
		findings = append(findings, place.String())
	}
	if o.format == formatJSON {
		return writeJSON(o.std.Out, struct {
			*app.Shared
			Findings []string `json:"findings"` // file:line
		}{s, findings})
	}
	for _, place := range findings {
		fmt.Fprintf(o.std.Out, "bad   %s\n", place)
	}
	if len(findings) > 0 {
		_, err := fmt.Fprintf(o.std.Out, "nothing was shared: %s may hold something private\nnext: look at the lines, then mcpeval journal repair or quarantine\n", plural(int64(len(findings)), "line"))
		return err
	}
	_, err := fmt.Fprintf(o.std.Out, "shared %s, %s, in %s\n", plural(s.Captures, "capture"), plural(s.Lines, "line"), o.dir)
	if n := s.LeftOut.Notes; n > 0 {
		fmt.Fprintf(o.std.Out, "left out: %s with notes; --include-annotation-notes takes them in\n", plural(n, "log"))
	}
	if n := s.LeftOut.History; n > 0 {
		fmt.Fprintf(o.std.Out, "left out: %s of probes, scores and verifications; --include-probe-history takes them in\n", plural(n, "log"))
	}
	fmt.Fprintln(o.std.Out, "note  session names are stored as plain SHA-256: one that can be guessed can be confirmed")
	if s.Notes {
		fmt.Fprintln(o.std.Out, "note  notes are prose: read them before you pass the folder on")
	}
	return err
}

// inputProblem makes a mistake in what was asked for a usage error.
func inputProblem(err error) error {
	if e, ok := errors.AsType[*app.InputError](err); ok {
		return &usageError{what: err.Error(), next: e.Next}
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	if _, ok := errors.AsType[*app.Problem](err); ok {
		return err
	}
	return homeProblem(err)
}
