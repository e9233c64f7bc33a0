package projections

import (
	"path"
	"strings"
	"time"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/projections/index"
)

// plan says what a cycle has to do.
type plan struct {
	full   bool
	reason string // for a full rebuild: why
	survey *survey

	read   []source       // in path order
	touch  []index.Source // nothing to read, but looked at
	unseal []string       // sealed folders that have changed
	bytes  int64          // to read
}

// source is a file to read from src.Offset up to size.
type source struct {
	src  index.Source
	size int64
}

// empty reports whether there is nothing to do.
func (p *plan) empty() bool { return !p.full && len(p.read) == 0 && len(p.unseal) == 0 }

// planFull reads every file from its start.
func planFull(s *survey, reason string, now time.Time, limits map[string]int64) *plan {
	p := &plan{full: true, reason: reason, survey: s}
	for _, f := range s.files {
		src := newSource(int64(len(p.read)+1), f, now)
		if limits != nil {
			limit, ok := limits[f.Path]
			if !ok {
				continue
			}
			src.Size, src.MTime = min(src.Size, limit), 0
		}
		p.add(src, src.Size)
	}
	return p
}

func newSource(id int64, f journal.File, now time.Time) index.Source {
	return index.Source{
		ID: id, Path: f.Path, Kind: f.Kind, Folder: path.Dir(f.Path), Size: f.Size, MTime: settled(f, now),
		Capture: captureOfName(f),
	}
}

func (p *plan) add(src index.Source, size int64) {
	p.read = append(p.read, source{src: src, size: size})
	p.bytes += size - src.Offset
}

// planCycle compares the store with what the index knows of it.
func planCycle(conn *sqlite.Conn, store string, now time.Time) (*plan, error) {
	sealed, err := index.Sealed(conn)
	if err != nil {
		return nil, err
	}
	s, err := look(store, sealed)
	if err != nil {
		return nil, err
	}
	p := &plan{survey: s}
	known := map[string]index.Source{}
	keep := func(src index.Source) { known[src.Path] = src }
	if err := index.Sources(conn, false, keep); err != nil {
		return nil, err
	}
	for name := range sealed {
		if s.skipped[name] {
			continue
		}
		p.unseal = append(p.unseal, name)
		if err := index.SourcesIn(conn, name, keep); err != nil {
			return nil, err
		}
	}
	next, err := index.MaxSource(conn)
	if err != nil {
		return nil, err
	}
	for _, f := range s.files {
		src, ok := known[f.Path]
		if !ok {
			next++
			p.add(newSource(next, f, now), f.Size)
			continue
		}
		delete(known, f.Path)
		if reason := p.compare(store, src, f, now); reason != "" {
			return &plan{full: true, reason: reason, survey: s}, nil
		}
	}
	for name := range known {
		return &plan{full: true, reason: "a source is gone: " + name, survey: s}, nil
	}
	return p, nil
}

// compare adds a known source to the plan, if it changed; or says why it is
// another one now.
func (p *plan) compare(store string, src index.Source, f journal.File, now time.Time) (reason string) {
	if f.Size == src.Size && src.MTime != 0 && f.ModTime.UnixNano() == src.MTime {
		return ""
	}
	if f.Size < src.Offset {
		return "a source became shorter: " + f.Path
	}
	if sum, ok := tailOf(store, f.Path, src.Offset); !ok || sum != src.Tail {
		return "a source changed: " + f.Path
	}
	src.Size, src.MTime = f.Size, settled(f, now)
	if src.CorruptLine > 0 || f.Size > src.Offset && hasLine(store, f.Path, src.Offset, f.Size) {
		src.CorruptLine, src.CorruptOffset, src.CorruptReason = 0, 0, "" // it may have been mended, or cut off
		p.add(src, f.Size)
	} else {
		p.touch = append(p.touch, src)
	}
	return ""
}

// captureOfName is the capture a log is named after, uuid.Nil for another file.
func captureOfName(f journal.File) uuid.UUID {
	id, err := uuid.Parse(strings.TrimSuffix(path.Base(f.Path), ".jsonl"))
	if err != nil || f.Kind != journal.FileCapture {
		return uuid.Nil
	}
	return id
}
