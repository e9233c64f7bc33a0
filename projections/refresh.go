package projections

import (
	"context"
	"errors"
	"os"
	"time"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/index"
)

// DefaultWait is how long a command waits for the index lock.
const DefaultWait = 10 * time.Second

// Options of a cycle; the zero value is legal.
type Options struct {
	Rebuild bool   // refill everything, whatever changed
	Verb    string // what the lock file says is at work; default "index"

	// Wait is how long to wait for the index lock. Zero is DefaultWait,
	// negative does not wait.
	Wait time.Duration

	// Progress, when set, is called after each batch is read, from one goroutine
	// at a time, and not after Refresh has returned.
	Progress func(Progress)

	// Threshold of promotion; nil is config.json's, or the built-in one.
	Threshold *float64
	// AsOf is the time scores are computed for; zero is the newest event's.
	AsOf time.Time
	// KeepPromotion leaves Threshold and AsOf as an earlier command was told, if
	// it was: for commands that are about something else.
	KeepPromotion bool

	Now func() time.Time // default time.Now

	// Hook, when set, is called with the name of each step as it is done, from
	// more than one goroutine: tests end the process there.
	Hook func(step string)
}

// Progress says how far the reading of a cycle is.
type Progress struct {
	Bytes, Total int64
	Events       int64
}

// Result says what a cycle did and what the index holds after it.
type Result struct {
	Changed bool   `json:"changed"`
	Full    bool   `json:"full"`
	Reason  string `json:"reason,omitempty"` // for a full rebuild: why
	Run     int64  `json:"run"`

	// Of the whole index: real tools/call requests of clients, the failures among
	// them, those that probes made, captures.
	Calls     int64 `json:"calls"`
	Failures  int64 `json:"failures"`
	Synthetic int64 `json:"synthetic_calls"`
	Captures  int64 `json:"captures"`
	Findings  int64 `json:"findings"` // issues that are promoted

	// Of the whole index: events by type; records without a schema apart.
	Events []index.TypeCount `json:"events"`

	// Of this cycle.
	New    int64 `json:"new_events"`
	Copies int64 `json:"copies"`
	Files  int   `json:"files_read"`
	Bytes  int64 `json:"bytes"`
	Millis int64 `json:"milliseconds"`

	Skipped int64         `json:"skipped_lines"` // of kinds that are only counted
	Torn    []Torn        `json:"torn"`
	Corrupt []CorruptLine `json:"corrupt"`
	Since   time.Time     `json:"-"` // when the witness began; zero when the ledger was not opened
}

// Torn is an unterminated last line: an active writer's, or a torn write.
type Torn struct {
	Path  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

// CorruptLine ends the readable part of a file.
type CorruptLine struct {
	Path   string `json:"file"`
	Line   int64  `json:"line"`
	Offset int64  `json:"offset"`
	Reason string `json:"reason"`
}

// Place is where the line stands.
func (c CorruptLine) Place() journal.Place {
	return journal.Place{Path: c.Path, Line: c.Line, Offset: c.Offset}
}

// Refresh runs one cycle over a home: it brings the index up to date with the
// journal. A *ConflictError refuses all that is new and leaves the index as it
// was; a *home.LockedError says who is at work.
func Refresh(ctx context.Context, h *home.Home, o *Options) (_ *Result, err error) {
	if o == nil {
		o = &Options{}
	}
	promotion, err := promotionOf(h, o)
	if err != nil {
		return nil, err
	}
	unlock, err := lock(ctx, h, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	c := newCycle(h, o)
	c.promotion = promotion
	c.hook("locked")
	return c.run(ctx)
}

func lock(ctx context.Context, h *home.Home, o *Options) (unlock func() error, err error) {
	wait, verb := o.Wait, o.Verb
	if wait == 0 {
		wait = DefaultWait
	}
	if verb == "" {
		verb = "index"
	}
	l, err := h.Lock(ctx, verb, max(wait, 0))
	if err != nil {
		return nil, err
	}
	return l.Unlock, nil
}

// cycle is one run over a store, an index and a ledger.
type cycle struct {
	store, index, ledger string
	workers              []index.Worker
	rebuild              bool
	progress             func(Progress)
	now                  func() time.Time
	hook                 func(string)
	limits               map[string]int64         // audit: read only these sources, only so far
	keep                 func(*index.Record) bool // replay: the events that count; nil is all
	promotion            index.Promotion
	started              time.Time
	res                  *Result
}

func newCycle(h *home.Home, o *Options) *cycle {
	c := &cycle{
		store: h.Store(), index: h.IndexPath(), ledger: h.LedgerPath(), workers: index.Workers(),
		rebuild: o.Rebuild, progress: o.Progress, now: o.Now, hook: o.Hook,
		res: &Result{},
	}
	if c.now == nil {
		c.now = time.Now
	}
	if c.hook == nil {
		c.hook = func(string) {}
	}
	return c
}

func (c *cycle) run(ctx context.Context) (*Result, error) {
	c.started = c.now()
	meta, p, err := c.inspect(ctx)
	if err != nil {
		return nil, err
	}
	if meta != nil {
		c.promotion = meta.Keep(c.promotion)
	}
	switch {
	case !p.empty():
		c.hook("planned")
		err = c.write(ctx, meta, p)
	case meta.Promotes(c.promotion):
		c.hook("planned")
		err = c.promote()
	default:
		c.res.Millis = c.now().Sub(c.started).Milliseconds()
		return c.res, nil
	}
	if errors.Is(err, index.ErrUnreadable) {
		// The damage showed only now.
		if p, err = c.planFull("the index cannot be read"); err != nil {
			return nil, err
		}
		if err := index.Remove(c.index); err != nil {
			return nil, err
		}
		err = c.write(ctx, nil, p)
	}
	if err != nil {
		return nil, err
	}
	c.res.Changed = true
	c.res.Millis = c.now().Sub(c.started).Milliseconds()
	return c.res, nil
}

// inspect decides what to do. When that is nothing, the result is filled in.
// The index's state is nil when there is none that can be read.
func (c *cycle) inspect(ctx context.Context) (meta *index.Meta, p *plan, err error) {
	err = index.Read(ctx, c.index, func(conn *sqlite.Conn) error {
		if meta, err = index.ReadMeta(conn); err != nil {
			return err
		}
		if c.rebuild {
			return nil
		}
		if p, err = planCycle(conn, c.store, c.started); err != nil || !p.empty() {
			return err
		}
		return c.summary(conn, meta)
	})
	reason := ""
	switch {
	case errors.Is(err, index.ErrNone):
		reason = "there was no index"
	case errors.Is(err, index.ErrOutdated):
		reason = "another version made the index"
	case errors.Is(err, index.ErrUnreadable):
		reason = "the index cannot be read"
		if err := index.Remove(c.index); err != nil {
			return nil, nil, err
		}
	case err != nil:
		return nil, nil, err
	case c.rebuild:
		reason = "a rebuild was asked for"
	case p.full:
		reason = p.reason
	default:
		if _, err := os.Stat(c.ledger); errors.Is(err, os.ErrNotExist) {
			reason = "there was no ledger"
		}
	}
	if reason == "" {
		return meta, p, nil
	}
	p, err = c.planFull(reason)
	return meta, p, err
}

func (c *cycle) planFull(reason string) (*plan, error) {
	s, err := look(c.store, nil)
	if err != nil {
		return nil, err
	}
	return planFull(s, reason, c.started, c.limits), nil
}

// summary fills in what the result says about the whole index.
func (c *cycle) summary(conn *sqlite.Conn, meta *index.Meta) (err error) {
	r := c.res
	r.Run, r.Calls, r.Failures, r.Captures = meta.Run, meta.Totals.Calls, meta.Totals.Failures, meta.Totals.Captures
	r.Synthetic, r.Findings = meta.Totals.Synthetic, meta.Totals.Findings
	if r.Events, err = index.TypeCounts(conn); err != nil {
		return err
	}
	r.Torn, r.Corrupt, r.Skipped = []Torn{}, []CorruptLine{}, 0
	return index.IrregularSources(conn, func(s index.Source) {
		r.Skipped += s.Skipped
		switch {
		case s.CorruptLine > 0:
			r.Corrupt = append(r.Corrupt, CorruptLine{Path: s.Path, Line: s.CorruptLine, Offset: s.CorruptOffset, Reason: s.CorruptReason})
		case s.Size > s.Offset:
			r.Torn = append(r.Torn, Torn{Path: s.Path, Bytes: s.Size - s.Offset})
		}
	})
}
