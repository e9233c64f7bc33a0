package index

import (
	"strings"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

const capturesSchema = `
CREATE TABLE captures (
  id INTEGER PRIMARY KEY,      -- groups.id
  capture_id TEXT NOT NULL,
  session TEXT NOT NULL,
  server TEXT,
  kind TEXT,                   -- real, synthetic
  recorder TEXT,               -- shim, shim-http, probe, score, verify, annotate
  version TEXT, os TEXT, arch TEXT, salt_id TEXT,
  first_ts TEXT, last_ts TEXT,
  first_seq INTEGER, last_seq INTEGER,
  events INTEGER,
  seqs TEXT,                   -- sequence numbers seen, as 1-120,125
  last_digest TEXT,            -- SHA-256 of the line with last_seq
  ended INTEGER,               -- 1 when there is an end event
  corrupt_at TEXT,             -- file:line where a log of the capture stops being readable
  protocol TEXT, lifecycle TEXT,
  client_capabilities TEXT, client_other INTEGER,
  server_capabilities TEXT, server_other INTEGER,
  handshakes INTEGER,
  calls INTEGER,               -- tools/call requests of the client
  failures INTEGER,            -- of those
  requests INTEGER, notifications INTEGER, unparsed INTEGER, annotations INTEGER,
  gaps INTEGER,
  gap_outbound_frames INTEGER, gap_outbound_bytes INTEGER,
  gap_inbound_frames INTEGER, gap_inbound_bytes INTEGER,
  end_events INTEGER,          -- what the end event says was written
  outbound_frames INTEGER, outbound_bytes INTEGER,
  inbound_frames INTEGER, inbound_bytes INTEGER,
  stray_before INTEGER, stray_session INTEGER,
  orphans INTEGER, duplicates INTEGER, late INTEGER, progress INTEGER, direction INTEGER,
  exit_code INTEGER,           -- NULL when the child did not exit by itself
  signal INTEGER, killed INTEGER,
  handshake_seq INTEGER, end_seq INTEGER,
  source INTEGER NOT NULL, line INTEGER NOT NULL, offset INTEGER NOT NULL -- of the event with first_seq
);
CREATE UNIQUE INDEX captures_capture ON captures(capture_id);
CREATE INDEX captures_corrupt ON captures(id) WHERE corrupt_at IS NOT NULL;`

// capture is one row of captures.
type capture struct {
	ID                                            int64
	CaptureID, Session, Server, Kind              string
	Recorder, Version, OS, Arch, SaltID           string
	FirstTS, LastTS                               string
	FirstSeq, LastSeq, Events                     int64
	Seqs, LastDigest                              string
	Ended                                         int64
	CorruptAt, Protocol, Lifecycle                string
	ClientCaps, ServerCaps                        string
	ClientOther, ServerOther, Handshakes          int64
	Calls, Failures, Requests                     int64
	Notifications, Unparsed, Annotations          int64
	Gaps                                          int64
	GapOut, GapIn                                 journal.Traffic
	EndEvents                                     int64
	Out, In                                       journal.Traffic
	StrayBefore, StraySession, Orphans            int64
	Duplicates, Late, Progress, Direction         int64
	ExitCode, Signal, Killed, HandshakeAt, EndSeq int64
	Place                                         Place

	seqs       Intervals
	lastDigest journal.Digest
}

// column ties a field to its column; exactly one pointer is set. A negative
// optional number is NULL.
type column struct {
	name string
	n    *int64
	opt  bool
	s    *string
}

func (c column) scan(s *sqlite.Stmt, i int) {
	switch {
	case c.s != nil:
		*c.s = s.ColumnText(i)
	case c.opt && s.ColumnIsNull(i):
		*c.n = -1
	default:
		*c.n = s.ColumnInt64(i)
	}
}

func (c column) bind(s *statement) {
	switch {
	case c.s != nil:
		s.text(*c.s)
	case c.opt:
		s.optInt(*c.n)
	default:
		s.int(*c.n)
	}
}

func num(name string, n *int64) column { return column{name: name, n: n} }
func str(name string, s *string) column {
	return column{name: name, s: s}
}

func (c *capture) columns() []column {
	return []column{
		num("id", &c.ID), str("capture_id", &c.CaptureID), str("session", &c.Session), str("server", &c.Server), str("kind", &c.Kind),
		str("recorder", &c.Recorder), str("version", &c.Version), str("os", &c.OS), str("arch", &c.Arch), str("salt_id", &c.SaltID),
		str("first_ts", &c.FirstTS), str("last_ts", &c.LastTS),
		num("first_seq", &c.FirstSeq), num("last_seq", &c.LastSeq), num("events", &c.Events),
		str("seqs", &c.Seqs), str("last_digest", &c.LastDigest), num("ended", &c.Ended), str("corrupt_at", &c.CorruptAt),
		str("protocol", &c.Protocol), str("lifecycle", &c.Lifecycle),
		str("client_capabilities", &c.ClientCaps), num("client_other", &c.ClientOther),
		str("server_capabilities", &c.ServerCaps), num("server_other", &c.ServerOther), num("handshakes", &c.Handshakes),
		num("calls", &c.Calls), num("failures", &c.Failures), num("requests", &c.Requests),
		num("notifications", &c.Notifications), num("unparsed", &c.Unparsed), num("annotations", &c.Annotations),
		num("gaps", &c.Gaps), num("gap_outbound_frames", &c.GapOut.Frames), num("gap_outbound_bytes", &c.GapOut.Bytes),
		num("gap_inbound_frames", &c.GapIn.Frames), num("gap_inbound_bytes", &c.GapIn.Bytes),
		num("end_events", &c.EndEvents), num("outbound_frames", &c.Out.Frames), num("outbound_bytes", &c.Out.Bytes),
		num("inbound_frames", &c.In.Frames), num("inbound_bytes", &c.In.Bytes),
		num("stray_before", &c.StrayBefore), num("stray_session", &c.StraySession), num("orphans", &c.Orphans),
		num("duplicates", &c.Duplicates), num("late", &c.Late), num("progress", &c.Progress), num("direction", &c.Direction),
		{name: "exit_code", n: &c.ExitCode, opt: true}, num("signal", &c.Signal), num("killed", &c.Killed),
		num("handshake_seq", &c.HandshakeAt), num("end_seq", &c.EndSeq),
		num("source", &c.Place.Source), num("line", &c.Place.Line), num("offset", &c.Place.Offset),
	}
}

// take adds what a new event says. Every field is a sum, a minimum, a maximum,
// or comes from the event with the smallest or largest sequence number, so that
// the order of arrival does not matter.
func (c *capture) take(r *Record) {
	ts := r.Time
	if c.Events == 0 || r.Seq < c.FirstSeq {
		c.FirstSeq, c.Place, c.Kind = r.Seq, r.Place, r.Kind.String()
	}
	if c.Events == 0 || r.Seq > c.LastSeq {
		c.LastSeq, c.lastDigest = r.Seq, r.Digest
	}
	if c.Events == 0 {
		c.CaptureID, c.Session, c.Server = r.Capture.String(), r.Session.String(), r.Server.String()
		c.FirstTS, c.LastTS = ts, ts
	}
	c.FirstTS, c.LastTS = min(c.FirstTS, ts), max(c.LastTS, ts)
	c.Events++
	c.seqs.Add(r.Seq)
	switch b := r.Body.(type) {
	case *journal.CaptureStart:
		c.Recorder, c.Version, c.SaltID = b.Recorder.String(), b.Version.String(), b.SaltID.String()
		c.OS, c.Arch = b.OS.String(), b.Arch.String()
	case *journal.Handshake:
		c.Handshakes++
		if r.Seq >= c.HandshakeAt {
			c.HandshakeAt = r.Seq
			c.Protocol, c.Lifecycle = b.Protocol.String(), b.Lifecycle.String()
			c.ClientCaps, c.ClientOther = capabilities(b.ClientCaps), b.ClientCapsOthers
			c.ServerCaps, c.ServerOther = capabilities(b.ServerCaps), b.ServerCapsOthers
		}
	case *journal.Annotation:
		c.Annotations++
	case *journal.Gap:
		c.Gaps++
		addTraffic(&c.GapOut, b.Outbound)
		addTraffic(&c.GapIn, b.Inbound)
	case *journal.End:
		c.end(r.Seq, b)
	}
}

func (c *capture) end(seq int64, b *journal.End) {
	if c.Ended == 1 && seq < c.EndSeq {
		return
	}
	c.Ended, c.EndSeq, c.EndEvents = 1, seq, b.Events
	c.Out, c.In = b.Outbound, b.Inbound
	c.StrayBefore, c.StraySession, c.Orphans = b.StrayBefore, b.StraySession, b.Orphans
	c.Duplicates, c.Late, c.Progress, c.Direction = b.Duplicates, b.Late, b.Progress, b.Direction
	c.ExitCode, c.Signal, c.Killed = b.ExitCode, b.Signal, 0
	if b.Killed {
		c.Killed = 1
	}
}

// count adds a row of calls, or takes one back.
func (c *capture) count(r *Record, sign int64) {
	row, _ := r.Row()
	switch {
	case row.Request:
		c.Requests += sign
	case row.Outcome == OutcomeNotification:
		c.Notifications += sign
	default:
		c.Unparsed += sign
	}
	if row.ToolCall() {
		c.Calls += sign
		if row.Failed() {
			c.Failures += sign
		}
	}
}

func capabilities(c sanitize.Capabilities) string { return strings.Join(c.Names(), " ") }

func addTraffic(sum *journal.Traffic, t journal.Traffic) {
	sum.Frames += t.Frames
	sum.Bytes += t.Bytes
}
