package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/server/app"
)

type indexOptions struct {
	std             *IO
	rebuild, digest bool
	watch           bool
	every, wait     time.Duration
	threshold       *float64
	asOf            asOf
	format          string
}

func indexCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  "index",
		Usage: "bring the index up to date with the journal",
		Description: "The index is the SQLite file index.db in the home; any tool may read it. Calls are the tools/call requests of clients. " +
			"A journal that contradicts itself is refused whole, and the old index stays.",
		Flags: append([]urfave.Flag{
			&urfave.BoolFlag{Name: "rebuild", Usage: "make the index anew, whatever has changed"},
			&urfave.BoolFlag{Name: "digest", Usage: "also print the digest of the index's content"},
			&urfave.BoolFlag{Name: "watch", Usage: "stay, and follow the journal until interrupted"},
			&urfave.DurationFlag{Name: "every", Value: 5 * time.Second, Usage: "with --watch, look so often"},
			waitFlag(),
			formatFlag(),
		}, promotionFlags()...),
		Action: func(c *urfave.Context) error {
			f, err := format(c, "index")
			if err != nil {
				return err
			}
			if err := noArgs(c, "index"); err != nil {
				return err
			}
			o := &indexOptions{
				std: std, rebuild: c.Bool("rebuild"), digest: c.Bool("digest"), watch: c.Bool("watch"),
				every: c.Duration("every"), wait: c.Duration("wait"), format: f,
			}
			if o.threshold, o.asOf, err = promotionOf(c, "index"); err != nil {
				return err
			}
			switch {
			case o.every < 100*time.Millisecond:
				return usagef("index", "--every takes 100ms or more")
			case c.IsSet("every") && !o.watch:
				return usagef("index", "--every goes with --watch")
			case o.wait < 0:
				return usagef("index", "--wait takes a time that is not negative")
			}
			return runIndex(c.Context, o)
		},
	}
}

func runIndex(ctx context.Context, o *indexOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	h, err := o.std.home()
	if err != nil {
		return err
	}
	if o.watch {
		return watchIndex(ctx, o, h)
	}
	result, err := o.refresh(ctx, h, o.rebuild)
	if err != nil {
		return err
	}
	return o.print(ctx, h, result)
}

// refresh runs one cycle of index.
func (o *indexOptions) refresh(ctx context.Context, h *home.Home, rebuild bool) (*projections.Result, error) {
	return refresh(ctx, o.std, h, projections.Options{Rebuild: rebuild, Wait: o.wait, Threshold: o.threshold, AsOf: o.asOf.at(o.std.Now)})
}

// refresh runs one cycle and shows its progress. A Wait of zero does not wait.
func refresh(ctx context.Context, std *IO, h *home.Home, o projections.Options) (*projections.Result, error) {
	if o.Wait == 0 {
		o.Wait = -1
	}
	p := newProgress(std, "indexing")
	o.Progress, o.Now = func(at projections.Progress) { p.update(at.Bytes, at.Total) }, std.Now
	result, err := projections.Refresh(ctx, h, &o)
	p.clear()
	return result, refreshProblem(err)
}

// refreshProblem adds what to do about a cycle that failed.
func refreshProblem(err error) error {
	var conflict *projections.ConflictError
	var locked *home.LockedError
	switch {
	case errors.As(err, &conflict):
		return &app.Problem{Err: fmt.Errorf("the journal contradicts itself, the index stays as it was: %w", conflict), Next: conflict.Next()}
	case errors.As(err, &locked):
		return lockProblem(err)
	case err != nil && !errors.Is(err, context.Canceled):
		return homeProblem(fmt.Errorf("index journal: %w", err))
	}
	return err
}

// indexDocument is the JSON of one cycle.
type indexDocument struct {
	*projections.Result
	Digest *string `json:"digest"` // null without --digest
}

func (o *indexOptions) print(ctx context.Context, h *home.Home, r *projections.Result) error {
	document := indexDocument{Result: r}
	if o.digest {
		digest, err := projections.Digest(ctx, h)
		if err != nil {
			return fmt.Errorf("digest index: %w", err)
		}
		document.Digest = &digest
	}
	if o.format == formatJSON {
		if o.watch {
			return writeLine(o.std.Out, document)
		}
		return writeJSON(o.std.Out, document)
	}
	for _, c := range r.Corrupt {
		fmt.Fprintf(o.std.Err, "mcpeval: %s: cannot be read from here on: %s\nnext: mcpeval journal repair %s\n", c.Place(), c.Reason, journal.Shown(c.Path))
	}
	apart := ""
	if r.Synthetic > 0 {
		apart = fmt.Sprintf(", and %s of probes", plural(r.Synthetic, "call"))
	}
	_, err := fmt.Fprintf(o.std.Out, "indexed %s (%s) from %s, %s%s\n", plural(r.Calls, "call"), plural(r.Failures, "failure"), plural(r.Captures, "capture"), plural(r.Findings, "finding"), apart)
	if err == nil && document.Digest != nil {
		_, err = fmt.Fprintf(o.std.Out, "digest %s\n", *document.Digest)
	}
	return err
}

// writeLine writes v as one line of JSON.
func writeLine(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// watchIndex runs a cycle whenever it is time and prints those that changed
// something. A refusal is told once, and the old index stays until it is mended.
func watchIndex(ctx context.Context, o *indexOptions, h *home.Home) error {
	told := ""
	var last *projections.Result
	for first := true; ; first = false {
		result, err := o.refresh(ctx, h, o.rebuild && first)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			if said := err.Error(); said != told {
				told = said
				report(o.std.Err, err)
			}
		case first || told != "" || changed(last, result):
			told, last = "", result
			if err := o.print(ctx, h, result); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(o.every):
		}
	}
}

// changed reports whether a cycle has something to tell beside the scores, which
// fade by themselves with --as-of now. What cannot be read is told when it comes.
func changed(last, r *projections.Result) bool {
	return r.Changed && (r.Full || r.New > 0 || r.Copies > 0 || r.Findings != last.Findings || !slices.Equal(r.Corrupt, last.Corrupt))
}
