package battery

import (
	"context"
	"errors"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// pagination walks tools/list on its own, whatever discovery came to.
type pagination struct{ *manifest.Pagination }

func (p pagination) run(ctx context.Context, e *env) (verdict, error) {
	conn, err := e.common(ctx)
	if err != nil {
		return verdict{}, err
	}
	e.attempts = 1
	names := make(map[string]bool)
	duplicate := false
	w := walk{conn: conn, method: "tools/list", list: "tools", maxPages: p.MaxPages, valid: isTool}
	end, err := w.run(ctx, func(tool rawjson.Value) {
		name := nameOf(tool)
		duplicate = duplicate || names[name]
		names[name] = true
	})
	e.count(report.Pages, w.pages)
	e.count(report.Tools, w.entries)
	facts := conn.Facts()
	switch {
	case err != nil:
		return verdict{}, err
	case end == listInvalid, end == listAbsent && facts.Declares("tools"):
		return because(reason.PaginationInvalidEntry), nil
	case end == listStalled:
		return because(reason.PaginationStalledCursor), nil
	case duplicate:
		return because(reason.PaginationDuplicateTool), nil
	case end == listGoesOn:
		return over(reason.PaginationLimitExceeded, report.MaxPages, p.MaxPages, p.MaxPages+1), nil
	}
	return verdict{}, nil
}

func isTool(v rawjson.Value) bool {
	schema, _ := v.Get("inputSchema")
	return nameOf(v) != "" && schema.Kind() == rawjson.Object
}

// walk reads a list page by page.
type walk struct {
	conn     *client.Conn
	method   string
	list     string
	maxPages int
	valid    func(rawjson.Value) bool

	pages, entries int
}

// listEnd is how a walk ended.
type listEnd uint8

const (
	listEnds    listEnd = iota // after its last page
	listAbsent                 // the server does not know the method
	listInvalid                // a page or an entry is not well formed, or was refused
	listStalled                // a cursor came again
	listGoesOn                 // after the last page that is allowed
)

// run reads the list and shows each valid entry. Its error is a fault.
func (w *walk) run(ctx context.Context, each func(rawjson.Value)) (listEnd, error) {
	seen := make(map[string]bool)
	var cursor rawjson.Value
	for {
		page, err := w.conn.Page(ctx, w.method, w.list, cursor)
		if e, ok := errors.AsType[*client.PageError](err); ok {
			switch {
			case e.Problem == client.PageFailed:
				return listInvalid, err
			case e.Problem == client.PageRefused && w.pages == 0 && e.RPC.Code == codeMethodNotFound:
				return listAbsent, nil
			}
			return listInvalid, nil
		}
		if err != nil {
			return listInvalid, err
		}
		w.pages++
		for _, entry := range page.Entries {
			w.entries++
			if !w.valid(entry) {
				return listInvalid, nil
			}
			each(entry)
		}
		if page.Next.IsZero() {
			return listEnds, nil
		}
		cursor = page.Next
		text, _ := cursor.Text()
		if seen[text] {
			return listStalled, nil
		}
		seen[text] = true
		if w.pages == w.maxPages {
			return listGoesOn, nil
		}
	}
}
