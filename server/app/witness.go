package app

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/projections/ledger"
)

// noteRemoved makes the witness say that captures were taken out of the store on
// purpose. What was never indexed has no witness. The caller holds the index
// lock.
func noteRemoved(ledgerPath string, captures []uuid.UUID, how ledger.Removal) error {
	l, err := ledger.Open(ledgerPath)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, ledger.ErrUnreadable): // the next index makes a new one, which has forgotten
		return nil
	case err != nil:
		return fmt.Errorf("open ledger: %w", err)
	}
	set := map[uuid.UUID]ledger.Witness{}
	for _, id := range captures {
		w, found, ferr := l.FindWitness(id)
		if err = errors.Join(err, ferr); found {
			w.Removed = how
			set[id] = w
		}
	}
	if err == nil {
		err = l.SetWitnesses(set)
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return fmt.Errorf("note what was removed: %w", err)
	}
	return nil
}
