package cli

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/server/app"
)

type journalCatOptions struct {
	std     *IO
	capture string
	format  string
}

func journalCatCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:        "cat",
		Usage:       "print the events of a capture as JSON lines",
		ArgsUsage:   "CAPTURE",
		Description: "CAPTURE is a capture's ID, or as much of its start as no other has. With --format json the lines stand in one object, under events.",
		Flags:       []urfave.Flag{&urfave.StringFlag{Name: "format", Value: "lines", Usage: "`lines` or json"}},
		Action: func(c *urfave.Context) error {
			f := c.String("format")
			if f != "lines" && f != formatJSON {
				return usagef("journal cat", "--format takes lines or json")
			}
			capture, err := oneArg(c, "journal cat", "capture")
			if err != nil {
				return err
			}
			return runJournalCat(c.Context, &journalCatOptions{std, capture, f})
		},
	}
}

// runJournalCat prints lines that decode only: any other may hold anything.
func runJournalCat(ctx context.Context, o *journalCatOptions) error {
	home, err := o.std.home()
	if err != nil {
		return err
	}
	capture, err := app.FindCapture(ctx, home.Store(), o.capture)
	if err != nil {
		return err
	}
	file, err := os.Open(filepath.Join(home.Store(), filepath.FromSlash(capture.Path)))
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	defer file.Close()
	out := bufio.NewWriter(o.std.Out)
	before, between, after := "", "\n", "\n"
	if o.format == formatJSON {
		before, between, after = "{\"events\": [\n", ",\n", "\n]}\n"
	}
	_, _ = out.WriteString(before) // bufio keeps the first error for Flush
	r := journal.NewReader(file, journal.Place{Path: capture.Path})
	decoder := journal.NewDecoder()
	var event journal.Event
	var corrupt error
	for n := 0; r.Next(); n++ {
		if err := decoder.Decode(journal.FileCapture, r.Line(), &event); err != nil {
			corrupt = unreadable(journal.Corrupt(r.Place(), err))
			break
		}
		if n > 0 {
			_, _ = out.WriteString(between)
		}
		_, _ = out.Write(r.Line())
	}
	_, _ = out.WriteString(after)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	if r.Err() != nil {
		return fmt.Errorf("read log: %w", r.Err())
	}
	return corrupt
}

// unreadable is what to do about a log with a bad line.
func unreadable(err *journal.CorruptionError) error {
	return &app.Problem{Err: err, Next: "mcpeval journal repair " + journal.Shown(err.Path)}
}
