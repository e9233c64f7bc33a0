package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
	"github.com/mcpeval/mcpeval/server/app"
)

type promoteOptions struct {
	std       *IO
	threshold *float64
	asOf      asOf
	wait      time.Duration
	format    string
}

func promoteCommand(std *IO) *urfave.Command {
	const path = "promote"
	return &urfave.Command{
		Name:  path,
		Usage: "decide again which recurring failures are findings",
		Description: "A failure becomes a finding when it was seen in two sessions and its score reaches the threshold. " +
			"It reads the index alone: run mcpeval index first for what is new.",
		Flags: append(promotionFlags(), waitFlag(), formatFlag()),
		Action: func(c *urfave.Context) error {
			f, err := format(c, path)
			if err != nil {
				return err
			}
			if err := noArgs(c, path); err != nil {
				return err
			}
			o := &promoteOptions{std: std, wait: c.Duration("wait"), format: f}
			if o.threshold, o.asOf, err = promotionOf(c, path); err != nil {
				return err
			}
			if o.wait < 0 {
				return usagef(path, "--wait takes a time that is not negative")
			}
			return runPromote(c.Context, o)
		},
	}
}

// promotionFlags are those of the verbs that promote.
func promotionFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "threshold", Usage: "promote from the score `N` on; else config.json's promotion_threshold, or the built-in one"},
		&urfave.StringFlag{Name: "as-of", Usage: "compute scores for `TIME`, such as 2026-11-30T12:00:00Z, or now; else the newest event's time"},
	}
}

// asOf is the value of --as-of: a time, or whatever it is when it is asked for.
type asOf struct {
	time time.Time // zero is the newest event's
	now  bool
}

func (a asOf) at(now func() time.Time) time.Time {
	if a.now {
		return now()
	}
	return a.time
}

// promotionOf reads the flags of promotionFlags.
func promotionOf(c *urfave.Context, path string) (threshold *float64, at asOf, err error) {
	if c.IsSet("threshold") {
		n, err := strconv.ParseFloat(c.String("threshold"), 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
			return nil, at, usagef(path, "--threshold takes a number from 0 on")
		}
		threshold = &n
	}
	switch text := c.String("as-of"); {
	case !c.IsSet("as-of"):
	case text == "now":
		at.now = true
	default:
		if at.time, err = time.Parse(time.RFC3339Nano, text); err != nil || at.time.IsZero() {
			return nil, at, usagef(path, "--as-of takes now, or a time such as 2026-11-30T12:00:00Z")
		}
	}
	return threshold, at, nil
}

func runPromote(ctx context.Context, o *promoteOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	h, err := o.std.home()
	if err != nil {
		return err
	}
	wait := o.wait
	if wait == 0 {
		wait = -1 // of projections.PromoteOptions: do not wait
	}
	p, err := projections.Promote(ctx, h, &projections.PromoteOptions{Threshold: o.threshold, AsOf: o.asOf.at(o.std.Now), Wait: wait})
	switch {
	case errors.Is(err, index.ErrNone), errors.Is(err, index.ErrOutdated):
		return &app.Problem{Err: err, Next: "mcpeval index"}
	case errors.Is(err, index.ErrUnreadable):
		return &app.Problem{Err: fmt.Errorf("read index: %w", err), Next: "mcpeval index --rebuild"}
	case err != nil:
		return refreshProblem(err)
	}
	if o.format == formatJSON {
		return writeJSON(o.std.Out, p)
	}
	_, err = fmt.Fprintln(o.std.Out, promotionLine(p))
	return err
}

func promotionLine(p *query.PromotionSummary) string {
	return fmt.Sprintf("promoted %d of %s (%d seen in one session only, %d below threshold %s)",
		p.Promoted, plural(p.Issues, "issue"), p.OneSession, p.BelowThreshold, strconv.FormatFloat(p.Threshold, 'g', -1, 64))
}
