package projections

import (
	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
)

// Rule is an identity rule that a line can break.
type Rule uint8

// The rules. A record without identity can break none.
const (
	RuleContent  Rule = iota + 1 // one event ID, one content
	RuleSequence                 // one event for each sequence number of a capture
	RuleSession                  // one session for a capture
	RuleServer                   // one server for a capture
)

func (r Rule) String() string {
	switch r {
	case RuleContent:
		return "the same event ID with different content"
	case RuleSequence:
		return "two events with the same sequence number of one capture"
	case RuleSession:
		return "one capture in two sessions"
	case RuleServer:
		return "one capture with two servers"
	}
	return "unknown rule"
}

// ConflictError refuses a whole ingest: two lines of the journal cannot both be
// true. Nothing visible has changed.
type ConflictError struct {
	Rule    Rule
	Capture uuid.UUID
	Event   uuid.UUID // of the line at B
	Seq     int64     // of the line at B
	A       journal.Place
	B       journal.Place // the line that was read later
}

func (e *ConflictError) Error() string {
	return e.A.String() + " and " + e.B.String() + ": " + e.Rule.String()
}

// Next is the step that takes the later file out of the way.
func (e *ConflictError) Next() string { return "mcpeval journal quarantine " + journal.Shown(e.B.Path) }
