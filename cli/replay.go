package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/server/app"
)

type replayOptions struct {
	std      *IO
	out      string
	until    time.Time
	event    uuid.UUID
	captures []string
	wait     time.Duration
	format   string
}

func replayCommand(std *IO) *urfave.Command {
	const path = "replay"
	return &urfave.Command{
		Name:  path,
		Usage: "make the index as it was at some time, in a file of its own",
		Description: "The events up to a time, or up to one event, are projected into a new SQLite file. " +
			"Time is the events' own: what was imported later with an older time is in. The home's index stays as it is.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "until", Usage: "events up to `TIME` count, such as 2026-11-30T12:00:00Z"},
			&urfave.StringFlag{Name: "until-event", Usage: "events up to the one with this `ID` count"},
			&urfave.StringSliceFlag{Name: "capture", Usage: "only events of this capture count; `ID` may be its beginning, and the flag repeated"},
			&urfave.StringFlag{Name: "out", Usage: "the `FILE.db` to make; it must not be there"},
			waitFlag(),
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
			o := &replayOptions{std: std, out: c.String("out"), captures: c.StringSlice("capture"), wait: c.Duration("wait"), format: f}
			switch {
			case o.out == "":
				return usagef(path, "replay needs --out FILE.db, which must not be there yet")
			case (c.String("until") == "") == (c.String("until-event") == ""):
				return usagef(path, "replay needs either --until TIME or --until-event ID")
			case o.wait < 0:
				return usagef(path, "--wait takes a time that is not negative")
			}
			if text := c.String("until"); text != "" {
				if o.until, err = time.Parse(time.RFC3339Nano, text); err != nil {
					return usagef(path, "--until takes a time such as 2026-11-30T12:00:00Z")
				}
				if o.until.IsZero() {
					o.until = o.until.Add(time.Nanosecond) // the zero time is no limit to Replay
				}
			} else if o.event, err = uuid.Parse(c.String("until-event")); err != nil || o.event == uuid.Nil {
				return usagef(path, "--until-event takes the ID of an event, as mcpeval journal cat shows it")
			}
			return runReplay(c.Context, o)
		},
	}
}

// below reports whether a path lies in a folder, by whatever links either is
// named.
func below(folder, path string) bool {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	// The file itself need not be there; of a folder that is not, replay says so.
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

func runReplay(ctx context.Context, o *replayOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	h, err := o.std.home()
	if err != nil {
		return err
	}
	out, err := filepath.Abs(o.out)
	if err != nil {
		return fmt.Errorf("resolve output: %w", err)
	}
	if below(h.Dir, out) {
		return usagef("replay", "--out lies in the home, where such a file could be taken for the index")
	}
	var captures []uuid.UUID
	for _, prefix := range o.captures {
		found, err := app.FindCapture(ctx, h.Store(), prefix)
		if err != nil {
			return err
		}
		captures = append(captures, found.ID)
	}
	wait := o.wait
	if wait == 0 {
		wait = -1 // of projections.ReplayOptions: do not wait
	}
	p := newProgress(o.std, "replaying")
	result, err := projections.Replay(ctx, h, &projections.ReplayOptions{
		Out: out, Until: o.until, UntilEvent: o.event, Captures: captures, Wait: wait,
		Progress: func(at projections.Progress) { p.update(at.Bytes, at.Total) },
		Now:      o.std.Now,
	})
	p.clear()
	switch {
	case errors.Is(err, fs.ErrExist):
		return &usageError{what: "--out is there already, and replay replaces nothing", next: "name another file"}
	case errors.Is(err, fs.ErrNotExist):
		return &usageError{what: "there is no folder for --out", next: "make it first"}
	case errors.Is(err, projections.ErrEventUnknown):
		return &app.Problem{Err: err, Next: "mcpeval journal ls, then mcpeval journal cat CAPTURE"}
	case err != nil:
		return refreshProblem(err)
	}
	if o.format == formatJSON {
		return writeJSON(o.std.Out, struct {
			Out string `json:"out"`
			*projections.Result
		}{o.out, result})
	}
	for _, c := range result.Corrupt {
		fmt.Fprintf(o.std.Err, "mcpeval: %s: cannot be read from here on: %s\n", c.Place(), c.Reason)
	}
	_, err = fmt.Fprintf(o.std.Out, "replayed %s (%s), %s, into %s\n", plural(result.Calls, "call"), plural(result.Failures, "failure"), plural(result.Findings, "finding"), o.out)
	return err
}
