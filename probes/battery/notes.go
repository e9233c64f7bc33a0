package battery

import (
	"slices"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/report"
)

// notes are what a run passed over, for the text report.
type notes struct {
	stray, unsolicited, declined int64
	patterns, reconnects, ended  int64
	respawned, empty, redirect   bool
}

// conn adds what was seen on a connection that is over.
func (n *notes) conn(f client.Facts, c client.Counts) {
	n.stray += int64(c.BannerLines + c.OtherJSON)
	n.declined += int64(c.Declined)
	for method, count := range c.Notifications {
		switch method {
		case "notifications/resources/updated", "notifications/subscriptions/acknowledged":
			// asked for by the case that subscribes
		default:
			n.unsolicited += int64(count)
		}
	}
	n.respawned = n.respawned || slices.Contains(f.Notes, client.NoteRespawnedExit) || slices.Contains(f.Notes, client.NoteRespawnedSilent)
	n.empty = n.empty || slices.Contains(f.Notes, client.NoteEmptyCursor)
}

// fault adds a fault that ended a connection.
func (n *notes) fault(f *client.Fault) {
	n.redirect = n.redirect || f.Detail == client.RedirectRefused
	switch f.Kind {
	case client.BudgetExceeded, client.ServerNotStarted:
	default:
		n.reconnects++
	}
	if f.Detail == client.ServerExited || f.Detail == client.ServerClosed {
		n.ended++
	}
}

func (n *notes) list(r *Result) []report.Note {
	var list []report.Note
	add := func(kind report.NoteKind, count int64, when bool) {
		if when || count > 0 {
			list = append(list, report.Note{Kind: kind, Count: count})
		}
	}
	add(report.NoteRespawned, 0, n.respawned)
	add(report.NoteStrayLines, n.stray, false)
	add(report.NoteUnsolicited, n.unsolicited, false)
	add(report.NoteReconnects, n.reconnects, false)
	add(report.NoteDeclined, n.declined, false)
	add(report.NoteRedirect, 0, n.redirect || r.Start != nil && r.Start.Detail == client.RedirectRefused)
	add(report.NotePatterns, n.patterns, false)
	add(report.NoteEmptyCursor, 0, n.empty)
	add(report.NoteServerEndedItself, n.ended, false)
	add(report.NoteAllowEmpty, 0, r.Outcome.Empty && r.Outcome.Passed)
	return list
}
