package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/server/app"
)

// tailEvery is the time between two looks at the store.
const tailEvery = 250 * time.Millisecond

type journalTailOptions struct {
	std     *IO
	capture string // "" follows all
}

func journalTailCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:        "tail",
		Usage:       "follow what is being recorded, one readable line an event",
		ArgsUsage:   "[CAPTURE]",
		Description: "With a capture, all its events from the first on, until it ends. Without one, what all captures record from now on, until interrupted.",
		Action: func(c *urfave.Context) error {
			if c.NArg() > 1 {
				return usagef("journal tail", "journal tail takes at most one capture")
			}
			return runJournalTail(c.Context, &journalTailOptions{std, c.Args().First()})
		},
	}
}

func runJournalTail(ctx context.Context, o *journalTailOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	home, err := o.std.home()
	if err != nil {
		return err
	}
	t := &tail{std: o.std, store: home.Store(), readers: map[string]*journal.LiveReader{}, left: map[string]bool{}, decoder: journal.NewDecoder()}
	defer t.close()
	if o.capture != "" {
		capture, err := app.FindCapture(ctx, t.store, o.capture)
		if err != nil {
			return err
		}
		t.only = capture.Path
	}
	if err := t.open(o.capture != ""); err != nil {
		return err
	}
	for {
		ended, err := t.read()
		if err != nil {
			return err
		}
		if ended && t.only != "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(tailEvery):
		}
		if err := t.open(true); err != nil {
			return err
		}
	}
}

// interruptible gives a context that ends with INT or TERM, for work that has
// an orderly way to stop.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

// tail follows the logs of a store.
type tail struct {
	std     *IO
	store   string
	only    string // the one path to follow, or ""
	readers map[string]*journal.LiveReader
	left    map[string]bool // logs with a line that cannot be read, followed no longer
	decoder *journal.Decoder
}

// open starts to follow the logs that are not followed yet: from their start,
// or from their present end.
func (t *tail) open(fromStart bool) error {
	files, err := journal.Files(t.store)
	if err != nil {
		return fmt.Errorf("list journal: %w", err)
	}
	for _, f := range files {
		if t.readers[f.Path] != nil || t.left[f.Path] || f.Kind != journal.FileCapture || t.only != "" && t.only != f.Path {
			continue
		}
		r, err := journal.OpenLive(filepath.Join(t.store, filepath.FromSlash(f.Path)), journal.Place{Path: f.Path})
		switch {
		case errors.Is(err, os.ErrNotExist):
			continue
		case err != nil:
			return fmt.Errorf("open log: %w", err)
		}
		t.readers[f.Path] = r
		for !fromStart && r.Next() {
		}
	}
	return nil
}

// read prints what has come; ended tells that a capture's end was among it.
func (t *tail) read() (ended bool, err error) {
	for path, r := range t.readers {
		over, err := t.readLog(r)
		ended = ended || over
		var corrupt *journal.CorruptionError
		switch {
		case errors.As(err, &corrupt) && t.only == "": // the others go on
			t.left[path] = true
			delete(t.readers, path)
			report(t.std.Err, errors.Join(unreadable(corrupt), r.Close()))
		case errors.As(err, &corrupt):
			return ended, unreadable(corrupt)
		case err != nil:
			return ended, err
		}
	}
	return ended, nil
}

// readLog prints what has come of one log.
func (t *tail) readLog(r *journal.LiveReader) (ended bool, err error) {
	var event journal.Event
	for r.Next() {
		if err := t.decoder.Decode(journal.FileCapture, r.Line(), &event); err != nil {
			return ended, journal.Corrupt(r.Place(), err)
		}
		ended = ended || event.Body.Type() == journal.TypeEnd
		if _, err := fmt.Fprintln(t.std.Out, eventLine(&event)); err != nil {
			return ended, fmt.Errorf("write events: %w", err)
		}
	}
	if err := r.Err(); err != nil {
		return ended, fmt.Errorf("read log: %w", err)
	}
	return ended, nil
}

func (t *tail) close() {
	for _, r := range t.readers {
		_ = r.Close()
	}
}

// eventLine is an event for people.
func eventLine(e *journal.Event) string {
	words := []string{e.TS.Format("15:04:05.000"), e.Server.String(), fmt.Sprintf("%s:%d", e.Capture.String()[:8], e.Seq), e.Body.Type().String()}
	switch b := e.Body.(type) {
	case *journal.CaptureStart:
		words = append(words, b.Recorder.String())
	case *journal.Handshake:
		words = append(words, b.Protocol.String(), b.Lifecycle.String())
	case *journal.Call:
		words = append(words, b.Method.String(), b.Tool.String(), b.Outcome.String())
		if b.LatencyUS >= 0 {
			words = append(words, fmt.Sprintf("%.1fms", float64(b.LatencyUS)/1000))
		}
		if b.Error != nil {
			words = append(words, b.Error.Code.String())
		}
	case *journal.Pending:
		words = append(words, b.Method.String(), b.Tool.String())
	case *journal.Notification:
		words = append(words, b.Method.String())
	case *journal.Unparsed:
		words = append(words, b.Direction.String())
	case *journal.Gap:
		words = append(words, plural(b.Outbound.Frames+b.Inbound.Frames, "frame"))
	case *journal.End:
		words = append(words, plural(b.Events, "event"))
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}
