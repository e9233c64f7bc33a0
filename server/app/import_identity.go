package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections"
)

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
	unknown := rules.unknown()
	for _, l := range taken {
		if l.from != "" {
			if err := i.continues(ctx, l); err != nil {
				return err
			}
		} else if l.records == 0 && l.kind != journal.FileHistory {
			if l.unread = unknown[l.path]; l.unread == 0 {
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

// identities are the events of the logs to import, some hundred bytes each.
type identities struct {
	entries  []entry
	events   map[uuid.UUID]int32 // index into entries
	captures map[uuid.UUID]*owned
	paths    []string
}

// entry is one event.
type entry struct {
	digest journal.Digest
	line   int64
	path   int32 // index into paths
	here   bool  // in the store, too
}

// owned is what belongs to one capture.
type owned struct {
	session sanitize.Session
	server  sanitize.Label
	place   journal.Place
	inOrder []int32         // the entries of numbers 1, 2 and so on
	others  map[int64]int32 // those of numbers that came in another order
}

// slot is the entry of a sequence number.
func (o *owned) slot(seq int64) (n int32, ok bool) {
	if seq >= 1 && seq <= int64(len(o.inOrder)) {
		return o.inOrder[seq-1], true
	}
	n, ok = o.others[seq]
	return n, ok
}

func newIdentities() *identities {
	return &identities{events: map[uuid.UUID]int32{}, captures: map[uuid.UUID]*owned{}}
}

func (r *identities) placeOf(n int32) journal.Place {
	return journal.Place{Path: r.paths[r.entries[n].path], Line: r.entries[n].line}
}

// add takes an event that is to be imported.
func (r *identities) add(e *journal.Event, digest journal.Digest, at journal.Place) error {
	if err := r.breach(e, digest, at); err != nil {
		return err
	}
	c := r.captures[e.Capture]
	if c == nil {
		c = &owned{session: e.Session, server: e.Server, place: at, others: map[int64]int32{}}
		r.captures[e.Capture] = c
	}
	if _, copied := r.events[e.ID]; copied {
		return nil
	}
	if n := len(r.paths); n == 0 || r.paths[n-1] != at.Path {
		r.paths = append(r.paths, at.Path)
	}
	n := int32(len(r.entries))
	r.entries = append(r.entries, entry{digest: digest, line: at.Line, path: int32(len(r.paths) - 1)})
	r.events[e.ID] = n
	if e.Seq == int64(len(c.inOrder))+1 {
		c.inOrder = append(c.inOrder, n)
	} else {
		c.others[e.Seq] = n
	}
	return nil
}

// meet holds an event of the store against those that are to be imported.
func (r *identities) meet(e *journal.Event, digest journal.Digest, at journal.Place) error {
	if err := r.breach(e, digest, at); err != nil {
		return err
	}
	if n, ok := r.events[e.ID]; ok {
		r.entries[n].here = true
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
	if n, ok := r.events[e.ID]; ok {
		if r.entries[n].digest != digest {
			return refuse(projections.RuleContent, r.placeOf(n))
		}
		return nil
	}
	c := r.captures[e.Capture]
	if c == nil {
		return nil
	}
	if n, ok := c.slot(e.Seq); ok {
		return refuse(projections.RuleSequence, r.placeOf(n))
	}
	switch {
	case c.session != e.Session:
		return refuse(projections.RuleSession, c.place)
	case c.server != e.Server:
		return refuse(projections.RuleServer, c.place)
	}
	return nil
}

// unknown counts the events that the store does not have and a log brings first.
func (r *identities) unknown() map[string]int64 {
	n := map[string]int64{}
	for _, e := range r.entries {
		if !e.here {
			n[r.paths[e.path]]++
		}
	}
	return n
}
