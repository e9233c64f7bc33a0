package projections_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// file is one file of a random journal, as lines with their newlines.
type file struct {
	path  string
	lines [][]byte
}

// randomJournal makes some captures with every type of event, legacy files and
// copies. Equal seeds give equal journals.
func randomJournal(r *rand.Rand, captures, events int) []file {
	g := &ids{n: 1000}
	var files []file
	var known []uuid.UUID
	for i := range captures {
		c := g.capture(fmt.Sprint("session-", r.IntN(3)), fmt.Sprint("server-", r.IntN(2)))
		c.ev.TS = epoch.AddDate(0, 0, r.IntN(3)).Add(-1)
		c.ev.TS = c.ev.TS.Truncate(1e9)
		c.path = journal.CapturePath(epoch.AddDate(0, 0, r.IntN(3)), c.id)
		c.text, c.ev.Seq, c.ev.Prev = nil, 0, journal.Prev{}
		if r.IntN(5) == 0 {
			c.ev.Kind = journal.Synthetic
		}
		f := file{path: c.path}
		add := func(b journal.Body) uuid.UUID {
			id := c.add(g, b)
			f.lines = append(f.lines, append(append([]byte(nil), c.last...), '\n'))
			return id
		}
		add(&journal.CaptureStart{
			Recorder: journal.RecorderShim, Version: label("1.0.0"), OS: label("linux"), Arch: label("amd64"), SaltID: saltID(),
		})
		var open []uuid.UUID
		for range r.IntN(events) {
			switch n := r.IntN(20); {
			case n < 8:
				known = append(known, add(randomCall(r, &open, known)))
			case n < 11:
				open = append(open, add(pending(fmt.Sprint("tool-", r.IntN(3)))))
			case n < 12:
				add(&journal.Notification{Origin: journal.FromServer, Method: sanitize.MethodOf([]byte("notifications/message"))})
			case n < 13:
				add(&journal.Unparsed{Direction: journal.Direction(1 + r.IntN(2))})
			case n < 14:
				add(&journal.Gap{Outbound: journal.Traffic{Frames: 1, Bytes: 10}})
			case n < 15:
				add(&journal.Handshake{Protocol: revision("2025-11-25"), Lifecycle: journal.Stateful})
			case n < 17 && len(known) > 0:
				add(&journal.Annotation{Target: known[r.IntN(len(known))], Label: journal.FalseSuccess, Note: note("looked fine")})
			default:
				add(call(fmt.Sprint("tool-", r.IntN(3)), journal.OutcomeOK))
			}
		}
		if r.IntN(2) == 0 {
			add(&journal.End{ExitCode: int64(r.IntN(3) - 1), Outbound: journal.Traffic{Frames: 3, Bytes: 30}})
		}
		files = append(files, f)
		if r.IntN(3) == 0 { // a copy of the file, or of its first lines
			files = append(files, file{
				path:  fmt.Sprintf("%s-%d.jsonl", []string{"a", "z", "captures/1999-01-01/copy"}[r.IntN(3)], i),
				lines: f.lines[:1+r.IntN(len(f.lines))],
			})
		}
	}
	return append(files, legacyFiles(r)...)
}

func randomCall(r *rand.Rand, open *[]uuid.UUID, known []uuid.UUID) *journal.Call {
	c := call(fmt.Sprint("tool-", r.IntN(3)), journal.Outcome(1+r.IntN(6)))
	if c.LatencyUS >= 0 {
		c.LatencyUS = r.Int64N(5_000_000)
	}
	if len(*open) > 0 && r.IntN(2) == 0 {
		i := r.IntN(len(*open))
		c.Pending = (*open)[i]
		if r.IntN(4) > 0 {
			*open = append((*open)[:i:i], (*open)[i+1:]...)
		}
	}
	if len(known) > 0 && r.IntN(10) == 0 {
		c.LegOf = known[r.IntN(len(known))]
	}
	return c
}

func legacyFiles(r *rand.Rand) []file {
	calls, notes := file{path: "calls-2025.jsonl"}, file{path: "annotations-2025.jsonl"}
	for i := range r.IntN(12) {
		ts := epoch.AddDate(-1, 0, 0).Add(1e9 * 60).Format("2006-01-02T15:04:05Z")
		seq := i
		if r.IntN(8) == 0 {
			seq = r.IntN(12)
		}
		calls.lines = append(calls.lines, fmt.Appendf(nil,
			`{"ts":%q,"session":"old-%d","seq":%d,"server":"old","method":"tools/call","tool":"t","latency_ms":%d,"outcome":%q,"kind":"real"}`+"\n",
			ts, r.IntN(2), seq, r.IntN(900), []string{"ok", "error", "unparsed", "odd"}[r.IntN(4)]))
		if r.IntN(4) == 0 {
			notes.lines = append(notes.lines, fmt.Appendf(nil,
				`{"ts":%q,"session":"old-%d","seq":%d,"kind":"false-success","note":"was wrong"}`+"\n", ts, r.IntN(2), seq))
		}
	}
	return []file{calls, notes}
}

func revision(s string) sanitize.Revision { return sanitize.RevisionOf([]byte(s)) }

func note(s string) sanitize.Note {
	n, _ := sanitize.ParseNote([]byte(s))
	return n
}
