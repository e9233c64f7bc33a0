package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

// Audited is an audit with what it means for the findings in the index.
type Audited struct {
	*projections.AuditReport
	// Findings rest on evidence that was altered or lost.
	Findings []FindingAudit `json:"findings"`
}

// FindingAudit says how far the evidence of a finding can be relied on.
type FindingAudit struct {
	ID       string `json:"id"`
	Events   int64  `json:"events"`   // failing calls behind it
	Altered  int64  `json:"altered"`  // of them: the line that was indexed is no longer in its log
	Doubtful int64  `json:"doubtful"` // of them: the line is, but its capture was altered elsewhere
}

// Broken reports whether any of it was altered or lost.
func (f *FindingAudit) Broken() bool { return f.Altered+f.Doubtful > 0 }

// LineState says how an indexed line compares with what is in the log now.
type LineState string

// The states of a line.
const (
	LineUnchanged LineState = "unchanged"
	LineMoved     LineState = "moved"   // it stands elsewhere in its log
	LineChanged   LineState = "changed" // another one stands in its place
	LineMissing   LineState = "missing"
)

// EvidenceAudit is one failing call behind a finding, with what the audit found
// of its line and its capture.
type EvidenceAudit struct {
	query.FindingEvent
	LineState LineState             `json:"line_state"`
	Chain     projections.Chain     `json:"chain"`   // of its capture; unprovable for a record without identity
	Witness   projections.Testimony `json:"witness"` // empty for a record without identity
	Broken    bool                  `json:"broken"`
}

// Audit re-reads every log, compares index and ledger with them, and says which
// findings of the index rest on what was altered or lost. What is lost and no
// longer indexed, no finding rests on.
func Audit(ctx context.Context, h *home.Home, o *projections.Options) (*Audited, error) {
	report, err := projections.Audit(ctx, h, o)
	if err != nil {
		return nil, err
	}
	a := &evidenceAuditor{store: h.Store(), captures: broken(report), open: map[string]*os.File{}, lines: map[string]map[string]bool{}}
	defer a.close()
	out := &Audited{AuditReport: report}
	err = index.Read(ctx, h.IndexPath(), func(conn *sqlite.Conn) error {
		out.Findings = []FindingAudit{} // Read may call again
		findings, err := query.Findings(conn, query.FindingFilter{})
		if err != nil {
			return err
		}
		for _, f := range findings {
			audit, _, err := a.finding(ctx, conn, f.ID)
			if err != nil {
				return err
			}
			if audit.Broken() {
				out.Findings = append(out.Findings, *audit)
			}
		}
		return nil
	})
	if unindexed(err) {
		out.Findings, err = []FindingAudit{}, nil // the report says so
	}
	return out, err
}

// unindexed tells that there is no index to read findings from.
func unindexed(err error) bool {
	return errors.Is(err, index.ErrNone) || errors.Is(err, index.ErrUnreadable) || errors.Is(err, index.ErrOutdated)
}

// AuditFinding is Audit for the evidence of one finding, call by call, in
// visible order. An *InputError says that there is no such finding.
func AuditFinding(ctx context.Context, h *home.Home, id string, o *projections.Options) (*FindingAudit, []EvidenceAudit, error) {
	known := func(conn *sqlite.Conn) error {
		lifecycle, err := query.LifecycleOf(conn, id)
		if err == nil && lifecycle == nil {
			err = &InputError{Err: errors.New("there is no finding with this ID in the index"), Next: "mcpeval findings"}
		}
		return err
	}
	err := index.Read(ctx, h.IndexPath(), known)
	if unindexed(err) {
		return nil, nil, &Problem{Err: fmt.Errorf("read index: %w", err), Next: "mcpeval index"}
	}
	if err != nil {
		return nil, nil, err
	}
	report, err := projections.Audit(ctx, h, o)
	if err != nil {
		return nil, nil, err
	}
	a := &evidenceAuditor{store: h.Store(), captures: broken(report), open: map[string]*os.File{}, lines: map[string]map[string]bool{}}
	defer a.close()
	var audit *FindingAudit
	var evidence []EvidenceAudit
	err = index.Read(ctx, h.IndexPath(), func(conn *sqlite.Conn) (err error) {
		audit, evidence, err = a.finding(ctx, conn, id)
		return err
	})
	return audit, evidence, err
}

// captureState is what an audit says of a capture.
type captureState struct {
	audit  *projections.CaptureAudit
	broken bool
}

func broken(r *projections.AuditReport) map[string]captureState {
	states := map[string]captureState{}
	for i := range r.Captures {
		c := &r.Captures[i]
		states[c.CaptureID] = captureState{c, c.Broken() || r.Conflict != nil && r.Conflict.Capture == c.CaptureID}
	}
	return states
}

// evidenceAuditor holds evidence against the logs as they are.
type evidenceAuditor struct {
	store    string
	captures map[string]captureState
	open     map[string]*os.File        // nil for a file that is not there
	lines    map[string]map[string]bool // digests of the lines of logs that changed
	line     []byte
}

func (a *evidenceAuditor) finding(ctx context.Context, conn *sqlite.Conn, id string) (*FindingAudit, []EvidenceAudit, error) {
	events, err := query.FindingEvidence(conn, id)
	if err != nil {
		return nil, nil, err
	}
	audit := &FindingAudit{ID: id, Events: int64(len(events))}
	list := []EvidenceAudit{}
	for _, e := range events {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		v := EvidenceAudit{FindingEvent: e, Chain: projections.ChainUnprovable}
		if v.LineState, err = a.look(&e); err == nil && v.LineState != LineUnchanged {
			v.LineState, err = a.elsewhere(ctx, &e, v.LineState)
		}
		if err != nil {
			return nil, nil, err
		}
		doubtful := false
		if e.CaptureID != nil {
			v.Chain, v.Witness = projections.ChainAbsent, projections.WitnessUnknown
			if c, ok := a.captures[*e.CaptureID]; ok {
				v.Chain, v.Witness, doubtful = c.audit.Chain, c.audit.Witness, c.broken
			}
		}
		altered := v.LineState == LineChanged || v.LineState == LineMissing
		switch {
		case altered:
			audit.Altered++
		case doubtful:
			audit.Doubtful++
		}
		v.Broken = doubtful || altered
		list = append(list, v)
	}
	return audit, list, nil
}

// look compares the line that was indexed with what stands there now.
func (a *evidenceAuditor) look(e *query.FindingEvent) (LineState, error) {
	f, known := a.open[e.File]
	if !known {
		var err error
		f, err = openRegular(filepath.Join(a.store, filepath.FromSlash(e.File)))
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, errNotRegular) {
			return "", fmt.Errorf("open log: %w", err)
		}
		if len(a.open) >= maxOpenLogs {
			a.close()
		}
		a.open[e.File] = f
	}
	if f == nil {
		return LineMissing, nil
	}
	// Most lines are short; what is longer is read once more.
	for size := 4 << 10; ; size *= 16 {
		if cap(a.line) < size {
			a.line = make([]byte, size)
		}
		n, err := f.ReadAt(a.line[:size], e.Offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read log: %w", err)
		}
		end := bytes.IndexByte(a.line[:n], '\n')
		switch {
		case end >= 0 && journal.LineDigest(a.line[:end]).String() == e.Digest:
			return LineUnchanged, nil
		case end >= 0:
			return LineChanged, nil
		case n < size || size > maxEvidenceLine:
			return LineMissing, nil
		}
	}
}

// elsewhere looks through the whole log for a line that is not in its place.
func (a *evidenceAuditor) elsewhere(ctx context.Context, e *query.FindingEvent, state LineState) (LineState, error) {
	digests, known := a.lines[e.File]
	if f := a.open[e.File]; !known && f != nil {
		digests = map[string]bool{}
		r := journal.NewReader(io.NewSectionReader(f, 0, 1<<62), journal.Place{Path: e.File})
		for r.Next() {
			digests[r.Digest().String()] = true
			if len(digests)%1024 == 0 && ctx.Err() != nil {
				return "", ctx.Err()
			}
		}
		var corrupt *journal.CorruptionError // a line over the bound: what is behind it cannot be read
		if r.Err() != nil && !errors.As(r.Err(), &corrupt) {
			return "", fmt.Errorf("read log: %w", r.Err())
		}
	}
	if !known {
		a.lines[e.File] = digests
	}
	if digests[e.Digest] {
		return LineMoved, nil
	}
	return state, nil
}

const (
	maxOpenLogs     = 100
	maxEvidenceLine = 4 << 20 // bytes; no reader takes a longer one
)

func (a *evidenceAuditor) close() {
	for _, f := range a.open {
		if f != nil {
			_ = f.Close() // it was only read
		}
	}
	clear(a.open)
}
