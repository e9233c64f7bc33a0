package cli

import (
	"context"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/server/app"
)

func exportIssuesCommand(std *IO) *urfave.Command {
	const path = "export-issues"
	return &urfave.Command{
		Name:  path,
		Usage: "write one Markdown issue for each finding that is not closed",
		Description: "Files are named by the finding's ID, so that a second export brings them up to date. " +
			"One that was edited, or that no export wrote, is not overwritten. They hold no arguments, error texts, notes or sessions.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "dir", Usage: "write into `DIR`, outside of the home"},
			&urfave.StringFlag{Name: "server", Usage: "only findings of `LABEL`"},
			&urfave.BoolFlag{Name: "force", Usage: "replace exported files that were edited since"},
			formatFlag(),
		},
		Action: func(c *urfave.Context) error {
			f, err := format(c, path)
			if err != nil {
				return err
			}
			if err := noArgs(c, path); err != nil {
				return err
			}
			if c.String("dir") == "" {
				return usagef(path, "export-issues needs --dir DIR")
			}
			return runExportIssues(c.Context, std, f, &app.ExportOptions{Dir: c.String("dir"), Server: c.String("server"), Force: c.Bool("force")})
		},
	}
}

func runExportIssues(ctx context.Context, std *IO, format string, o *app.ExportOptions) error {
	var err error
	if o.Home, err = std.home(); err != nil {
		return err
	}
	done, err := app.ExportIssues(ctx, o)
	if err != nil {
		return askedProblem("export-issues", err)
	}
	if format == formatJSON {
		return writeJSON(std.Out, done)
	}
	n := map[string]int{}
	for _, f := range done.Files {
		n[f.Status]++
	}
	_, err = fmt.Fprintf(std.Out, "exported %s to %s: %d created, %d updated, %d unchanged\n",
		plural(len(done.Files), "issue"), o.Dir, n[app.ExportCreated], n[app.ExportUpdated], n[app.ExportUnchanged])
	return err
}
