package client

import (
	"maps"
	"slices"
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// Note is something worth a line in the text report. It is a fixed text.
type Note string

// The notes.
const (
	NoteRespawnedExit    Note = "the server exited on server/discover and was started again for initialize"
	NoteRespawnedSilent  Note = "the server did not answer server/discover and was started again for initialize"
	NoteFreshForLegacy   Note = "the server lists older revisions only and was started again for initialize"
	NoteDiscoverWrongID  Note = "the server answered server/discover with another id"
	NoteDiscoverFailed   Note = "the server answered server/discover with a server error"
	NoteOlderRevision    Note = "the server answered with another revision than the one that was asked for"
	NoteInitializedOdd   Note = "notifications/initialized was not answered with 202"
	NoteSessionRenewed   Note = "the session was lost and begun anew"
	NoteResumed          Note = "an event stream ended early and was resumed"
	NoteModernOurMistake Note = "the server refused server/discover for its headers or capabilities"
	NoteEmptyCursor      Note = "an empty cursor ended a list"
	NoteGuard            Note = "the server runs without a guard process"
	NoteIdleRequests     Note = "the server sent too many requests outside of calls, which were left unanswered"
	NoteStatelessRequest Note = "the server sent a request of its own, which revision 2026-07-28 does not allow"
	NoteNeededTerm       Note = "the server did not end with its input: TERM ended it"
	NoteNeededKill       Note = "the server ended neither with its input nor by TERM: KILL ended it"
	NoteBatch            Note = "the server answered with a batch"
)

// Facts are what is known of a connection and its server.
type Facts struct {
	Revision  string // "" before a handshake
	Lifecycle Lifecycle

	// Handshake is the result of initialize or server/discover, absent when there
	// was none. It is traffic.
	Handshake rawjson.Value
	// Supported are the versions that server/discover listed, as they came.
	Supported []string

	// Startup is the time from the start to the first answer.
	Startup time.Duration
	// Spawns is how many processes were started.
	Spawns int
	// HasSession reports whether the server gave an Mcp-Session-Id.
	HasSession bool
	// InitializedStatus is the HTTP status of notifications/initialized, or 0.
	InitializedStatus int
	// Notes are in the order they came up, each once.
	Notes []Note
}

// Declares reports whether the server declares a capability, or a part of it
// that is not false: Declares("resources", "subscribe").
func (f *Facts) Declares(path ...string) bool {
	v, ok := f.Handshake.Get("capabilities")
	for _, name := range path {
		if v, ok = v.Get(name); !ok {
			return false
		}
	}
	b, isBool := v.Bool()
	return ok && v.Kind() != rawjson.Null && (!isBool || b)
}

// Counts are what was passed over.
type Counts struct {
	BannerLines   int // no JSON
	OtherJSON     int // JSON, but no JSON-RPC
	BlankLines    int
	InvalidUTF8   int
	ByteOrderMark int
	CRLF          int // lines that ended in CR LF
	Oversized     int
	Orphans       int // responses to nothing that was asked
	Duplicates    int // responses to what was answered already
	Late          int // responses to what was given up
	Batches       int
	InexactIDs    int
	KeepAlives    int // events without data, or of other names
	Declined      int // requests of the server's that were declined
	Answered      int // requests of the server's that were answered
	Unanswered    int // requests of the server's beyond the limits

	// Notifications counts by method, at most 100 different ones. The names are
	// traffic.
	Notifications map[string]int
}

const maxNotificationNames = 100

// Facts returns what is known now.
func (c *Conn) Facts() Facts {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.facts
	f.Notes = slices.Clone(f.Notes)
	f.Supported = slices.Clone(f.Supported)
	return f
}

// Counts returns what was counted so far.
func (c *Conn) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.counts
	n.Notifications = maps.Clone(n.Notifications)
	return n
}

func (c *Conn) note(n Note) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noteLocked(n)
}

// noteLocked requires mu.
func (c *Conn) noteLocked(n Note) {
	if !slices.Contains(c.facts.Notes, n) {
		c.facts.Notes = append(c.facts.Notes, n)
	}
}

func (c *Conn) count(f func(*Counts)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.counts)
}
