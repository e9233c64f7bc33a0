package index

import (
	"time"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
)

// Place is where an event stands: a row of sources, and line and offset in it.
type Place struct{ Source, Line, Offset int64 }

// Record is one event with its evidence.
type Record struct {
	journal.Event
	Place  Place // the smallest place the line was found at
	Digest journal.Digest
	Bytes  int64  // of the line, newline included
	Time   string // FormatTime(TS)

	// Group is what windows stay inside: captures.id, or minus legacy_pairs.id
	// for a record without identity. The Writer sets it.
	Group int64

	// CallID is calls.id of a record of Batch.Added. Worker calls sets it.
	CallID int64

	// Replaced marks a pending event that a call names: it has no row in calls.
	// The Writer sets it.
	Replaced bool
}

// HasIdentity reports whether the record says which event of which capture it
// is; a legacy record mostly does not.
func (r *Record) HasIdentity() bool { return r.ID != uuid.Nil && r.Capture != uuid.Nil }

// Moved is an event that was found again at a smaller place.
type Moved struct {
	Event   uuid.UUID
	Capture uuid.UUID
	Seq     int64
	Place   Place
}

// Batch is what one call of Apply brings. Its parts are disjoint from those of
// every earlier batch of the index.
type Batch struct {
	Records []Record // new events, in reading order
	Moved   []Moved

	// Rows of calls that appear with this batch (records of Records), and rows
	// of earlier batches that go because a call of this batch names the pending
	// event they came from. The Writer fills both.
	Added   []*Record
	Removed []*Record
}

// Worker keeps some tables of the index up to date. Its tables are a function
// of the set of events, whatever the order and slicing they arrive in.
type Worker interface {
	// Name is unique and stable.
	Name() string
	// Version is raised whenever the same events give other content: the next
	// cycle then rebuilds everything.
	Version() int
	// Tables are those the worker owns: nothing else writes them.
	Tables() []Table
	// Start prepares the worker's statements once its tables exist.
	Start(conn *sqlite.Conn) error
	// Apply takes a batch inside the cycle's transaction.
	Apply(b *Batch) error
	// Finish writes what Apply kept in memory, once, after the last batch.
	Finish() error
}

// Table is one table or view of the index.
type Table struct {
	Name   string
	Schema string // its CREATE statements, indexes included
	View   bool

	// Ordered selects the content in visible order, without surrogate ids, for
	// the digest. Empty for a view, and for a table whose content the columns
	// of others already tell.
	Ordered string
}

// Workers makes the workers of an index in the order they run.
func Workers() []Worker {
	i := &issues{}
	return []Worker{&calls{}, &captures{}, &annotations{}, &stats{}, i, &verifications{}, &lifecycles{issues: i}, &readiness{}}
}

// withRows puts the worker that every other needs before them.
func withRows(workers []Worker) []Worker { return append([]Worker{&rows{}}, workers...) }

// FormatTime is how the index writes times: UTC, milliseconds, a fixed width,
// so that text order is time order.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// ParseTime reads what FormatTime wrote.
func ParseTime(s string) (time.Time, error) { return time.Parse("2006-01-02T15:04:05.000Z", s) }
