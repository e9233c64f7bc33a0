package projections

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/projections/index"
)

// batchSize is how many events go through the pipeline together: as many as
// bbolt takes well in one transaction.
const batchSize = 20_000

// reader decodes the lines of a plan into batches.
type reader struct {
	store    string
	plan     *plan
	progress func(Progress)
	keep     func(*index.Record) bool // the events that count; nil is all
	out      chan<- *index.Batch
	free     <-chan *index.Batch // batches that were applied, to use again

	decoder *journal.Decoder
	batch   *index.Batch
	done    []index.Source // with their new offsets
	state   Progress
}

// run reads every source of the plan. It closes out.
func (r *reader) run(ctx context.Context) error {
	defer close(r.out)
	r.decoder = journal.NewDecoder()
	r.state.Total = r.plan.bytes
	for _, s := range r.plan.read {
		src, err := r.source(ctx, s)
		if err != nil {
			return err
		}
		r.done = append(r.done, src)
	}
	if r.batch != nil && len(r.batch.Records) > 0 {
		return r.send(ctx)
	}
	return nil
}

// source reads one file. A malformed line ends its readable part; that is no
// error of the cycle.
func (r *reader) source(ctx context.Context, s source) (index.Source, error) {
	src := s.src
	f, err := os.Open(filepath.Join(r.store, filepath.FromSlash(src.Path)))
	if err != nil {
		return src, fmt.Errorf("read source: %w", err)
	}
	defer f.Close()
	lines := journal.NewReader(
		io.NewSectionReader(f, src.Offset, s.size-src.Offset),
		journal.Place{Path: src.Path, Line: src.Lines + 1, Offset: src.Offset})
	var bad *journal.CorruptionError
	for bad == nil && lines.Next() {
		switch err := r.line(ctx, &src, lines); {
		case errors.As(err, &bad):
		case err != nil:
			return src, err
		default:
			end := lines.End()
			src.Offset, src.Lines = end.Offset, end.Line-1
		}
	}
	if err := lines.Err(); err != nil && bad == nil && !errors.As(err, &bad) {
		return src, fmt.Errorf("read %s: %w", journal.Shown(src.Path), err)
	}
	if bad != nil {
		src.CorruptLine, src.CorruptOffset, src.CorruptReason = bad.Line, bad.Offset, bad.Err.Error()
	}
	if src.Tail, err = tail(f, src.Offset); err != nil {
		return src, fmt.Errorf("read %s: %w", journal.Shown(src.Path), err)
	}
	return src, nil
}

// line decodes the reader's current line into the batch.
func (r *reader) line(ctx context.Context, src *index.Source, lines *journal.Reader) error {
	if r.batch == nil {
		r.batch = r.fresh()
	}
	b := r.batch
	n := len(b.Records)
	b.Records = b.Records[:n+1]
	rec := &b.Records[n]
	*rec = index.Record{}
	place := lines.Place()
	line := lines.Line()
	r.state.Bytes += int64(len(line)) + 1
	if err := r.decoder.Decode(src.Kind, line, &rec.Event); err != nil {
		b.Records = b.Records[:n]
		if errors.Is(err, journal.ErrSkip) {
			src.Skipped++
			return nil
		}
		return journal.Corrupt(place, err)
	}
	rec.Place = index.Place{Source: src.ID, Line: place.Line, Offset: place.Offset}
	rec.Digest = lines.Digest()
	rec.Bytes = int64(len(line)) + 1
	rec.Time = index.FormatTime(rec.TS)
	if src.Capture == uuid.Nil {
		src.Capture = rec.Capture
	}
	if r.keep != nil && !r.keep(rec) {
		b.Records = b.Records[:n]
		return nil
	}
	if n+1 == batchSize {
		return r.send(ctx)
	}
	return nil
}

func (r *reader) fresh() *index.Batch {
	select {
	case b := <-r.free:
		b.Records, b.Moved = b.Records[:0], b.Moved[:0]
		return b
	default:
		// A small cycle must not pay for a large batch.
		return &index.Batch{Records: make([]index.Record, 0, min(batchSize, r.plan.bytes/minLine+1))}
	}
}

// minLine is less than any line that decodes has.
const minLine = 32

func (r *reader) send(ctx context.Context) error {
	r.state.Events += int64(len(r.batch.Records))
	select {
	case r.out <- r.batch:
		r.batch = nil
	case <-ctx.Done():
		return ctx.Err()
	}
	if r.progress != nil {
		r.progress(r.state)
	}
	return nil
}
