package query

import (
	"encoding/json"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/projections/lifecycle"
	"github.com/mcpeval/mcpeval/projections/promotion"
)

// Finding is an issue that was promoted: a recurring failure with what a
// person or an agent needs to act on it. It is an element of
// `mcpeval findings --format json`, and holds no notes, sessions or raw values.
type Finding struct {
	ID       string `json:"id"`
	Server   string `json:"server"`
	Tool     string `json:"tool"`     // empty for a class that is about the whole server
	Class    string `json:"class"`    // see the Class constants
	Severity string `json:"severity"` // low, medium, high
	State    string `json:"state"`    // open, fix-claimed, verifying, closed

	Score    float64 `json:"score"`
	Failures int64   `json:"failures"`
	Calls    int64   `json:"calls"` // of the tool; of stdout-noise, runs of the server over stdio
	Rate     float64 `json:"rate"`  // failures / calls; 0 where there are no calls
	Sessions int64   `json:"sessions"`

	Codes      []string `json:"codes"`       // every distinct error code, sorted
	Code       string   `json:"code"`        // the most frequent one; empty when none was given
	Retryable  *bool    `json:"retryable"`   // true: all failures were; false: none was; null: some, or not known
	TemplateID string   `json:"template_id"` // of the error text, empty without one; unanswered, annotated or stdout-noise for groups without errors

	Cost  float64 `json:"cost"`  // median over failures of 1 + real calls near it
	Blast int64   `json:"blast"` // distinct tools in the windows, its own included

	Repro     json.RawMessage `json:"repro"` // shape of the first failure's arguments, or null
	FirstSeen string          `json:"first_seen"`
	LastSeen  string          `json:"last_seen"`

	ConsecutivePasses int64   `json:"consecutive_passes"`
	RegressedBy       *string `json:"regressed_by"` // event ID of the failure that reopened it, or null
	Hint              string  `json:"hint"`

	Evidence []*string `json:"evidence"` // event IDs of the newest 100 failures, oldest first; null for a record without identity
}

// FindingFilter narrows findings. Zero fields do not.
type FindingFilter struct {
	State  string // open, fix-claimed, verifying, closed
	Server string
}

// FindingEvent is one failing call behind a finding. EventID and CaptureID are
// null for a record without identity.
type FindingEvent struct {
	EventID   *string `json:"event_id"`
	CaptureID *string `json:"capture_id"`
	Seq       int64   `json:"seq"`
	TS        string  `json:"ts"`
	File      string  `json:"file"` // relative to the store
	Line      int64   `json:"line"`
	Offset    int64   `json:"offset"`
	Digest    string  `json:"digest"` // SHA-256 of the line
}

// Place is where the line stands.
func (e *FindingEvent) Place() journal.Place {
	return journal.Place{Path: e.File, Line: e.Line, Offset: e.Offset}
}

// Lifecycle is where a finding stands between open and closed.
type Lifecycle struct {
	State             string `json:"state"` // open, fix-claimed, verifying, closed
	ConsecutivePasses int64  `json:"consecutive_passes"`
}

// The states of a finding.
const (
	StateOpen       = lifecycle.Open       // no verification, or a red one or a failure since it was closed
	StateFixClaimed = lifecycle.FixClaimed // the last verification of an open one was red
	StateVerifying  = lifecycle.Verifying  // one or two green ones in a row
	StateClosed     = lifecycle.Closed     // three in a row
)

// The classes of a finding.
const (
	ClassUnstableCode       = promotion.UnstableCode
	ClassFalseSuccess       = promotion.FalseSuccess
	ClassBlockedPath        = promotion.BlockedPath
	ClassRecoversOnRetry    = promotion.RecoversOnRetry
	ClassRetryDidNotRecover = promotion.RetryDidNotRecover
	ClassRecurringError     = promotion.RecurringError
	ClassHungCall           = promotion.HungCall
	ClassStdoutNoise        = promotion.StdoutNoise
)

// PromotionSummary says what became of the issues.
type PromotionSummary struct {
	Threshold      float64 `json:"threshold"`
	AsOf           string  `json:"as_of"`
	Issues         int64   `json:"issues"`
	Promoted       int64   `json:"promoted"`
	OneSession     int64   `json:"one_session"`     // not promoted: seen in one session only
	BelowThreshold int64   `json:"below_threshold"` // seen in two, but below the threshold
}

// Trend is a server's readiness, oldest first.
type Trend struct {
	Server string       `json:"server"`
	Runs   []TrendPoint `json:"runs"`
}

// TrendPoint is one measured readiness. Scores are points from 0 to 100; null
// is not measured. Delta is against the run before with the same standard, null
// for the first of a standard.
type TrendPoint struct {
	TS           string   `json:"ts"`
	Standard     string   `json:"standard"`
	Total        *float64 `json:"total"`
	Protocol     *float64 `json:"protocol"`
	Catalog      *float64 `json:"catalog"`
	Context      *float64 `json:"context"`
	Reliability  *float64 `json:"reliability"`
	ErrorHonesty *float64 `json:"error_honesty"`
	Coverage     *float64 `json:"coverage"`
	Delta        *float64 `json:"delta"`
}
