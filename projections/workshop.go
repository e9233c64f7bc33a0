package projections

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpeval/mcpeval/journal/home"
)

// workshopPrefix starts the name of every folder that is derived in.
const workshopPrefix = ".audit-"

// workshop takes the index lock and makes a folder of the home to derive in,
// beside the index and without touching it. leave removes the folder and gives
// the lock up.
func workshop(ctx context.Context, h *home.Home, o *Options) (dir string, leave func() error, err error) {
	unlock, err := lock(ctx, h, o)
	if err != nil {
		return "", nil, err
	}
	if err := sweep(h.Dir); err != nil {
		return "", nil, errors.Join(err, unlock())
	}
	if dir, err = os.MkdirTemp(h.Dir, workshopPrefix+"*"); err != nil {
		return "", nil, errors.Join(fmt.Errorf("make folder: %w", err), unlock())
	}
	return dir, func() error { return errors.Join(os.RemoveAll(dir), unlock()) }, nil
}

// sweep removes what killed processes have left. The caller holds the index lock.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("sweep folders: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), workshopPrefix) {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return fmt.Errorf("sweep folders: %w", err)
			}
		}
	}
	return nil
}
