package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpeval/mcpeval/journal"
)

// resolve decides for each staged log whether it is here already, whether it
// goes on from one that is here, or whether it is new; and holds what is new
// against the identity rules.
func (i *importing) resolve(ctx context.Context) error {
	local, err := journal.Files(i.store)
	if err != nil {
		return fmt.Errorf("list journal: %w", err)
	}
	// The longest first, so that a beginning of it is recognized; canonical names
	// first among equals.
	slices.SortStableFunc(i.logs, func(a, b *incoming) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(strings.Count(a.rel, "/"), strings.Count(b.rel, "/")))
	})
	var taken []*incoming
	names := map[string]bool{}
	for _, f := range local {
		names[f.Path] = true
	}
	for _, l := range i.logs {
		here, err := i.place(l, local, taken)
		if err != nil {
			return err
		}
		if here || l.lines == 0 {
			i.result.Present++
			continue
		}
		if l.from == "" {
			l.to = l.canonicalPath(l.rel)
			if names[l.to] {
				l.to = l.copyPath()
			}
		}
		if names[l.to] = true; l.from == "" {
			l.unread = l.lines
		}
		taken = append(taken, l)
	}
	if len(taken) == 0 {
		return nil
	}
	return i.identities(ctx, local, taken)
}

// place finds the log that an incoming one is the beginning of, or goes on from.
func (i *importing) place(l *incoming, local []journal.File, taken []*incoming) (here bool, err error) {
	for _, t := range taken {
		if t.kind != l.kind || t.bytes < l.bytes {
			continue
		}
		if same, err := sameStart(t.staged, l.staged, l.bytes); err != nil || same {
			return same, err
		}
	}
	for _, f := range local {
		if f.Kind != l.kind || l.whole() && path.Base(f.Path) != l.start.Capture.String()+".jsonl" {
			continue
		}
		name := filepath.Join(i.store, filepath.FromSlash(f.Path))
		n, err := wholeLines(name, f.Size)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, fmt.Errorf("read log: %w", err)
		}
		common := min(n, l.bytes)
		if common == 0 {
			continue
		}
		same, err := sameStart(name, l.staged, common)
		switch {
		case err != nil:
			return false, err
		case !same:
		case n >= l.bytes:
			return true, nil
		case l.kind == journal.FileCapture && !l.whole(): // a log of one capture stays that
		case l.from == "" || n > l.fromN:
			l.from, l.fromN, l.fromSz, l.to = f.Path, n, f.Size, f.Path
			if l.kind != journal.FileCapture && strings.HasPrefix(f.Path, "legacy/") {
				l.to = l.canonicalPath(l.rel)
			}
		}
	}
	return false, nil
}

// wholeLines is the number of bytes of a log up to its last newline.
func wholeLines(name string, size int64) (int64, error) {
	f, err := openRegular(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	part := make([]byte, 64<<10)
	for end := size; end > 0; {
		start := max(0, end-int64(len(part)))
		if _, err := io.ReadFull(io.NewSectionReader(f, start, end-start), part[:end-start]); err != nil {
			return 0, err
		}
		if at := bytes.LastIndexByte(part[:end-start], '\n'); at >= 0 {
			return start + int64(at) + 1, nil
		}
		end = start
	}
	return 0, nil
}

// sameStart tells whether the first n bytes of two files are the same.
func sameStart(a, b string, n int64) (bool, error) {
	x, err := os.Open(a)
	if err != nil {
		return false, fmt.Errorf("compare logs: %w", err)
	}
	defer x.Close()
	y, err := os.Open(b)
	if err != nil {
		return false, fmt.Errorf("compare logs: %w", err)
	}
	defer y.Close()
	p, q := make([]byte, 64<<10), make([]byte, 64<<10)
	for n > 0 {
		part := min(n, int64(len(p)))
		if _, err := io.ReadFull(x, p[:part]); err != nil {
			return false, fmt.Errorf("compare logs: %w", err)
		}
		if _, err := io.ReadFull(y, q[:part]); err != nil {
			return false, fmt.Errorf("compare logs: %w", err)
		}
		if !bytes.Equal(p[:part], q[:part]) {
			return false, nil
		}
		n -= part
	}
	return true, nil
}
