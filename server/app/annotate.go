package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/query"
	"github.com/mcpeval/mcpeval/recorder"
)

// AnnotationKinds are the kinds an annotation can have.
func AnnotationKinds() []string {
	var names []string
	for k := journal.BlockedOptimalPath; k <= journal.Workaround; k++ {
		names = append(names, k.String())
	}
	return names
}

// AnnotateOptions are one remark about one call. The call is named by Event, or,
// for a record without identity, by Session and Seq.
type AnnotateOptions struct {
	Home    *home.Home
	Version string // of mcpeval
	// Record is where the remark is journaled; it must be given.
	Record *Recording

	Event   string // the ID of the call's event
	Session string // as MCPEVAL_SESSION had it, or as session:<sha256>; hashed before anything is stored
	Seq     int64  // from 0 on

	Kind string // one of AnnotationKinds
	Note string // 1 to 240 characters, none of them a control character
}

// Annotated says what was recorded, without the note and without the session.
type Annotated struct {
	EventID string  `json:"event_id"` // of the annotation
	Capture string  `json:"capture_id"`
	Target  *string `json:"target"` // the annotated event; null for a record without identity
	Seq     int64   `json:"seq"`    // of the annotated event
	Server  string  `json:"server"`
	Tool    *string `json:"tool"` // null for a call of no tool
	Kind    string  `json:"kind"`
	// Indexed is false when the remark is journaled, and the index could not be
	// brought up to date with it.
	Indexed bool `json:"indexed"`
}

// Refusals of Annotate, each in an *InputError.
var (
	ErrNoEvent        = errors.New("no call in the index has this event ID")
	ErrNoCoordinate   = errors.New("no record without identity has this session and sequence number: a call that has an event ID is named by it")
	ErrAmbiguous      = errors.New("more than one record has this session and sequence number: which one is meant cannot be told")
	errAddress        = errors.New("name the call either by its event ID, or by session and sequence number")
	errAnnotateServer = errors.New("the annotated call's server has no label")
)

// remark is an annotation whose parts are checked.
type remark struct {
	event   uuid.UUID
	session sanitize.Session
	seq     int64
	kind    journal.AnnotationKind
	note    sanitize.Note
}

// Annotate records a remark about a call, as a capture of its own, and brings
// the index up to date with it. An *InputError refuses it before anything was
// recorded; a *Problem says that there is no index to find the call in, or that
// it could not be recorded.
func Annotate(ctx context.Context, o *AnnotateOptions) (*Annotated, error) {
	r, err := o.check()
	if err != nil {
		return nil, err
	}
	call, err := r.find(ctx, o.Home)
	if errors.Is(err, ErrNoEvent) || errors.Is(err, ErrNoCoordinate) {
		// It may be newer than the index.
		if _, err := projections.Refresh(ctx, o.Home, o.refresh()); err != nil {
			return nil, indexProblem(err)
		}
		call, err = r.find(ctx, o.Home)
	}
	if err != nil {
		return nil, err
	}
	a, err := o.record(r, call)
	if err != nil {
		return nil, err
	}
	_, err = projections.Refresh(ctx, o.Home, o.refresh())
	a.Indexed = err == nil
	return a, nil
}

// indexProblem says what to do about a cycle that failed.
func indexProblem(err error) error {
	if conflict, ok := errors.AsType[*projections.ConflictError](err); ok {
		return &Problem{Err: fmt.Errorf("the journal contradicts itself: %w", err), Next: conflict.Next()}
	}
	if _, ok := errors.AsType[*home.LockedError](err); ok {
		return &Problem{Err: err, Next: "try again later"}
	}
	return fmt.Errorf("index journal: %w", err)
}

func (o *AnnotateOptions) refresh() *projections.Options {
	return &projections.Options{Verb: "annotate", KeepPromotion: true, Now: o.Record.Now}
}

func (o *AnnotateOptions) check() (*remark, error) {
	r := new(remark)
	var ok bool
	if r.kind, ok = journal.ParseAnnotationKind(o.Kind); !ok {
		return nil, &InputError{Err: fmt.Errorf("a kind is one of %s", strings.Join(AnnotationKinds(), ", "))}
	}
	var err error
	if r.note, err = sanitize.NewNote(o.Note); err != nil {
		return nil, &InputError{Err: err}
	}
	byEvent, byCoordinate := o.Event != "", o.Session != "" || o.Seq != 0
	switch {
	case byEvent == byCoordinate, byCoordinate && o.Session == "":
		return nil, &InputError{Err: errAddress}
	case byCoordinate && o.Seq < 0:
		return nil, &InputError{Err: errors.New("a sequence number is not negative")}
	case byCoordinate:
		r.session, r.seq = sanitize.SessionOf(o.Session), o.Seq
		return r, nil
	}
	if r.event, err = uuid.Parse(o.Event); err != nil || r.event == uuid.Nil || len(o.Event) != len(r.event.String()) {
		return nil, &InputError{Err: errors.New("an event ID is a UUID"), Next: "mcpeval calls --list shows the IDs"}
	}
	return r, nil
}

// find is the one call that a remark is about.
func (r *remark) find(ctx context.Context, h *home.Home) (*query.Address, error) {
	var found *query.Address
	err := readIndex(ctx, h, func(conn *sqlite.Conn) (err error) {
		if r.event != uuid.Nil {
			if found, err = query.CallByEvent(conn, r.event.String()); err == nil && (found == nil || !found.Request()) {
				err = ErrNoEvent
			}
			return err
		}
		list, err := query.CallsAt(conn, r.session.String(), r.seq)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return ErrNoCoordinate
		case len(list) > 1:
			return ErrAmbiguous
		}
		found = &list[0]
		return nil
	})
	for _, refusal := range []error{ErrNoEvent, ErrNoCoordinate, ErrAmbiguous} {
		if errors.Is(err, refusal) {
			return nil, &InputError{Err: refusal, Next: "mcpeval calls --list shows the calls"}
		}
	}
	return found, err
}

// record journals a remark.
func (o *AnnotateOptions) record(r *remark, call *query.Address) (*Annotated, error) {
	server, err := sanitize.NewLabel(call.Server)
	if err != nil {
		return nil, &InputError{Err: errAnnotateServer}
	}
	stamp, err := sanitize.NewLabel(o.Version)
	if err != nil {
		return nil, &InputError{Err: fmt.Errorf("version: %w", err)}
	}
	now := o.Record.Now
	if now == nil {
		now = time.Now
	}
	var complaint string
	capture := recorder.NewCapture(&recorder.CaptureOptions{
		Open: o.Record.Open, Report: func(line string) { complaint = line }, Session: o.Record.Session,
		Server: server, Version: stamp, Recorder: journal.RecorderAnnotate, Kind: journal.Real, SyncAlways: true, Now: now,
	})
	id := capture.Add(now(), &journal.Annotation{Target: r.event, LegacySess: r.session, LegacySeq: r.seq, Label: r.kind, Note: r.note})
	capture.End(now(), recorder.NoExit)
	if complaint != "" || id == uuid.Nil {
		if complaint == "" {
			complaint = "not recording"
		}
		return nil, &Problem{Err: fmt.Errorf("record annotation: %s", strings.TrimPrefix(complaint, "mcpeval: ")), Next: "mcpeval doctor"}
	}
	a := &Annotated{EventID: id.String(), Capture: capture.ID().String(), Seq: call.Seq, Server: call.Server, Kind: r.kind.String()}
	if call.EventID != "" {
		a.Target = &call.EventID
	}
	if call.Tool != "" {
		a.Tool = &call.Tool
	}
	return a, nil
}
