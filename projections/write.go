package projections

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/ledger"
)

// write runs the changing part of a cycle. Whatever ends it before COMMIT
// leaves the visible content as it was.
func (c *cycle) write(ctx context.Context, meta *index.Meta, p *plan) (err error) {
	if err := removeIfThere(c.staged()); err != nil { // a killed rebuild's
		return err
	}
	l, p, err := c.openLedger(meta, p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if p.full {
		defer func() {
			if err != nil {
				err = errors.Join(err, removeIfThere(c.staged()))
			}
		}()
	}
	c.hook("run-reserved")
	w, err := index.OpenWriter(c.index, c.workers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()); c.hook("closed") }()
	if err := w.Begin(p.full); err != nil {
		return err
	}
	c.hook("begun")

	run := l.LastRun()
	dead := index.Intervals{}
	s := &stager{
		ledger: l, run: run, hook: c.hook, paths: map[int64]string{}, owners: map[uuid.UUID]*owner{},
		counts: func(r int64) bool { return r == run },
	}
	if !p.full {
		dead = append(dead, meta.DeadRuns...)
		dead.AddRange(meta.Run+1, run-1)
		s.index = w.Snapshot()
		s.counts = func(r int64) bool { return r == run || r <= meta.Run && !dead.Has(r) }
	}
	for _, src := range p.read {
		s.paths[src.src.ID] = src.src.Path
	}
	if err := c.pipeline(ctx, p, s, w); err != nil {
		return err
	}
	c.hook("applied")
	if meta, err = w.Finish(l.ID().String(), run, dead, c.promotion); err != nil {
		return err
	}
	if err := c.seal(w, p); err != nil {
		return err
	}
	c.hook("finished")
	if err := l.SetWitnesses(s.witnesses()); err != nil {
		return err
	}
	c.hook("witnessed")
	if err := c.summary(w.Conn(), meta); err != nil {
		return err
	}
	if p.full {
		if err := c.publishLedger(l); err != nil {
			return err
		}
	}
	if err := w.Commit(); err != nil {
		return err
	}
	c.hook("committed")
	c.res.Full, c.res.Reason, c.res.Copies = p.full, p.reason, s.copies
	_ = w.Checkpoint() // a reader may be in the way; the next cycle tries again
	c.hook("checkpointed")
	return nil
}

// staged is where the ledger of a full rebuild is written.
func (c *cycle) staged() string { return c.ledger + ".tmp" }

// openLedger opens the ledger with a run reserved for this cycle. When that
// cannot be the ledger that belongs to the index, the plan becomes a full one.
func (c *cycle) openLedger(meta *index.Meta, p *plan) (*ledger.Ledger, *plan, error) {
	if !p.full {
		l, err := ledger.Open(c.ledger)
		if err == nil && l.ID().String() == meta.LedgerID {
			c.res.Since = l.Since()
			if err := l.Reserve(max(l.LastRun(), meta.Run) + 1); err != nil {
				return nil, nil, errors.Join(err, l.Close())
			}
			return l, p, nil
		}
		reason := "the ledger cannot be read"
		if err == nil {
			reason = "the ledger is not the index's"
			err = l.Close()
		}
		if err != nil && !errors.Is(err, ledger.ErrUnreadable) {
			return nil, nil, err
		}
		if p, err = c.planFull(reason); err != nil {
			return nil, nil, err
		}
	}
	l, err := c.createLedger(meta)
	return l, p, err
}

// createLedger makes the ledger of a full rebuild and carries the witness over.
func (c *cycle) createLedger(meta *index.Meta) (*ledger.Ledger, error) {
	run, since := int64(0), c.now()
	if meta != nil {
		run = meta.Run
	}
	var seen map[uuid.UUID]ledger.Witness
	old, err := ledger.OpenReadOnly(c.ledger)
	if err == nil {
		seen, err = old.Witnesses()
		if err == nil {
			run, since = max(run, old.LastRun()), old.Since()
		}
		err = errors.Join(err, old.Close())
	}
	if err != nil && !errors.Is(err, ledger.ErrUnreadable) {
		return nil, err
	}
	l, err := ledger.Create(c.staged(), uuid.New(), run+1, since)
	if err != nil {
		return nil, err
	}
	if err := l.SetWitnesses(seen); err != nil {
		return nil, errors.Join(err, l.Close(), removeIfThere(c.staged()))
	}
	c.res.Since = since
	return l, nil
}

// publishLedger puts the ledger of a full rebuild in the place of the old one.
// From here to COMMIT the index still names the old one: a crash in between is
// what the next cycle sees as two that do not belong together.
func (c *cycle) publishLedger(l *ledger.Ledger) error {
	if err := l.Seal(); err != nil {
		return err
	}
	if err := l.Close(); err != nil {
		return fmt.Errorf("close ledger: %w", err)
	}
	c.hook("ledger-sealed")
	if err := os.Rename(c.staged(), c.ledger); err != nil {
		return fmt.Errorf("publish ledger: %w", err)
	}
	if err := syncFolder(filepath.Dir(c.ledger)); err != nil {
		return fmt.Errorf("publish ledger: %w", err)
	}
	c.hook("ledger-published")
	return nil
}

// syncFolder makes a rename durable where the system allows it.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// pipeline reads, stages and applies at the same time; the three share nothing
// but batches. When it returns, both goroutines have ended.
func (c *cycle) pipeline(ctx context.Context, p *plan, s *stager, w *index.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	decoded, staged := make(chan *index.Batch), make(chan *index.Batch, 1)
	free := make(chan *index.Batch, 4)
	r := &reader{store: c.store, plan: p, progress: c.progress, keep: c.keep, out: decoded, free: free}
	var (
		wg                sync.WaitGroup
		readErr, stageErr error
	)
	wg.Go(func() {
		if readErr = r.run(ctx); readErr != nil {
			cancel()
		}
	})
	wg.Go(func() {
		if stageErr = s.loop(ctx, decoded, staged); stageErr != nil {
			cancel()
		}
	})
	var applyErr error
	for b := range staged { // whatever happens, to the end: the senders wait for it
		if applyErr != nil {
			continue
		}
		c.res.New += int64(len(b.Records))
		if applyErr = w.Apply(b); applyErr != nil {
			cancel()
			continue
		}
		select {
		case free <- b:
		default:
		}
		c.hook("batch-applied")
	}
	wg.Wait()
	if err := c.failure(s, w, applyErr, stageErr, readErr); err != nil {
		return err
	}
	c.res.Files, c.res.Bytes = len(r.done), r.state.Bytes
	for i := range r.done {
		if err := w.SaveSource(&r.done[i]); err != nil {
			return err
		}
	}
	for i := range p.touch {
		if err := w.SaveSource(&p.touch[i]); err != nil {
			return err
		}
	}
	return nil
}

// failure picks the error that ended the pipeline: the others are its echo.
func (c *cycle) failure(s *stager, w *index.Writer, applied, staged, read error) error {
	var seq *sequenceConflict
	if errors.As(staged, &seq) && applied == nil {
		return s.resolve(seq, w)
	}
	all := []error{applied, staged, read}
	for _, err := range all {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(all...)
}

// resolve finds the line that already has the sequence number: every batch
// before the refused one has been applied.
func (s *stager) resolve(c *sequenceConflict, w *index.Writer) error {
	if c.place == (index.Place{}) {
		var err error
		if c.place, err = index.PlaceOf(w.Conn(), c.r.Capture, c.r.Seq); err != nil {
			return err
		}
	}
	return s.conflict(RuleSequence, c.r, c.place)
}

// seal marks the folders that need no more looking at.
func (c *cycle) seal(w *index.Writer, p *plan) error {
	for _, name := range p.unseal {
		if err := w.Unseal(name); err != nil {
			return err
		}
	}
	for name, f := range p.survey.folders {
		if !p.survey.sealable(name, c.started) {
			continue
		}
		done, err := index.SealedFolder(w.Conn(), name)
		if err != nil {
			return err
		}
		if done {
			if err := w.Seal(name, f.mtime); err != nil {
				return err
			}
		}
	}
	return nil
}
