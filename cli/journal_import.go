package cli

import (
	"context"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/server/app"
)

type journalImportOptions struct {
	std     *IO
	sources []string
	format  string
}

func journalImportCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:      "import",
		Usage:     "take the logs of another home into the store",
		ArgsUsage: "DIR-OR-FILE...",
		Description: "DIR is what mcpeval share made; other folders with logs and single logs do as well. All of it is taken or none: " +
			"a line that cannot be read or contradicts another one, here or there, imports nothing. Importing the same again adds nothing. " +
			"Run mcpeval index afterwards.",
		Flags: []urfave.Flag{formatFlag()},
		Action: func(c *urfave.Context) error {
			const path = "journal import"
			f, err := format(c, path)
			if err != nil {
				return err
			}
			if !c.Args().Present() {
				return usagef(path, "journal import takes folders or files")
			}
			return runJournalImport(c.Context, &journalImportOptions{std, c.Args().Slice(), f})
		},
	}
}

func runJournalImport(ctx context.Context, o *journalImportOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	h, err := o.std.home()
	if err != nil {
		return err
	}
	unlock, err := lockIndex(ctx, h, "journal import")
	if err != nil {
		return err
	}
	p := newProgress(o.std, "importing")
	imported, err := app.Import(ctx, &app.ImportOptions{Home: h, Sources: o.sources, Progress: p.update})
	p.clear()
	unlock()
	if err != nil {
		return inputProblem(err)
	}
	if o.format == formatJSON {
		return writeJSON(o.std.Out, imported)
	}
	added, extended := int64(len(imported.Added)), int64(len(imported.Extended))
	_, err = fmt.Fprintf(o.std.Out, "imported %s with %s new; made %s longer; here already: %d\n",
		plural(added, "log"), plural(imported.Events, "line"), plural(extended, "log"), imported.Present)
	if n := imported.OtherSalts; n > 0 {
		fmt.Fprintf(o.std.Out, "note  salts that are not this home's: %d; the same error text is another group there than here\n", n)
	}
	if err == nil && added+extended > 0 {
		_, err = fmt.Fprintln(o.std.Out, "next: mcpeval index")
	}
	return err
}
