package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
	"github.com/mcpeval/mcpeval/server/app"
)

type callsOptions struct {
	std    *IO
	filter query.Filter
	list   bool
	limit  int
	format string
}

func callsCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  "calls",
		Usage: "count the indexed calls by server, tool and outcome, or list them",
		Description: "Every request, notification and unparsed frame of the index is a row; those without a tool have none. " +
			"Outcomes: " + strings.Join(outcomes(), ", ") + ".",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "server", Usage: "only those of `LABEL`"},
			&urfave.StringFlag{Name: "tool", Usage: "only those of the tool `NAME`"},
			&urfave.StringFlag{Name: "outcome", Usage: "only those with `OUTCOME`"},
			&urfave.BoolFlag{Name: "list", Usage: "list the newest one by one instead of counting"},
			&urfave.IntFlag{Name: "limit", Usage: "at most `N` rows; all groups, or 50 of the list, when absent"},
			formatFlag(),
		},
		Action: func(c *urfave.Context) error {
			f, err := format(c, "calls")
			if err != nil {
				return err
			}
			if err := noArgs(c, "calls"); err != nil {
				return err
			}
			o := &callsOptions{
				std:    std,
				filter: query.Filter{Server: c.String("server"), Tool: c.String("tool"), Outcome: c.String("outcome")},
				list:   c.Bool("list"), limit: c.Int("limit"), format: f,
			}
			switch {
			case o.filter.Outcome != "" && !slices.Contains(outcomes(), o.filter.Outcome):
				return usagef("calls", "--outcome takes one of %s", strings.Join(outcomes(), ", "))
			case c.IsSet("limit") && o.limit < 1:
				return usagef("calls", "--limit takes a number from 1 on")
			case !c.IsSet("limit") && o.list:
				o.limit = 50
			}
			return runCalls(c.Context, o)
		},
	}
}

// outcomes are all values of the index's column outcome.
func outcomes() []string {
	var names []string
	for o := journal.OutcomeOK; o <= journal.OutcomeUnknown; o++ {
		names = append(names, o.String())
	}
	return append(names, index.OutcomeNotification, index.OutcomeUnparsed)
}

func runCalls(ctx context.Context, o *callsOptions) error {
	h, err := o.std.home()
	if err != nil {
		return err
	}
	if o.list {
		return listCalls(ctx, o, h)
	}
	var groups []query.Group
	err = readIndex(ctx, h, func(conn *sqlite.Conn) (err error) {
		groups, err = query.Groups(conn, o.filter)
		return err
	})
	if err != nil {
		return err
	}
	if o.limit > 0 {
		groups = groups[:min(len(groups), o.limit)]
	}
	if o.format == formatJSON {
		return writeJSON(o.std.Out, struct {
			Calls []query.Group `json:"calls"`
		}{groups})
	}
	t := &table{header: []string{"SERVER", "TOOL", "OUTCOME", "COUNT"}, right: map[int]bool{3: true}}
	for _, g := range groups {
		t.add(g.Server, orDash(g.Tool), g.Outcome, fmt.Sprint(g.Count))
	}
	return t.write(o.std)
}

// readIndex runs f over one snapshot of the index and says what to do when
// there is none.
func readIndex(ctx context.Context, h *home.Home, f func(*sqlite.Conn) error) error {
	err := index.Read(ctx, h.IndexPath(), f)
	switch {
	case errors.Is(err, index.ErrNone):
		return &app.Problem{Err: err, Next: "mcpeval index"}
	case errors.Is(err, index.ErrUnreadable):
		return &app.Problem{Err: fmt.Errorf("read index: %w", err), Next: "mcpeval index --rebuild"}
	case err != nil:
		return homeProblem(fmt.Errorf("read index: %w", err))
	}
	return nil
}

// callRow is a row of calls in JSON: every field is always there.
type callRow struct {
	EventID       *string `json:"event_id"`
	CaptureID     *string `json:"capture_id"`
	OperationID   *string `json:"operation_id"`
	TS            string  `json:"ts"`
	Session       string  `json:"session"`
	Seq           int64   `json:"seq"`
	Server        string  `json:"server"`
	Origin        string  `json:"origin"`
	Method        string  `json:"method"`
	Tool          *string `json:"tool"`
	LatencyMS     *int64  `json:"latency_ms"`
	LatencyUS     *int64  `json:"latency_us"`
	Outcome       string  `json:"outcome"`
	Cancelled     bool    `json:"cancelled"`
	Task          bool    `json:"task"`
	ErrCode       *string `json:"err_code"`
	ErrTemplateID *string `json:"err_template_id"`
	ErrRetryable  *bool   `json:"err_retryable"`
	Args          *string `json:"args"`
	RequestBytes  *int64  `json:"request_bytes"`
	ResponseBytes *int64  `json:"response_bytes"`
	ShimSelfUS    *int64  `json:"shim_self_us"`
	Kind          string  `json:"kind"`
	File          string  `json:"file"`
	Line          int64   `json:"line"`
}

func rowOf(c query.Call) callRow {
	row := callRow{
		EventID: orNull(c.EventID), CaptureID: orNull(c.CaptureID), OperationID: orNull(c.OperationID),
		TS: c.TS, Session: c.Session, Seq: c.Seq, Server: c.Server, Origin: c.Origin, Method: c.Method, Tool: orNull(c.Tool),
		LatencyMS: c.LatencyMS, LatencyUS: c.LatencyUS, Outcome: c.Outcome, Cancelled: c.Cancelled, Task: c.Task,
		ErrCode: orNull(c.ErrCode), ErrTemplateID: orNull(c.ErrTemplateID), Args: orNull(c.Args),
		RequestBytes: c.RequestBytes, ResponseBytes: c.ResponseBytes, ShimSelfUS: c.ShimSelfUS,
		Kind: c.Kind, File: c.File, Line: c.Line,
	}
	if c.ErrRetryable != nil {
		row.ErrRetryable = ptr(*c.ErrRetryable != 0)
	}
	return row
}

func listCalls(ctx context.Context, o *callsOptions, h *home.Home) error {
	var calls []query.Call
	err := readIndex(ctx, h, func(conn *sqlite.Conn) (err error) {
		calls, err = query.Calls(conn, o.filter, o.limit)
		return err
	})
	if err != nil {
		return err
	}
	if o.format == formatJSON {
		rows := []callRow{}
		for _, c := range calls {
			rows = append(rows, rowOf(c))
		}
		return writeJSON(o.std.Out, struct {
			Calls []callRow `json:"calls"`
		}{rows})
	}
	t := &table{header: []string{"TIME", "SERVER", "METHOD", "TOOL", "OUTCOME", "MS", "CODE", "EVENT"}, right: map[int]bool{5: true}}
	for _, c := range calls {
		latency := "-"
		switch {
		case c.LatencyUS != nil:
			latency = fmt.Sprintf("%.1f", float64(*c.LatencyUS)/1000)
		case c.LatencyMS != nil:
			latency = fmt.Sprint(*c.LatencyMS)
		}
		t.add(c.TS, c.Server, c.Method, orDash(c.Tool), c.Outcome, latency, orDash(c.ErrCode), orDash(c.EventID))
	}
	return t.write(o.std)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
