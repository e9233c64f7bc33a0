package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/ledger"
)

// Pruning says what Prune removed, or would remove.
type Pruning struct {
	Captures []Capture
	Bytes    int64
	// NotIndexed counts captures that are old enough but were kept, because
	// the audit could not tell later that they had been there.
	NotIndexed int64
}

// Prune deletes the captures that ended before a time and were indexed as they
// are now, and notes that in the witness, so that the audit knows of them. What
// people and verifications said (the recorders annotate and verify) is kept: it
// is small, and findings would change their state without it. With dry set
// nothing is deleted. The caller holds the index lock.
func Prune(ctx context.Context, h *home.Home, before time.Time, dry bool) (*Pruning, error) {
	captures, err := Captures(ctx, h.Store())
	if err != nil {
		return nil, err
	}
	witnesses, err := readWitnesses(h.LedgerPath())
	if err != nil {
		return nil, err
	}
	out := &Pruning{}
	var ids []uuid.UUID
	for _, c := range captures {
		if c.State != StateEnded || !c.Last.Before(before) || c.Recorder == journal.RecorderAnnotate || c.Recorder == journal.RecorderVerify {
			continue
		}
		if w, ok := witnesses[c.ID]; !ok || w.Seq != c.Events || !w.Ended {
			out.NotIndexed++
			continue
		}
		out.Captures = append(out.Captures, c)
		out.Bytes += c.Bytes
		ids = append(ids, c.ID)
	}
	if dry || len(ids) == 0 {
		return out, nil
	}
	// The note comes first: a capture that is noted and still there is harmless.
	if err := noteRemoved(h.LedgerPath(), ids, ledger.Pruned); err != nil {
		return nil, err
	}
	for _, c := range out.Captures {
		if err := os.Remove(filepath.Join(h.Store(), filepath.FromSlash(c.Path))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove capture: %w", err)
		}
		// The day's folder goes with its last capture; until then this fails.
		_ = os.Remove(filepath.Join(h.Store(), filepath.FromSlash(path.Dir(c.Path))))
	}
	return out, nil
}

func readWitnesses(ledgerPath string) (map[uuid.UUID]ledger.Witness, error) {
	l, err := ledger.OpenReadOnly(ledgerPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &Problem{Err: fmt.Errorf("open ledger: %w", err), Next: "mcpeval index --rebuild"}
	}
	all, err := l.Witnesses()
	if err := errors.Join(err, l.Close()); err != nil {
		return nil, &Problem{Err: fmt.Errorf("read ledger: %w", err), Next: "mcpeval index --rebuild"}
	}
	return all, nil
}
