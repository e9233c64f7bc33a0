package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/server/app"
)

type journalLsOptions struct {
	std    *IO
	server string
	format string
}

func journalLsCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  "ls",
		Usage: "list the captures, newest first",
		Flags: []urfave.Flag{&urfave.StringFlag{Name: "server", Usage: "only captures of `LABEL`"}, formatFlag()},
		Action: func(c *urfave.Context) error {
			f, err := format(c, "journal ls")
			if err != nil {
				return err
			}
			if err := noArgs(c, "journal ls"); err != nil {
				return err
			}
			return runJournalLs(c.Context, &journalLsOptions{std, c.String("server"), f})
		},
	}
}

// captureRow is a capture in JSON. Times and names are null when the log's ends
// cannot be read, the ID when its name does not tell it either.
type captureRow struct {
	Capture  *string `json:"capture_id"`
	Path     string  `json:"path"`
	State    string  `json:"state"`
	Started  *string `json:"started"`
	Last     *string `json:"last"`
	Server   *string `json:"server"`
	Session  *string `json:"session"`
	Recorder *string `json:"recorder"`
	Kind     *string `json:"kind"`
	Events   int64   `json:"events"`
	Bytes    int64   `json:"bytes"`
}

func runJournalLs(ctx context.Context, o *journalLsOptions) error {
	home, err := o.std.home()
	if err != nil {
		return err
	}
	captures, err := app.Captures(ctx, home.Store())
	if err != nil {
		return err
	}
	rows := []captureRow{}
	t := &table{header: []string{"CAPTURE", "STARTED", "SERVER", "RECORDER", "EVENTS", "SIZE", "STATE"}, right: map[int]bool{4: true, 5: true}}
	for _, c := range captures {
		if o.server != "" && c.Server != o.server {
			continue
		}
		id := "-" // a log that somebody copied there and that cannot be read
		if c.ID != uuid.Nil {
			id = c.ID.String()
		}
		row := captureRow{Path: c.Path, State: string(c.State), Events: c.Events, Bytes: c.Bytes}
		started, server, recorder := "-", "-", "-"
		if id != "-" {
			row.Capture = ptr(id)
		}
		if !c.Started.IsZero() {
			started, server, recorder = c.Started.Format(time.DateTime), c.Server, c.Recorder.String()
			row.Started, row.Last = ptr(stamp(c.Started)), ptr(stamp(c.Last))
			row.Server, row.Session, row.Recorder, row.Kind = ptr(c.Server), ptr(c.Session), ptr(recorder), ptr(c.Kind.String())
		}
		rows = append(rows, row)
		t.add(id, started, server, recorder, fmt.Sprint(c.Events), size(c.Bytes), string(c.State))
	}
	if o.format == formatJSON {
		return writeJSON(o.std.Out, struct {
			Captures []captureRow `json:"captures"`
		}{rows})
	}
	return t.write(o.std)
}

// stamp is a time as events carry it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func ptr[T any](v T) *T { return &v }
