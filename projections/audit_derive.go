package projections

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"path/filepath"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/ledger"
)

// derive makes index and ledger anew, from as much of the logs as the real ones
// know, and compares; then it takes the rest in, for the identity rules.
func (a *auditor) derive(ctx context.Context) error {
	var meta *index.Meta
	paths := map[int64]string{}
	limits := map[string]int64{}
	err := index.Read(ctx, a.index, func(conn *sqlite.Conn) (err error) {
		clear(paths)
		clear(limits)
		if meta, err = index.ReadMeta(conn); err != nil {
			return err
		}
		return index.Sources(conn, true, func(s index.Source) {
			paths[s.ID] = s.Path
			limits[s.Path] = s.Offset
			if s.CorruptLine > 0 {
				limits[s.Path] = s.Size // so that the mark is derived as well
			}
		})
	})
	switch {
	case errors.Is(err, index.ErrNone):
		a.report.Index = Absent
	case errors.Is(err, index.ErrUnreadable):
		a.report.Index = Unreadable
	case errors.Is(err, index.ErrOutdated):
		a.report.Index = Differs
	case err != nil:
		return err
	}
	d := *a.cycle
	d.index, d.ledger, d.progress, d.rebuild = filepath.Join(a.dir, "index.db"), filepath.Join(a.dir, "ledger.db"), nil, false
	if a.report.Index == "" {
		d.limits = limits
		d.promotion = index.Promotion{Threshold: meta.Threshold, AsOf: meta.AsOfTime()}
		if known, err := a.cycleOf(ctx, &d); err != nil || !known {
			return err
		}
		if err := a.compare(ctx, &d, meta, paths); err != nil {
			return err
		}
		d.limits = nil
	}
	if a.report.Ledger == "" { // nothing to compare it with
		a.report.Ledger = Incomplete
	}
	_, err = a.cycleOf(ctx, &d)
	a.report.Unread = d.res.New
	return err
}

// cycleOf runs a cycle of the derivation. A conflict is a finding; then what
// was derived says nothing.
func (a *auditor) cycleOf(ctx context.Context, d *cycle) (complete bool, err error) {
	d.res = &Result{}
	_, err = d.run(ctx)
	var conflict *ConflictError
	if !errors.As(err, &conflict) {
		return err == nil, err
	}
	a.report.Conflict = &Conflict{A: conflict.A.String(), B: conflict.B.String(), Capture: conflict.Capture.String(), Rule: conflict.Rule.String(), Next: conflict.Next()}
	for _, agreement := range []*Agreement{&a.report.Index, &a.report.Ledger} {
		if *agreement == "" {
			*agreement = Incomplete
		}
	}
	return false, nil
}

func (a *auditor) compare(ctx context.Context, d *cycle, meta *index.Meta, paths map[int64]string) error {
	got, err := digestOf(ctx, a.index)
	if errors.Is(err, index.ErrUnreadable) {
		a.report.Index, err = Unreadable, nil
	}
	if err != nil {
		return err
	}
	want, err := digestOf(ctx, d.index)
	if err != nil {
		return err
	}
	if a.report.Index == "" {
		a.report.Index = agreement(got == want)
	}
	if a.report.Ledger != "" {
		return nil
	}
	derivedPaths := map[int64]string{}
	var derived *index.Meta
	err = index.Read(ctx, d.index, func(conn *sqlite.Conn) (err error) {
		if derived, err = index.ReadMeta(conn); err != nil {
			return err
		}
		return index.Sources(conn, true, func(s index.Source) { derivedPaths[s.ID] = s.Path })
	})
	if err != nil {
		return err
	}
	have, err := ledgerDigest(a.ledger, meta, paths)
	if errors.Is(err, ledger.ErrUnreadable) {
		a.report.Ledger = Unreadable
		return nil
	}
	if err != nil {
		return err
	}
	fresh, err := ledgerDigest(d.ledger, derived, derivedPaths)
	if err != nil {
		return err
	}
	a.report.Ledger = agreement(have == fresh)
	return nil
}

func agreement(same bool) Agreement {
	if same {
		return Agrees
	}
	return Differs
}

// ledgerDigest is over the entries that count, with paths for sources; zero for
// a ledger that is not the index's.
func ledgerDigest(path string, meta *index.Meta, paths map[int64]string) (sum [32]byte, err error) {
	l, err := ledger.OpenReadOnly(path)
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if l.ID().String() != meta.LedgerID {
		return sum, nil
	}
	h := sha256.New()
	var b []byte
	counts := func(run int64) bool { return run <= meta.Run && !meta.DeadRuns.Has(run) }
	err = l.Each(func(id uuid.UUID, e ledger.Entry) error {
		if !counts(e.Run) {
			return nil
		}
		at := e.At(counts)
		b = append(append(b[:0], id[:]...), e.Digest[:]...)
		b = binary.BigEndian.AppendUint64(b, uint64(at.Line))
		b = binary.BigEndian.AppendUint64(b, uint64(at.Offset))
		b = append(append(b, paths[at.Source]...), 0)
		_, _ = h.Write(b)
		return nil
	})
	return [32]byte(h.Sum(nil)), err
}
