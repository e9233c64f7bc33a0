package cli

import (
	"context"
	"fmt"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/server/app"
)

type journalPruneOptions struct {
	std    *IO
	before time.Time
	dry    bool
	format string
}

func journalPruneCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  "prune",
		Usage: "delete the captures that ended before a day, and say what that freed",
		Description: "Whole captures only, and only those that ended and were indexed: the audit goes on to know that they were there. " +
			"Annotations and verifications are kept.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "before", Usage: "the `DATE`, such as 2026-11-30 (in UTC)"},
			&urfave.BoolFlag{Name: "dry-run", Usage: "only say what would go"},
			formatFlag(),
		},
		Action: func(c *urfave.Context) error {
			const path = "journal prune"
			f, err := format(c, path)
			if err != nil {
				return err
			}
			if err := noArgs(c, path); err != nil {
				return err
			}
			before, err := time.Parse(time.DateOnly, c.String("before"))
			if err != nil {
				return usagef(path, "journal prune needs --before DATE, such as 2026-11-30")
			}
			return runJournalPrune(c.Context, &journalPruneOptions{std, before, c.Bool("dry-run"), f})
		},
	}
}

func runJournalPrune(ctx context.Context, o *journalPruneOptions) error {
	h, err := o.std.home()
	if err != nil {
		return err
	}
	if !o.dry { // what is not indexed is not pruned
		// On a full disk what was indexed before can still go, to make room.
		if _, err := refresh(ctx, o.std, h, projections.Options{Wait: defaultWait, KeepPromotion: true}); err != nil && !app.DiskFull(err) {
			return err
		}
	}
	unlock, err := lockIndex(ctx, h, "journal prune")
	if err != nil {
		return err
	}
	pruned, err := app.Prune(ctx, h, o.before, o.dry)
	unlock()
	if err != nil {
		return homeProblem(err)
	}
	if err := o.print(pruned); err != nil {
		return err
	}
	if !o.dry && len(pruned.Captures) > 0 {
		_, err = refresh(ctx, o.std, h, projections.Options{Wait: defaultWait, KeepPromotion: true})
	}
	return err
}

func (o *journalPruneOptions) print(pruned *app.Pruning) error {
	if o.format == formatJSON {
		paths := []string{}
		for _, c := range pruned.Captures {
			paths = append(paths, c.Path)
		}
		return writeJSON(o.std.Out, struct {
			DryRun     bool     `json:"dry_run"`
			Pruned     []string `json:"pruned"`
			Bytes      int64    `json:"bytes"`
			NotIndexed int64    `json:"not_indexed"`
		}{o.dry, paths, pruned.Bytes, pruned.NotIndexed})
	}
	verb := "pruned"
	if o.dry {
		verb = "would prune"
	}
	_, err := fmt.Fprintf(o.std.Out, "%s %s, %s\n", verb, plural(int64(len(pruned.Captures)), "capture"), size(pruned.Bytes))
	if err == nil && pruned.NotIndexed > 0 {
		_, err = fmt.Fprintf(o.std.Out, "kept %s not yet indexed\n", plural(pruned.NotIndexed, "capture"))
	}
	return err
}
