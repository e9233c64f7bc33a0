package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/document"
	"github.com/mcpeval/mcpeval/probes/generate"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/query"
	"github.com/mcpeval/mcpeval/recorder"
)

// VerifyOptions are one run of one case on behalf of a finding.
type VerifyOptions struct {
	Home    *home.Home
	Finding string // its ID
	Case    string // the id of a read-only case of the manifest
	Version string // of mcpeval
	Target  client.Target

	// Manifest is the text of the manifest's file.
	Manifest []byte

	// Protocol is client.Auto or a revision; empty is Auto.
	Protocol string
	// StartupTimeout is that of client.Options.
	StartupTimeout time.Duration
	Clock          client.Clock // nil is the system's

	// Wait is how long to wait for the index; see projections.Options.
	Wait time.Duration

	// Record is where the calls and the result are journaled, in the home; it must
	// be given.
	Record *Recording
	// Progress, when set, is told when the case is over.
	Progress func(done, total int)
}

// Verified is what a run says about a finding.
type Verified struct {
	Verified bool
	// Reason is the label of why not; nil when it is.
	Reason *string
	// Lifecycle is where the finding stands now. It is nil when nothing was
	// recorded, since the case was not judged: the finding stands where it stood.
	Lifecycle *query.Lifecycle
	// Report is the report of the one case.
	Report *report.Document

	// Result is what the report came from.
	Result *battery.Result
}

// Verify runs one case for a finding, journals its calls and, when the case was
// judged, the verification, and brings the index up to date with it. Its errors
// are an *InputError, before any tool was called; a *client.Fault when the server
// did not start or the budget ended during the start; a *Problem when the result
// could not be recorded; those of projections.Refresh when it was recorded and is
// not in the index; or the context's cause. A case that was not judged is no
// error: see Verified.
func Verify(ctx context.Context, o *VerifyOptions) (*Verified, error) {
	p, err := o.plan(ctx)
	if err != nil {
		return nil, err
	}
	v, recorded, err := o.run(ctx, p)
	if err != nil || !recorded {
		return v, err
	}
	_, err = projections.Refresh(ctx, o.Home, &projections.Options{Verb: "verify", Wait: o.Wait, KeepPromotion: true, Now: o.Record.Now})
	if err != nil {
		return nil, fmt.Errorf("the verification is recorded, but not in the index: %w", err)
	}
	err = readIndex(ctx, o.Home, func(conn *sqlite.Conn) (err error) {
		v.Lifecycle, err = query.LifecycleOf(conn, o.Finding)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the verification is recorded: %w", err)
	}
	return v, nil
}

// verification is what a run needs and is checked before its server starts.
type verification struct {
	manifest *manifest.Manifest
	one      manifest.Case
	server   report.Label
	version  report.Label
	event    journal.Verification // but for the verdict
}

func (o *VerifyOptions) plan(ctx context.Context) (*verification, error) {
	p := new(verification)
	var err error
	if p.version, err = report.NewLabel(o.Version); err != nil {
		return nil, &InputError{Err: fmt.Errorf("version: %w", err)}
	}
	if p.manifest, err = manifest.Parse(o.Manifest); err != nil {
		return nil, &InputError{Err: manifestError(err), Next: "mcpeval schema manifest prints what a manifest may hold"}
	}
	f, err := promoted(ctx, o.Home, o.Finding)
	if err != nil {
		return nil, err
	}
	if p.server, err = report.NewLabel(f.Server); err != nil {
		return nil, &InputError{Err: errServer}
	}
	// A case's id has a grammar that may be shown.
	if p.one = p.manifest.Find(o.Case); p.one == nil {
		return nil, &InputError{Err: errors.New("the manifest has no case of that id"), Next: "mcpeval generate --finding " + f.ID + " --output FILE --confirm-read-only writes one"}
	}
	if err := generate.Matches(subject(f), p.one); err != nil {
		return nil, refusal(err)
	}
	var ok, ok2 bool
	p.event.Finding, ok = sanitize.ParseFindingID([]byte(f.ID))
	p.event.Case, ok2 = sanitize.ParseLabel([]byte(o.Case))
	if !ok || !ok2 {
		return nil, &InputError{Err: errors.New("the case or the finding has no name that can be recorded")}
	}
	// A run whose result cannot be recorded is of no use.
	store, err := o.Record.Open()
	if err != nil {
		return nil, &Problem{Err: fmt.Errorf("open journal: %w", err), Next: "mcpeval doctor"}
	}
	p.event.Definition, err = definition(sanitize.New(store.Salt), p.manifest, p.one, &o.Target)
	return p, err
}

// definition stands for what was run: the case, the manifest's timeout and the
// target. Green runs count together only when it is the same.
func definition(s *sanitize.Sanitizer, m *manifest.Manifest, one manifest.Case, target *client.Target) (d sanitize.Digest, err error) {
	text, err := json.Marshal(one)
	if err != nil {
		return d, errors.New("the case cannot be encoded")
	}
	parts := [][]byte{text, []byte(strconv.Itoa(m.TimeoutMS))}
	if len(target.Command) > 0 {
		parts = append(parts, []byte("command"))
		for _, word := range target.Command {
			parts = append(parts, []byte(word))
		}
	} else {
		parts = append(parts, []byte("url"), []byte(target.URL))
	}
	return s.Digest("verification", parts...), nil
}

// run runs the case and records what it says. recorded is false when it said
// nothing.
func (o *VerifyOptions) run(ctx context.Context, p *verification) (v *Verified, recorded bool, err error) {
	var complaint string // read once the capture has ended
	record := *o.Record
	record.Report = func(line string) { complaint = line }
	capture, end, err := record.start(journal.RecorderVerify, p.server.String(), o.Version)
	if err != nil {
		return nil, false, err
	}
	result, err := battery.Run(ctx, &battery.Config{
		Target: o.Target, Manifest: p.manifest, Cases: []manifest.Case{p.one},
		Server: p.server, Version: p.version,
		Protocol: o.Protocol, StartupTimeout: o.StartupTimeout, Clock: o.Clock,
		Journal: &watcher{capture: capture, over: func() {
			if o.Progress != nil {
				o.Progress(1, 1)
			}
		}},
	})
	var id uuid.UUID
	if err == nil && result.Start != nil {
		err = result.Start
	}
	if err == nil {
		v = newVerified(result)
		if recorded = judged(result); recorded {
			id = p.add(capture, &record, v)
		}
	}
	end()
	switch {
	case recorded && (complaint != "" || id == uuid.Nil):
		if complaint == "" {
			complaint = "not recording"
		}
		return nil, false, &Problem{Err: fmt.Errorf("record verification: %s", strings.TrimPrefix(complaint, "mcpeval: ")), Next: "mcpeval doctor"}
	case complaint != "" && o.Record.Report != nil:
		o.Record.Report(complaint)
	}
	if _, ok := errors.AsType[*battery.AccessError](err); ok {
		err = &InputError{Err: err, Next: "a finding of a tool that may write is not verified by calling it"}
	}
	return v, recorded, err
}

// judged reports whether the one case has a verdict. One that was broken off, or
// that did not apply, says nothing about a finding.
func judged(result *battery.Result) bool {
	c := result.Document.Cases[0]
	return !result.Outcome.Incomplete && (c.Passed == report.Pass || c.Passed == report.Fail)
}

func newVerified(result *battery.Result) *Verified {
	v := &Verified{Verified: result.Outcome.Passed, Report: result.Document, Result: result}
	if label := string(result.Document.Cases[0].Reason); label != "" {
		v.Reason = &label
	}
	return v
}

// add journals the verdict.
func (p *verification) add(capture *recorder.Capture, record *Recording, v *Verified) uuid.UUID {
	event := p.event
	event.Passed = v.Verified
	if v.Reason != nil {
		label, ok := sanitize.ParseLabel([]byte(*v.Reason))
		if !ok {
			return uuid.Nil // reasons are labels
		}
		event.Reason = label
	}
	now := record.Now
	if now == nil {
		now = time.Now
	}
	return capture.Add(now(), &event)
}

// verifiedDocument is the JSON of a Verified.
type verifiedDocument struct {
	Verified  bool             `json:"verified"`
	Reason    *string          `json:"reason"`
	Lifecycle *query.Lifecycle `json:"lifecycle"`
	Report    json.RawMessage  `json:"report"`
}

// EncodeVerified gives the document that verify --format json prints and
// verify_finding answers, byte for byte.
func EncodeVerified(v *Verified) ([]byte, error) {
	text, err := v.Report.Encode()
	if err != nil {
		return nil, err
	}
	return document.Encode(verifiedDocument{v.Verified, v.Reason, v.Lifecycle, text})
}
