package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/server/app"
)

// What the evaluation tools never do.
var (
	errMutating = errors.New("manifest: sandboxes and mutating cases are not run here: a person runs them, with mcpeval probe --allow-mutation")
	errRemote   = errors.New("url: only a server on this machine is evaluated here: a person evaluates others, with mcpeval probe --allow-remote-http")
)

// evaluationTasks are the tools that start processes.
func (e *Endpoint) evaluationTasks() map[string]task {
	return map[string]task{
		"run_probe":      e.runProbe,
		"scaffold":       e.scaffold,
		"score":          e.score,
		"verify_finding": e.verifyFinding,
	}
}

func (e *Endpoint) runProbe(ctx context.Context, arguments json.RawMessage, progress func(done, total int)) (*answer, error) {
	var a struct {
		target
		Manifest json.RawMessage `json:"manifest"`
	}
	server, err := parseTarget(arguments, &a, &a.target)
	if err != nil {
		return nil, err
	}
	if err := readOnly(a.Manifest); err != nil {
		return nil, err
	}
	probed, err := app.Probe(ctx, &app.ProbeOptions{
		Server: a.label(), Version: e.o.Version, Target: server,
		Manifest: a.Manifest, Standard: &app.StandardOptions{}, Record: e.o.Record, Progress: progress,
	})
	if err != nil {
		return nil, err
	}
	text, err := probed.Document.Encode()
	if err != nil {
		return nil, err
	}
	return &answer{text: text}, nil
}

func (e *Endpoint) scaffold(ctx context.Context, arguments json.RawMessage, progress func(done, total int)) (*answer, error) {
	var a struct {
		target
		ConfirmReadOnly bool `json:"confirm_read_only"`
	}
	server, err := parseTarget(arguments, &a, &a.target)
	if err != nil {
		return nil, err
	}
	result, err := app.Scaffold(ctx, &app.ScaffoldOptions{
		Server: a.label(), Version: e.o.Version, Target: server,
		ConfirmReadOnly: a.ConfirmReadOnly, Progress: progress,
	})
	if err != nil {
		return nil, err
	}
	text, err := result.Manifest.Encode()
	if err != nil {
		return nil, err
	}
	return &answer{text: text}, nil
}

// score answers with a summary beside the report. That a server could not be
// measured is its answer too.
func (e *Endpoint) score(ctx context.Context, arguments json.RawMessage, progress func(done, total int)) (*answer, error) {
	var a struct {
		target
		ConfirmReadOnly bool     `json:"confirm_read_only"`
		SkipTools       []string `json:"skip_tools"`
	}
	server, err := parseTarget(arguments, &a, &a.target)
	if err != nil {
		return nil, err
	}
	scored, err := app.Score(ctx, &app.ScoreOptions{
		Server: a.label(), Version: e.o.Version, Target: server,
		StandardOptions: app.StandardOptions{ConfirmReadOnly: a.ConfirmReadOnly, Skip: a.SkipTools},
		Record:          e.o.Record, Progress: progress,
	})
	if err != nil {
		return nil, err
	}
	text, err := scored.Document.Text(&report.Options{Context: scored.Context})
	if err != nil {
		return nil, err
	}
	structured, err := scored.Document.Encode()
	if err != nil {
		return nil, err
	}
	return &answer{text: text, structured: structured}, nil
}

func (e *Endpoint) verifyFinding(ctx context.Context, arguments json.RawMessage, progress func(done, total int)) (*answer, error) {
	var a struct {
		target
		FindingID string          `json:"finding_id"`
		CaseID    string          `json:"case_id"`
		Manifest  json.RawMessage `json:"manifest"`
	}
	server, err := parseTarget(arguments, &a, &a.target)
	if err != nil {
		return nil, err
	}
	if err := readOnly(a.Manifest); err != nil {
		return nil, err
	}
	h, err := e.o.Home()
	if err != nil {
		return nil, err
	}
	verified, err := app.Verify(ctx, &app.VerifyOptions{
		Home: h, Finding: a.FindingID, Case: a.CaseID, Version: e.o.Version, Target: server,
		Manifest: a.Manifest, Record: e.o.Record, Progress: progress,
	})
	if err != nil {
		return nil, err
	}
	return encoded(app.EncodeVerified(verified))
}

// parseTarget reads arguments that fit their schema into a, of which t is a part.
func parseTarget(arguments json.RawMessage, a any, t *target) (server client.Target, err error) {
	if err := json.Unmarshal(arguments, a); err != nil {
		return server, errMisfit
	}
	return t.client()
}

// readOnly refuses a manifest that would write. Other mistakes are told by who
// runs it.
func readOnly(text []byte) error {
	m, err := manifest.Parse(text)
	if err != nil {
		return err // it says what is wrong and where, and quotes nothing
	}
	if len(m.Sandboxes) > 0 || len(m.Refusals(m.Cases, false)) > 0 {
		return errMutating
	}
	return nil
}
