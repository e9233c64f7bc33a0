package projections

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/index"
)

// ErrEventUnknown is returned when the event to replay until is nowhere in the
// journal.
var ErrEventUnknown = errors.New("no event with this ID in the journal")

// ReplayOptions of Replay. Without Until and UntilEvent every event counts.
type ReplayOptions struct {
	Out        string      // the file to make; it must not be there
	Until      time.Time   // events up to this time count, itself included
	UntilEvent uuid.UUID   // events up to this one count, itself included, in visible order
	Captures   []uuid.UUID // only events of these captures count; none is all

	Threshold *float64      // of promotion, as in Options
	Wait      time.Duration // for the index lock, as in Options
	Progress  func(Progress)
	Now       func() time.Time // default time.Now
}

// Replay projects the events up to a point in time into a new index file, which
// only its owner may read. Time is the events' own: one that was imported later
// with an older time is in. The findings are those as of that time.
//
// The home's index and ledger stay as they are. Replay holds the index lock,
// because a folder of the home holds the ledger it works with.
func Replay(ctx context.Context, h *home.Home, o *ReplayOptions) (_ *Result, err error) {
	options := &Options{
		Threshold: o.Threshold, AsOf: o.Until, Wait: o.Wait, Progress: o.Progress, Now: o.Now, Verb: "replay", Rebuild: true,
	}
	p, err := promotionOf(h, options)
	if err != nil {
		return nil, err
	}
	dir, leave, err := workshop(ctx, h, options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, leave()) }()

	c := newCycle(h, options)
	cut := &cut{until: o.Until, captures: o.Captures}
	if o.UntilEvent != uuid.Nil {
		if cut.last, err = c.find(ctx, o.UntilEvent); err != nil {
			return nil, err
		}
		if cut.until.IsZero() || cut.last.TS.Before(cut.until) {
			cut.until = cut.last.TS
		}
	}
	p.AsOf = cut.until
	c.promotion, c.keep = p, cut.keeps
	c.index, c.ledger = o.Out, filepath.Join(dir, "ledger.db")
	f, err := os.OpenFile(o.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create replay: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("create replay: %w", err)
	}
	res, err := c.run(ctx)
	if err != nil {
		return nil, errors.Join(err, index.Remove(o.Out))
	}
	return res, nil
}

// cut says which events a replay takes.
type cut struct {
	until    time.Time
	last     *index.Record // in visible order; nil when only the time counts
	captures []uuid.UUID
}

func (c *cut) keeps(r *index.Record) bool {
	if len(c.captures) > 0 && !slices.Contains(c.captures, r.Capture) {
		return false
	}
	if !c.until.IsZero() && r.TS.After(c.until) {
		return false
	}
	return c.last == nil || r.TS.Before(c.last.TS) || r.TS.Equal(c.last.TS) && compareVisible(r, c.last) <= 0
}

// compareVisible orders records of one time: those without identity first, then
// by capture and number.
func compareVisible(a, b *index.Record) int {
	if !a.HasIdentity() || !b.HasIdentity() {
		return cmp.Compare(btoi(a.HasIdentity()), btoi(b.HasIdentity()))
	}
	return cmp.Or(slices.Compare(a.Capture[:], b.Capture[:]), cmp.Compare(a.Seq, b.Seq))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// find looks for an event in the logs.
func (c *cycle) find(ctx context.Context, id uuid.UUID) (*index.Record, error) {
	p, err := c.planFull("")
	if err != nil {
		return nil, err
	}
	var found *index.Record
	r := &reader{store: c.store, plan: p, out: make(chan *index.Batch), keep: func(r *index.Record) bool {
		if r.ID == id {
			v := *r
			v.Body = nil
			found = &v
		}
		return false
	}}
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	if found == nil {
		return nil, ErrEventUnknown
	}
	return found, nil
}
