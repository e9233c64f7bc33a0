package standard

import (
	"context"
	"errors"

	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// protocol makes the checks that need no tool and are no case of a manifest.
func (r *run) protocol(ctx context.Context, catalog *battery.Catalog, s *scores) error {
	a, err := r.ask(ctx, client.Request{Method: "mcpeval/no-such-method"})
	if err != nil {
		return err
	}
	s.protocol(report.CheckUnknownMethod, verdictOf(a, reason.UnknownMethodAccepted, a.refusal != nil && a.refusal.Code == codeMethodNotFound))

	if a, err = r.ask(ctx, r.signOfLife()); err != nil {
		return err
	}
	s.protocol(report.CheckLiveness, verdictOf(a, reason.NoSignOfLife, a.response != nil))

	name := "mcpeval_no_such_tool"
	for !catalog.Tool(name).IsZero() {
		name += "_x"
	}
	if a, err = r.ask(ctx, client.Request{Method: "tools/call", Params: []byte(`{"name":"` + name + `","arguments":{}}`)}); err != nil {
		return err
	}
	refused := a.refusal != nil || a.response != nil && a.response.IsToolError()
	s.protocol(report.CheckUnknownTool, verdictOf(a, reason.UnknownToolAccepted, refused))
	return nil
}

// verdictOf is why a check was lost, "" when it was not.
func verdictOf(a answer, lost reason.Label, ok bool) reason.Label {
	switch {
	case ok:
		return ""
	case a.fault != "":
		return a.fault
	}
	return lost
}

// The cases that probes/battery runs for the standard, by the check they decide.
const (
	bogusVersion = "2999-01-01"
	defaultField = "payload"
)

func (r *run) cases(ctx context.Context, s *scores) error {
	head := func(id report.CheckID, kind manifest.Kind) manifest.Head {
		return manifest.Head{ID: string(id), Probe: kind, Access: manifest.ReadOnly}
	}
	list := []manifest.Case{
		&manifest.Pagination{Head: head(report.CheckPagination, manifest.KindPagination), MaxPages: client.DiscoveryPages},
		&manifest.SurfaceListing{Head: head(report.CheckSurfaces, manifest.KindSurfaceListing), MaxPages: client.DiscoveryPages},
		&manifest.ProtocolNegotiation{Head: head(report.CheckNegotiation, manifest.KindProtocolNegotiation), BogusVersion: bogusVersion},
	}
	reliable, why := firstReliable(r.tools)
	if reliable != nil {
		call := manifest.Call{Tool: reliable.name, Arguments: reliable.arguments}
		list = append(list,
			&manifest.Contention{Head: head(report.CheckContention, manifest.KindContention), Call: call},
			&manifest.PayloadBounds{
				Head: head(report.CheckPayload, manifest.KindPayloadBounds), Call: call,
				Field: textField(reliable), SizeBytes: payloadBytes,
			})
	} else {
		s.contention, s.payload = why, why
	}
	m := &manifest.Manifest{Version: manifest.Version, TimeoutMS: int(r.CallTimeout.Milliseconds()), Cases: list}
	server, _ := report.NewLabel("standard") // of a document that nobody sees
	result, err := battery.Run(ctx, &battery.Config{
		Target: r.Target, Manifest: m, Server: server, Version: r.Version,
		Protocol: r.Protocol, StartupTimeout: r.StartupTimeout, Grace: r.Grace, Budget: r.Budget, Clock: r.Clock,
	})
	if _, ok := errors.AsType[*battery.AccessError](err); ok && reliable != nil {
		// The tool says meanwhile that it writes.
		reliable.why = reason.ToolUnannotated
		return r.cases(ctx, s)
	}
	if client.KindOf(err) == client.BudgetExceeded {
		return errExhausted
	}
	if err != nil {
		return err
	}
	for _, one := range result.Document.Cases {
		lost := one.Reason
		switch reason.ClassOf(lost) {
		case reason.NotApplicable:
			lost = ""
		case reason.NotRun:
			lost = reason.TransportClosed // it could be started before
		}
		if lost == reason.EvaluationBudgetExceeded {
			return errExhausted
		}
		switch id := report.CheckID(one.ID.String()); id {
		case report.CheckContention:
			s.contention = lost
		case report.CheckPayload:
			s.payload = lost
		default:
			s.protocol(id, lost)
		}
	}
	r.notes.add(result.Context.Notes)
	return nil
}

// firstReliable is the first tool of the catalog whose calls all succeeded, or why
// there is none. One that was left out before it might have been the first, and
// might have failed: leaving it out must not pay.
func firstReliable(tools []*tool) (*tool, reason.Label) {
	for _, t := range tools {
		switch {
		case t.why == reason.ToolSkipped:
			return nil, reason.ToolSkipped
		case t.why == "" && t.calls.successes == callsPerTool:
			return t, ""
		}
	}
	return nil, reason.NoReliableTool
}

// textField is the first property of a tool's input that is a string, in the
// schema's order.
func textField(t *tool) string {
	input, _ := t.entry.Get("inputSchema")
	properties, _ := input.Get("properties")
	for key, property := range properties.Members() {
		kind, _ := property.Get("type")
		if text, _ := kind.Text(); text == "string" {
			return key.Text()
		}
		for e := range kind.Elements() {
			if text, _ := e.Text(); text == "string" {
				return key.Text()
			}
		}
	}
	return defaultField
}
