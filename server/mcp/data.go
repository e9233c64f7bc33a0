package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpeval/mcpeval/projections/query"
	"github.com/mcpeval/mcpeval/server/app"
)

var (
	errFinding = &app.Problem{Err: errors.New("there is no finding with this ID"), Next: "list_findings lists those there are"}

	errAddress = &argumentError{"name the call either by event_id, or by session and seq"}
	errMisfit  = &argumentError{"a value does not fit the input schema"}
)

// dataTasks are the tools that read what is stored, and the one that annotates
// it. What they answer is what the verbs of the same meaning print as JSON.
func (e *Endpoint) dataTasks() map[string]task {
	return map[string]task{
		"list_findings":        e.listFindings,
		"get_finding":          e.getFinding,
		"get_readiness_trends": e.getReadinessTrends,
		"record_annotation":    e.recordAnnotation,
	}
}

func (e *Endpoint) listFindings(ctx context.Context, arguments json.RawMessage, _ func(done, total int)) (*answer, error) {
	var a struct {
		State  string `json:"state"`
		Server string `json:"server"`
	}
	if json.Unmarshal(arguments, &a) != nil {
		return nil, errMisfit
	}
	h, err := e.o.Home()
	if err != nil {
		return nil, err
	}
	list, err := app.Findings(ctx, h, query.FindingFilter{State: a.State, Server: a.Server})
	if err != nil {
		return nil, err
	}
	return encoded(app.EncodeFindings(list))
}

func (e *Endpoint) getFinding(ctx context.Context, arguments json.RawMessage, _ func(done, total int)) (*answer, error) {
	var a struct {
		FindingID string `json:"finding_id"`
	}
	if json.Unmarshal(arguments, &a) != nil {
		return nil, errMisfit
	}
	h, err := e.o.Home()
	if err != nil {
		return nil, err
	}
	finding, err := app.FindingByID(ctx, h, a.FindingID)
	switch {
	case err != nil:
		return nil, err
	case finding == nil:
		return nil, errFinding
	}
	return encoded(app.EncodeFinding(finding))
}

func (e *Endpoint) getReadinessTrends(ctx context.Context, arguments json.RawMessage, _ func(done, total int)) (*answer, error) {
	var a struct {
		Server string `json:"server"`
		Last   int    `json:"last"`
	}
	if json.Unmarshal(arguments, &a) != nil {
		return nil, errMisfit
	}
	h, err := e.o.Home()
	if err != nil {
		return nil, err
	}
	list, err := app.Trends(ctx, h, app.TrendsOptions{Server: a.Server, Last: a.Last})
	if err != nil {
		return nil, err
	}
	return encoded(app.EncodeTrends(list))
}

func (e *Endpoint) recordAnnotation(ctx context.Context, arguments json.RawMessage, _ func(done, total int)) (*answer, error) {
	var a struct {
		EventID *string `json:"event_id"`
		Session *string `json:"session"`
		Seq     *int64  `json:"seq"`
		Kind    string  `json:"kind"`
		Note    string  `json:"note"`
	}
	if json.Unmarshal(arguments, &a) != nil {
		return nil, errMisfit
	}
	if (a.Session == nil) != (a.Seq == nil) || (a.EventID == nil) == (a.Session == nil) {
		return nil, errAddress
	}
	h, err := e.o.Home()
	if err != nil {
		return nil, err
	}
	o := &app.AnnotateOptions{Home: h, Version: e.o.Version, Record: e.o.Record, Kind: a.Kind, Note: a.Note}
	if a.EventID != nil {
		o.Event = *a.EventID
	} else {
		o.Session, o.Seq = *a.Session, *a.Seq
	}
	annotated, err := app.Annotate(ctx, o)
	if err != nil {
		return nil, err
	}
	return encoded(json.MarshalIndent(annotated, "", "  "))
}

func encoded(text []byte, err error) (*answer, error) {
	if err != nil {
		return nil, err
	}
	return &answer{text: text}, nil
}
