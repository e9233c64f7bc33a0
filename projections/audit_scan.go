package projections

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/ledger"
)

// scanned is what was read of one capture.
type scanned struct {
	audit     CaptureAudit
	seqs      index.Intervals
	segments  []segment
	own       index.Intervals // the numbers in its own log, which a recorder wrote in their order
	unchained bool            // it has records without a chain
	met       bool            // the line the witness saw last is there
	same      bool            // with the same content
}

// segment is a run of lines in one file that follow each other by number and
// by digest.
type segment struct {
	first, last int64
	prev        journal.Prev // of the first
	digest      journal.Digest
}

// scan reads every log from its start to its last newline.
func (a *auditor) scan(ctx context.Context) error {
	files, err := journal.Files(a.store)
	if err != nil {
		return fmt.Errorf("list journal: %w", err)
	}
	state := Progress{}
	for _, f := range files {
		state.Total += f.Size
	}
	decoder := journal.NewDecoder()
	a.report.Captures = []CaptureAudit{}
	a.report.Legacy, a.report.Corrupt, a.report.Torn = []LegacyAudit{}, []CorruptLine{}, []Torn{}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.file(decoder, f); err != nil {
			return err
		}
		state.Bytes += f.Size
		if a.progress != nil {
			a.progress(state)
		}
	}
	return nil
}

func (a *auditor) file(decoder *journal.Decoder, f journal.File) error {
	file, err := os.Open(filepath.Join(a.store, filepath.FromSlash(f.Path)))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	defer file.Close()
	lines := journal.NewReader(io.NewSectionReader(file, 0, f.Size), journal.Place{Path: f.Path})
	open := map[uuid.UUID]int{} // the segment that goes on, by capture
	legacy, ev := int64(0), journal.Event{}
	named := captureOfName(f)
	own := named
	var bad *journal.CorruptionError
	for bad == nil && lines.Next() {
		err := decoder.Decode(f.Kind, lines.Line(), &ev)
		switch {
		case errors.Is(err, journal.ErrSkip):
		case err != nil:
			bad = journal.Corrupt(lines.Place(), err)
		case ev.ID == uuid.Nil || ev.Capture == uuid.Nil:
			legacy++
		default:
			if named == uuid.Nil {
				named = ev.Capture
			}
			a.event(f.Path, &ev, lines.Digest(), open)
			if ev.Capture == own {
				a.captures[ev.Capture].order(ev.Seq, lines.Place().Line)
			}
		}
	}
	if err := lines.Err(); err != nil && bad == nil && !errors.As(err, &bad) {
		return fmt.Errorf("read %s: %w", journal.Shown(f.Path), err)
	}
	if legacy > 0 {
		a.report.Legacy = append(a.report.Legacy, LegacyAudit{f.Path, legacy, legacyStatus})
	}
	c := a.captures[named]
	if bad != nil {
		line := CorruptLine{Path: f.Path, Line: bad.Line, Offset: bad.Offset, Reason: bad.Err.Error()}
		a.report.Corrupt = append(a.report.Corrupt, line)
		if c != nil && c.audit.Corrupt == nil {
			c.audit.Corrupt = &line
		}
	} else if torn := lines.Torn(); torn > 0 {
		a.report.Torn = append(a.report.Torn, Torn{f.Path, torn})
		if c != nil {
			c.audit.TornBytes += torn
		}
	}
	return nil
}

func (a *auditor) event(path string, ev *journal.Event, digest journal.Digest, open map[uuid.UUID]int) {
	c := a.captures[ev.Capture]
	if c == nil {
		c = &scanned{audit: CaptureAudit{
			CaptureID: ev.Capture.String(), Session: ev.Session.String(), Server: ev.Server.String(), Missing: []index.Interval{},
		}}
		a.captures[ev.Capture] = c
	}
	if n := len(c.audit.Files); n == 0 || c.audit.Files[n-1] != path {
		c.audit.Files = append(c.audit.Files, path)
	}
	if !c.seqs.Add(ev.Seq) {
		c.audit.Copies++
	}
	c.audit.Ended = c.audit.Ended || ev.Body.Type() == journal.TypeEnd
	if w, ok := a.witnesses[ev.Capture]; ok && w.Seq == ev.Seq {
		c.met, c.same = true, c.same || w.Digest == digest
	}
	if ev.Legacy {
		c.unchained = true
		return
	}
	if i, ok := open[ev.Capture]; ok {
		if s := &c.segments[i]; ev.Seq == s.last+1 && ev.Prev == s.digest.Prev() {
			s.last, s.digest = ev.Seq, digest
			return
		}
	}
	open[ev.Capture] = len(c.segments)
	c.segments = append(c.segments, segment{ev.Seq, ev.Seq, ev.Prev, digest})
}

// order notes the first line of a capture's own log that stands behind a later
// event. A second copy of a line is none.
func (c *scanned) order(seq, line int64) {
	behind := seq < c.own.Max()
	if c.own.Add(seq) && behind && c.audit.Reordered == 0 {
		c.audit.Reordered = line
	}
}

// judge says of each capture, of those the witness knows too, what the lines
// show.
func (a *auditor) judge() {
	for id, c := range a.captures {
		c.judge()
		w, known := a.witnesses[id]
		c.audit.Witness = WitnessUnknown
		if known {
			c.audit.SeenSeq = w.Seq
			switch {
			case c.same:
				c.audit.Witness = WitnessAgrees
			case c.met:
				c.audit.Witness = WitnessDifferent
			default:
				c.audit.Witness = WitnessShorter
			}
		}
		a.report.Captures = append(a.report.Captures, c.audit)
	}
	for id, w := range a.witnesses {
		if a.captures[id] != nil {
			continue
		}
		a.report.Captures = append(a.report.Captures, CaptureAudit{
			CaptureID: id.String(), Files: []string{}, Missing: []index.Interval{}, Chain: ChainAbsent, SeenSeq: w.Seq,
			Witness: map[ledger.Removal]Testimony{
				ledger.NotRemoved: WitnessGone, ledger.Pruned: WitnessPruned, ledger.Quarantined: WitnessQuarantined,
			}[w.Removed],
		})
	}
	slices.SortFunc(a.report.Captures, func(x, y CaptureAudit) int {
		return cmp.Or(slices.Compare(x.Files, y.Files), cmp.Compare(x.CaptureID, y.CaptureID))
	})
}

// judge follows the chain through the segments of all files. Where they
// overlap, one is a copy of the other: the identity rules see to that.
func (c *scanned) judge() {
	r := &c.audit
	r.Events, r.LastSeq = c.seqs.Count(), c.seqs.Max()
	r.Missing = append(r.Missing, c.seqs.Missing()...)
	r.Chain = ChainIntact
	if c.unchained {
		r.Chain = ChainUnprovable
	}
	slices.SortStableFunc(c.segments, func(x, y segment) int { return cmp.Compare(x.first, y.first) })
	end, digest := int64(0), journal.Digest{}
	for _, s := range c.segments {
		if s.first == end+1 && s.first > 1 && s.prev != digest.Prev() && r.BrokenSeq == 0 && !c.unchained {
			r.Chain, r.BrokenSeq = ChainBroken, s.first
		}
		if s.last > end {
			end, digest = s.last, s.digest
		}
	}
}
