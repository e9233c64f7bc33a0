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

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections"
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
			l.from, l.fromN, l.to = f.Path, n, f.Path
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

// identities holds the events of the logs that are to be added against each
// other and against every event of the store. A log that brings no event that is
// not known, and no record without identity, is here already.
func (i *importing) identities(ctx context.Context, local []journal.File, taken []*incoming) error {
	rules := newIdentities()
	for _, l := range taken {
		f := logFacts{path: l.path, kind: l.kind, size: l.bytes}
		if err := i.hold(ctx, l.staged, &f, rules.add); err != nil {
			return err
		}
	}
	for _, f := range local {
		facts := logFacts{path: f.Path, kind: f.Kind, size: f.Size}
		if err := i.hold(ctx, filepath.Join(i.store, filepath.FromSlash(f.Path)), &facts, rules.meet); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, l := range taken {
		if l.from != "" {
			if err := i.continues(ctx, l); err != nil {
				return err
			}
		} else if l.records == 0 && l.kind != journal.FileHistory {
			l.unread = rules.unknown(l)
			if l.unread == 0 {
				l.to = ""
				i.result.Present++
			}
		}
		i.result.Events += l.unread
	}
	return nil
}

// hold shows the events of a log, with identity, to see.
func (i *importing) hold(ctx context.Context, name string, f *logFacts, see func(*journal.Event, journal.Digest, journal.Place) error) error {
	file, err := openRegular(name)
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	defer file.Close()
	return readLog(ctx, file, f, nil, func(l *logLine) error {
		if l.err != nil || l.event.Capture == uuid.Nil || l.event.ID == uuid.Nil {
			return nil
		}
		return see(l.event, journal.LineDigest(l.text), l.place)
	})
}

// continues checks that the lines behind those that are here already go on in
// their chain.
func (i *importing) continues(ctx context.Context, l *incoming) error {
	file, err := openRegular(l.staged)
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	defer file.Close()
	l.unread = 0
	f := logFacts{path: l.path, kind: l.kind, size: l.bytes}
	last := map[uuid.UUID]link{}
	return readLog(ctx, file, &f, nil, func(line *logLine) error {
		e := line.event
		before, known := last[e.Capture]
		if line.place.Offset >= l.fromN {
			l.unread++
			if known && !e.Legacy && e.Seq == before.seq+1 && e.Prev != before.digest.Prev() {
				return &Problem{
					Err:  fmt.Errorf("nothing was imported: %s does not continue the chain of %s", line.place, journal.Shown(l.from)),
					Next: "have it audited where it comes from: mcpeval audit",
				}
			}
		}
		if line.err == nil && e.Capture != uuid.Nil {
			last[e.Capture] = link{e.Seq, journal.LineDigest(line.text)}
		}
		return nil
	})
}

type link struct {
	seq    int64
	digest journal.Digest
}

// identities are the events of the logs to import.
type identities struct {
	events   map[uuid.UUID]*known
	slots    map[slot]uuid.UUID
	captures map[uuid.UUID]owner
}

type known struct {
	digest journal.Digest
	slot   slot
	place  journal.Place
	here   bool // in the store, too
}

type slot struct {
	capture uuid.UUID
	seq     int64
}

type owner struct {
	session sanitize.Session
	server  sanitize.Label
	place   journal.Place
}

func newIdentities() *identities {
	return &identities{events: map[uuid.UUID]*known{}, slots: map[slot]uuid.UUID{}, captures: map[uuid.UUID]owner{}}
}

// add takes an event that is to be imported.
func (r *identities) add(e *journal.Event, digest journal.Digest, at journal.Place) error {
	if err := r.breach(e, digest, at); err != nil {
		return err
	}
	if r.events[e.ID] == nil {
		s := slot{e.Capture, e.Seq}
		r.events[e.ID] = &known{digest: digest, slot: s, place: at}
		r.slots[s] = e.ID
	}
	if _, ok := r.captures[e.Capture]; !ok {
		r.captures[e.Capture] = owner{e.Session, e.Server, at}
	}
	return nil
}

// meet holds an event of the store against those that are to be imported.
func (r *identities) meet(e *journal.Event, digest journal.Digest, at journal.Place) error {
	if err := r.breach(e, digest, at); err != nil {
		return err
	}
	if k := r.events[e.ID]; k != nil {
		k.here = true
	}
	return nil
}

// breach names both places of what cannot both be true.
func (r *identities) breach(e *journal.Event, digest journal.Digest, at journal.Place) error {
	refuse := func(rule projections.Rule, other journal.Place) error {
		return &Problem{
			Err:  fmt.Errorf("nothing was imported: %w", &projections.ConflictError{Rule: rule, Capture: e.Capture, Event: e.ID, Seq: e.Seq, A: other, B: at}),
			Next: "mcpeval audit, here and where the envelope comes from",
		}
	}
	if k := r.events[e.ID]; k != nil {
		if k.digest != digest {
			return refuse(projections.RuleContent, k.place)
		}
		return nil
	}
	if id, ok := r.slots[slot{e.Capture, e.Seq}]; ok {
		return refuse(projections.RuleSequence, r.events[id].place)
	}
	if c, ok := r.captures[e.Capture]; ok {
		switch {
		case c.session != e.Session:
			return refuse(projections.RuleSession, c.place)
		case c.server != e.Server:
			return refuse(projections.RuleServer, c.place)
		}
	}
	return nil
}

// unknown counts the events of a log that the store does not have.
func (r *identities) unknown(l *incoming) (n int64) {
	for _, k := range r.events {
		if !k.here && k.place.Path == l.path && l.captures[k.slot.capture] {
			n++
		}
	}
	return n
}
