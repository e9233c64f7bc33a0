package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/index"
)

// Freshness says how far the index is behind the journal.
type Freshness struct {
	Files   int64             // of the journal
	Pending int64             // whole lines that are not indexed
	Gone    int64             // indexed files that are there no more, or shorter
	Corrupt []journal.Place   // where the readable part of a log ends early
	sources map[string]source // by path
}

type source struct{ offset, corruptLine int64 }

// MeasureFreshness compares the index with the journal. It returns
// index.ErrNone when there is no index.
func MeasureFreshness(ctx context.Context, h *home.Home) (*Freshness, error) {
	f := &Freshness{}
	err := index.Read(ctx, h.IndexPath(), func(conn *sqlite.Conn) error {
		f.sources, f.Corrupt = map[string]source{}, nil // Read may call again
		return index.Sources(conn, true, func(s index.Source) {
			f.sources[s.Path] = source{s.Offset, s.CorruptLine}
			if s.CorruptLine > 0 {
				f.Corrupt = append(f.Corrupt, journal.Place{Path: s.Path, Line: s.CorruptLine, Offset: s.CorruptOffset})
			}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	files, err := journal.Files(h.Store())
	if err != nil {
		return nil, fmt.Errorf("list journal: %w", err)
	}
	there := map[string]bool{}
	for _, file := range files {
		f.Files++
		there[file.Path] = true
		known := f.sources[file.Path]
		switch {
		case file.Size < known.offset:
			f.Gone++
			continue
		case known.corruptLine > 0 || file.Size == known.offset:
			continue
		}
		n, err := countLines(filepath.Join(h.Store(), filepath.FromSlash(file.Path)), known.offset)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		f.Pending += n
	}
	for path := range f.sources {
		if !there[path] {
			f.Gone++
		}
	}
	return f, ctx.Err()
}

// countLines counts the newlines of a file from offset on.
func countLines(name string, offset int64) (n int64, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	if _, err := file.Seek(offset, io.SeekStart); err != nil {
		return 0, err
	}
	part := make([]byte, 256<<10)
	for {
		got, err := file.Read(part)
		n += int64(bytes.Count(part[:got], []byte{'\n'}))
		switch {
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return n, err
		}
	}
}

func checkIndex(ctx context.Context, h *home.Home) Check {
	const name = "index"
	f, err := MeasureFreshness(ctx, h)
	switch {
	case errors.Is(err, index.ErrNone):
		return Check{name, StatusNote, "there is no index yet", "mcpeval index"}
	case errors.Is(err, index.ErrUnreadable):
		return Check{name, StatusBad, "the index cannot be read", "mcpeval index --rebuild"}
	case err != nil:
		return Check{name, StatusBad, err.Error(), "mcpeval index"}
	case len(f.Corrupt) > 0:
		return Check{name, StatusBad, fmt.Sprintf("%d logs cannot be read to their end, such as %s", len(f.Corrupt), f.Corrupt[0]), "mcpeval journal repair " + f.Corrupt[0].Path}
	case f.Gone > 0:
		return Check{name, StatusNote, fmt.Sprintf("%d indexed logs are gone or shorter", f.Gone), "mcpeval audit, then mcpeval index"}
	case f.Pending > 0:
		return Check{name, StatusNote, fmt.Sprintf("%d events are not indexed yet", f.Pending), "mcpeval index"}
	}
	return Check{name, StatusOK, fmt.Sprintf("up to date with %d files", f.Files), ""}
}
