package projections

import (
	"context"
	"errors"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/promotion"
	"github.com/mcpeval/mcpeval/projections/query"
)

// PromoteOptions of Promote; the zero value is legal.
type PromoteOptions struct {
	Threshold *float64      // nil is config.json's, or the built-in one
	AsOf      time.Time     // zero is the newest event's
	Wait      time.Duration // for the index lock; as in Options
}

// Promote decides again which issues are findings, in a transaction of its own,
// and reads no log. index.ErrNone says that there is no index yet.
func Promote(ctx context.Context, h *home.Home, o *PromoteOptions) (_ *query.PromotionSummary, err error) {
	if o == nil {
		o = &PromoteOptions{}
	}
	options := &Options{Threshold: o.Threshold, AsOf: o.AsOf, Wait: o.Wait, Verb: "promote"}
	p, err := promotionOf(h, options)
	if err != nil {
		return nil, err
	}
	unlock, err := lock(ctx, h, options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	c := newCycle(h, options)
	c.promotion = p
	var meta *index.Meta
	if err := index.Read(ctx, c.index, func(conn *sqlite.Conn) (err error) {
		meta, err = index.Check(conn, c.workers)
		return err
	}); err != nil {
		return nil, err
	}
	if meta.Promotes(p) {
		if err := c.promote(); err != nil {
			return nil, err
		}
	}
	var summary *query.PromotionSummary
	err = index.Read(ctx, c.index, func(conn *sqlite.Conn) (err error) {
		summary, err = query.Promotion(conn)
		return err
	})
	return summary, err
}

// promote refills the findings when no event is new.
func (c *cycle) promote() (err error) {
	w, err := index.OpenWriter(c.index, c.workers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := w.Begin(false); err != nil {
		return err
	}
	meta, err := w.Promote(c.promotion)
	if err != nil {
		return err
	}
	c.hook("promoted")
	if err := w.Commit(); err != nil {
		return err
	}
	c.hook("committed")
	c.res.Findings = meta.Totals.Findings
	_ = w.Checkpoint() // a reader may be in the way; the next cycle tries again
	return nil
}

// promotionOf takes the threshold of the options, else that of config.json,
// else the built-in one.
func promotionOf(h *home.Home, o *Options) (index.Promotion, error) {
	p := index.Promotion{Threshold: promotion.DefaultThreshold, AsOf: o.AsOf, Kept: o.KeepPromotion}
	if o.Threshold != nil {
		p.Threshold, p.Told = *o.Threshold, true
		return p, nil
	}
	config, err := h.Config()
	if err == nil && config.HasPromotionThreshold {
		p.Threshold = config.PromotionThreshold
	}
	return p, err
}
