package projections

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/ledger"
)

// AuditReport says whether the logs are what they were, and whether index and
// ledger are what the logs give. It shows that local evidence was altered or
// lost; it does not authenticate who wrote it.
type AuditReport struct {
	Captures []CaptureAudit `json:"captures"` // by first file
	Legacy   []LegacyAudit  `json:"legacy"`
	Corrupt  []CorruptLine  `json:"corrupt"` // of files without a capture, too
	Torn     []Torn         `json:"torn"`
	Conflict *Conflict      `json:"conflict"` // nil when every identity holds
	Index    Agreement      `json:"index"`
	Ledger   Agreement      `json:"ledger"`
	Unread   int64          `json:"events_not_indexed"`

	// Since is when the witness began; nil when there is none. What was lost
	// before, nothing here can tell.
	Since *time.Time `json:"vouches_since"`
}

// CaptureAudit is what was found of one capture.
type CaptureAudit struct {
	CaptureID string           `json:"capture_id"`
	Session   string           `json:"session,omitempty"`
	Server    string           `json:"server,omitempty"`
	Files     []string         `json:"files"`
	Events    int64            `json:"events"` // distinct
	Copies    int64            `json:"copies"` // further lines of the same events
	LastSeq   int64            `json:"last_seq"`
	Missing   []index.Interval `json:"missing"` // sequence numbers up to LastSeq
	Chain     Chain            `json:"chain"`
	BrokenSeq int64            `json:"broken_seq,omitempty"`     // the first event that does not follow the one before
	Reordered int64            `json:"reordered_line,omitempty"` // of the capture's own log: the first line that stands behind a later event
	Ended     bool             `json:"ended"`
	TornBytes int64            `json:"torn_bytes"`
	Corrupt   *CorruptLine     `json:"corrupt,omitempty"`
	Witness   Testimony        `json:"witness"`
	SeenSeq   int64            `json:"seen_seq,omitempty"` // the highest the witness saw
}

// Chain says how the digests of a capture follow each other.
type Chain string

// The states of a chain.
const (
	ChainIntact     Chain = "intact"
	ChainBroken     Chain = "broken"
	ChainUnprovable Chain = "unprovable" // records without a chain
	ChainAbsent     Chain = "absent"     // no event is left
)

// Testimony is what the witness says about a capture.
type Testimony string

// What a witness can say.
const (
	WitnessAgrees      Testimony = "agrees"
	WitnessUnknown     Testimony = "never seen" // not indexed yet, or before the witness began
	WitnessGone        Testimony = "gone"
	WitnessShorter     Testimony = "shorter"
	WitnessDifferent   Testimony = "different"
	WitnessPruned      Testimony = "pruned"
	WitnessQuarantined Testimony = "quarantined"
)

// Broken reports whether evidence of the capture was altered or lost.
func (c *CaptureAudit) Broken() bool {
	switch c.Witness {
	case WitnessGone, WitnessShorter, WitnessDifferent:
		return true
	}
	return c.Chain == ChainBroken || len(c.Missing) > 0 || c.Reordered > 0 || c.Corrupt != nil
}

// LegacyAudit is a file with records without identity: their continuity cannot
// be proven.
type LegacyAudit struct {
	File    string `json:"file"`
	Records int64  `json:"records"`
	Status  string `json:"status"`
}

// legacyStatus is what can be said of every legacy file.
const legacyStatus = "legacy: continuity cannot be proven"

// Conflict is a ConflictError for printing.
type Conflict struct {
	A       string `json:"a"` // file:line
	B       string `json:"b"`
	Capture string `json:"capture_id"`
	Rule    string `json:"rule"`
	Next    string `json:"next"`
}

// Agreement is how something derived compares with what the logs give.
type Agreement string

// The agreements.
const (
	Agrees     Agreement = "agrees"
	Differs    Agreement = "differs"
	Absent     Agreement = "absent"
	Unreadable Agreement = "cannot be read"
	Incomplete Agreement = "not compared" // a conflict ends the derivation
)

// Broken reports whether anything is.
func (r *AuditReport) Broken() bool {
	bad := func(a Agreement) bool { return a == Differs || a == Unreadable }
	return r.Conflict != nil || len(r.Corrupt) > 0 || bad(r.Index) || bad(r.Ledger) ||
		r.Index == Agrees && r.Ledger == Absent ||
		slices.ContainsFunc(r.Captures, func(c CaptureAudit) bool { return c.Broken() })
}

// Audit reads every log again, derives index and ledger anew in a folder of its
// own inside the home, and compares. It holds the index lock. Of the options
// Rebuild counts for nothing.
func Audit(ctx context.Context, h *home.Home, o *Options) (_ *AuditReport, err error) {
	if o == nil {
		o = &Options{}
	}
	options := *o
	if options.Verb == "" {
		options.Verb = "audit"
	}
	dir, leave, err := workshop(ctx, h, &options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, leave()) }()

	a := &auditor{cycle: newCycle(h, &options), dir: dir, report: &AuditReport{}, captures: map[uuid.UUID]*scanned{}}
	a.started = a.now()
	if err := a.readWitness(); err != nil {
		return nil, err
	}
	if err := a.scan(ctx); err != nil {
		return nil, err
	}
	a.judge()
	return a.report, a.derive(ctx)
}

// auditor is one audit at work.
type auditor struct {
	*cycle
	dir       string // for what is derived
	report    *AuditReport
	captures  map[uuid.UUID]*scanned
	witnesses map[uuid.UUID]ledger.Witness
}

// readWitness reads what was seen, if the ledger can be read.
func (a *auditor) readWitness() error {
	l, err := ledger.OpenReadOnly(a.ledger)
	switch {
	case errors.Is(err, os.ErrNotExist):
		a.report.Ledger = Absent
		return nil
	case errors.Is(err, ledger.ErrUnreadable):
		a.report.Ledger = Unreadable
		return nil
	case err != nil:
		return err
	}
	since := l.Since()
	a.report.Since = &since
	a.witnesses, err = l.Witnesses()
	if errors.Is(err, ledger.ErrUnreadable) {
		a.report.Ledger, a.witnesses, err = Unreadable, nil, nil
	}
	return errors.Join(err, l.Close())
}
