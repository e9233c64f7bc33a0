package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// copy checks the lines of a log and copies them into the envelope.
func (s *sharing) copy(ctx context.Context, l *logFacts) error {
	out, err := os.CreateTemp(s.temp, "*.part")
	if err != nil {
		return fmt.Errorf("make envelope: %w", err)
	}
	defer os.Remove(out.Name())
	again := &logFacts{path: l.path, kind: l.kind, size: l.size}
	check := journal.NewDecoder()
	err = s.open(l, func(file *os.File) error {
		return readLog(ctx, file, again, &gate{out, &s.shared.Findings}, func(line *logLine) error {
			if line.text == nil || !clean(check, l.kind, line.text) {
				s.shared.Findings = append(s.shared.Findings, line.place)
			}
			return nil
		})
	})
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	if again.digest != l.digest && len(s.shared.Findings) == 0 {
		return &Problem{Err: fmt.Errorf("%s changed while it was read: logs only grow", journal.Shown(l.path)), Next: "mcpeval audit"}
	}
	s.progress(l.size)
	s.Hook("copied")
	if again.lines == 0 {
		return nil
	}
	return s.take(again, out.Name())
}

// gate lets nothing through once a line was flagged: not even the temporary
// folder that a kill leaves may hold one.
type gate struct {
	w       io.Writer
	flagged *[]journal.Place
}

func (g *gate) Write(p []byte) (int, error) {
	if len(*g.flagged) > 0 {
		return len(p), nil
	}
	return g.w.Write(p)
}

// take gives a copied log its name in the envelope.
func (s *sharing) take(l *logFacts, part string) error {
	to := l.canonicalPath(l.path)
	for _, path := range []string{to, l.copyPath()} {
		i := slices.IndexFunc(s.shared.Files, func(f EnvelopeFile) bool { return f.Path == path })
		if i >= 0 && s.shared.Files[i].Digest == l.digest {
			return nil // the same bytes again
		}
		if to = path; i < 0 {
			break
		}
	}
	name := filepath.Join(s.temp, filepath.FromSlash(to))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("make envelope: %w", err)
	}
	if err := os.Rename(part, name); err != nil {
		return fmt.Errorf("make envelope: %w", err)
	}
	s.shared.Files = append(s.shared.Files, EnvelopeFile{to, l.bytes, l.digest})
	s.shared.Bytes += l.bytes
	s.shared.Lines += l.lines
	s.shared.Records += l.records
	if l.kind != journal.FileHistory {
		s.shared.Events += l.lines - l.records
	}
	if s.captures == nil {
		s.captures, s.sessions, s.servers = map[uuid.UUID]bool{}, map[sanitize.Session]bool{}, map[sanitize.Label]bool{}
	}
	for id := range l.captures {
		s.captures[id] = true
	}
	for id := range l.sessions {
		s.sessions[id] = true
	}
	for label := range l.servers {
		s.servers[label] = true
	}
	if !l.first.IsZero() && (s.shared.First.IsZero() || l.first.Before(s.shared.First)) {
		s.shared.First = l.first
	}
	if l.last.After(s.shared.Last) {
		s.shared.Last = l.last
	}
	return nil
}

func (s *sharing) count() {
	s.shared.Captures, s.shared.Sessions, s.shared.Servers = int64(len(s.captures)), int64(len(s.sessions)), int64(len(s.servers))
	slices.SortFunc(s.shared.Files, func(a, b EnvelopeFile) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(s.shared.Findings, func(a, b journal.Place) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return int(a.Line - b.Line)
	})
}
