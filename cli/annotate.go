package cli

import (
	"context"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/server/app"
)

const annotateName = "annotate"

func annotateCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  annotateName,
		Usage: "write down what was wrong with a call",
		Description: "A call is named by the ID of its event; a record without identity by session and sequence number. The note is the one prose that is stored: " +
			"write no secrets, and read notes before you share a journal. Kinds: " + strings.Join(app.AnnotationKinds(), ", ") + ".",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "event", Usage: "the `ID` of the call, as mcpeval calls --list shows it"},
			&urfave.StringFlag{Name: "session", Usage: "with --seq: the `SESSION` of a record without identity, hashed before anything is stored"},
			&urfave.Int64Flag{Name: "seq", Usage: "with --session: the record's number `N`"},
			&urfave.StringFlag{Name: "kind", Usage: "the `KIND` of remark"},
			&urfave.StringFlag{Name: "note", Usage: "`TEXT` of at most 240 characters without line breaks"},
			formatFlag(),
		},
		Action: func(c *urfave.Context) error {
			f, err := format(c, annotateName)
			if err != nil {
				return err
			}
			if err := noArgs(c, annotateName); err != nil {
				return err
			}
			switch {
			case c.String("event") == "" && !(c.IsSet("session") && c.IsSet("seq")), c.IsSet("event") && (c.IsSet("session") || c.IsSet("seq")):
				return usagef(annotateName, "annotate needs either --event ID or --session S --seq N")
			case !c.IsSet("kind"):
				return usagef(annotateName, "annotate needs --kind, one of %s", strings.Join(app.AnnotationKinds(), ", "))
			case !c.IsSet("note"):
				return usagef(annotateName, "annotate needs --note TEXT")
			}
			return runAnnotate(c.Context, std, f, &app.AnnotateOptions{
				Version: version, Event: c.String("event"), Session: c.String("session"), Seq: c.Int64("seq"), Kind: c.String("kind"), Note: c.String("note"),
			})
		},
	}
}

func runAnnotate(ctx context.Context, std *IO, format string, o *app.AnnotateOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	var err error
	if o.Home, err = std.home(); err != nil {
		return err
	}
	o.Record = std.recording()
	a, err := app.Annotate(ctx, o)
	if err != nil {
		return askedProblem(annotateName, err)
	}
	if !a.Indexed {
		fmt.Fprintln(std.Err, "mcpeval: the annotation is recorded, and not indexed yet\nnext: mcpeval index")
	}
	if format == formatJSON {
		return writeJSON(std.Out, a)
	}
	about := a.Server
	if a.Tool != nil {
		about += " " + *a.Tool
	}
	_, err = fmt.Fprintf(std.Out, "annotated a call of %s as %s: event %s\n", about, a.Kind, a.EventID)
	return err
}
