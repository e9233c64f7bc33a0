package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/query"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/schemas"
	"github.com/mcpeval/mcpeval/server/app"
)

// validFindings checks a document against the published schema.
func validFindings(t *testing.T, document []byte) {
	t.Helper()
	text, ok := schemas.Get("finding")
	if !ok {
		t.Fatal("there is no schema")
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///finding", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///finding")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, document)
	}
}

// recordOf is a call without identity, of the tool, with further members.
func recordOf(session string, seq int, server, tool, more string) string {
	return fmt.Sprintf(`{"ts":"2025-01-02T03:04:%02dZ","session":%q,"seq":%d,"server":%q,"method":"tools/call","tool":%q,"shim_self_us":1,"kind":"real",%s}`+"\n",
		seq, session, seq, server, tool, more)
}

func writeStore(t *testing.T, h *home.Home, name, text string) {
	t.Helper()
	if err := os.MkdirAll(h.Store(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.Store(), name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// manyFindings fills a home with a finding of each class but stdout-noise, whose
// evidence has no identity, and one whose evidence has.
func manyFindings(t *testing.T) *home.Home {
	h := newHome(t)
	failed := func(code, retryable, template string) string {
		return fmt.Sprintf(`"outcome":"error","error":{"code":%s,"retryable":%s,"template":"{message}","template_id":%q}`, code, retryable, template)
	}
	var calls, notes strings.Builder
	for _, session := range []string{"monday in oslo", "tuesday in oslo"} {
		for i, tool := range []struct{ name, failure, after string }{
			{"recurring", failed(`"E1"`, "false", "0000000000000001"), failed(`"E1"`, "false", "0000000000000001")},
			{"unstable", failed(`"E1"`, "false", "0000000000000002"), failed(`"E2"`, "true", "0000000000000002")},
			{"recovers", failed(`503`, "true", "0000000000000003"), `"outcome":"ok"`},
			{"stays", failed(`503`, "true", "0000000000000004"), failed(`503`, "true", "0000000000000004")},
			{"silent", `"outcome":"ok"`, `"outcome":"ok"`},
			{"blocked", failed(`"E1"`, "false", "0000000000000005"), `"outcome":"ok"`},
		} {
			calls.WriteString(recordOf(session, 2*i+1, "old", tool.name, tool.failure+`,"args":{"path":"str8"}`))
			calls.WriteString(recordOf(session, 2*i+2, "old", tool.name, tool.after))
		}
		for seq, kind := range map[int]journal.AnnotationKind{9: journal.FalseSuccess, 11: journal.BlockedOptimalPath} {
			fmt.Fprintf(&notes, `{"ts":"2025-01-02T04:00:00Z","session":%q,"seq":%d,"kind":%q,"note":"the plans of ann"}`+"\n", session, seq, kind)
		}
	}
	writeStore(t, h, "calls-2025.jsonl", calls.String())
	writeStore(t, h, "annotations-2025.jsonl", notes.String())
	for _, session := range []string{"monday in oslo", "tuesday in oslo"} {
		failing(t, h, session, "new")
	}
	if _, err := refreshAsOf(t, h); err != nil {
		t.Fatal(err)
	}
	return h
}

// refreshAsOf promotes whatever failed in two sessions, old as it is.
func refreshAsOf(t *testing.T, h *home.Home) (*projections.Result, error) {
	t.Helper()
	threshold := 0.0
	return projections.Refresh(t.Context(), h, &projections.Options{Threshold: &threshold, AsOf: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)})
}

// recording records into a home, for a session whose name must not be stored.
func recording(h *home.Home) *app.Recording {
	return &app.Recording{
		Session: "the annotator", Report: func(string) {},
		Open: func() (recorder.Store, error) {
			salt, err := h.Salt()
			return recorder.Store{Dir: h.Store(), Salt: salt}, err
		},
	}
}

func TestFindingsAndTheirDocuments(t *testing.T) {
	h := manyFindings(t)
	list, err := app.Findings(t.Context(), h, query.FindingFilter{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range list {
		got[f.Server+" "+f.Tool] = f.Class
	}
	want := map[string]string{
		"old recurring": query.ClassRecurringError, "old unstable": query.ClassUnstableCode, "old recovers": query.ClassRecoversOnRetry,
		"old stays": query.ClassRetryDidNotRecover, "old silent": query.ClassFalseSuccess, "old blocked": query.ClassBlockedPath,
		"new fetch": query.ClassRecurringError,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	document, err := app.EncodeFindings(list)
	if err != nil {
		t.Fatal(err)
	}
	validFindings(t, document)
	var everything strings.Builder
	everything.Write(document)
	for i := range list {
		f := &list[i]
		one, err := app.EncodeFinding(f)
		if err != nil {
			t.Fatal(err)
		}
		var back query.Finding
		if err := json.Unmarshal(one, &back); err != nil || back.ID != f.ID {
			t.Errorf("%v: %s", err, one)
		}
		byID, err := app.FindingByID(t.Context(), h, f.ID)
		if err != nil || byID == nil {
			t.Fatalf("%s is not found: %v", f.ID, err)
		}
		if diff := cmp.Diff(*f, *byID); diff != "" {
			t.Error(diff)
		}
		text := string(app.FindingMarkdown(f))
		everything.WriteString(text)
		for _, part := range []string{f.ID, f.Tool, f.Server, f.Hint, f.Class} {
			if !strings.Contains(text, part) {
				t.Errorf("the text about %s does not hold %q:\n%s", f.Tool, part, text)
			}
		}
		if noID := strings.Contains(text, "no event ID"); noID != (f.Server == "old") {
			t.Errorf("the text about %s:\n%s", f.Tool, text)
		}
	}
	for _, private := range []string{"oslo", "plans", "session:"} {
		if strings.Contains(everything.String(), private) {
			t.Errorf("an output holds %q", private)
		}
	}
}

func TestFindingsFiltered(t *testing.T) {
	h := manyFindings(t)
	for _, tt := range []struct {
		name   string
		filter query.FindingFilter
		want   int
		input  bool // an *InputError
	}{
		{"all", query.FindingFilter{}, 7, false},
		{"server", query.FindingFilter{Server: "new"}, 1, false},
		{"no such server", query.FindingFilter{Server: "none"}, 0, false},
		{"state", query.FindingFilter{State: query.StateOpen}, 7, false},
		{"none in a state", query.FindingFilter{State: query.StateClosed}, 0, false},
		{"no state", query.FindingFilter{State: "done"}, 0, true},
		{"no label", query.FindingFilter{Server: "a b"}, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := app.Findings(t.Context(), h, tt.filter)
			_, input := errors.AsType[*app.InputError](err)
			if len(list) != tt.want || input != tt.input || (err != nil) != tt.input {
				t.Errorf("%d findings, %v", len(list), err)
			}
		})
	}
	if _, err := app.Trends(t.Context(), h, app.TrendsOptions{Last: -1}); err == nil {
		t.Error("a negative number of runs is accepted")
	}
	if f, err := app.FindingByID(t.Context(), h, "finding-0000000000000000"); f != nil || err != nil {
		t.Errorf("got %v, %v", f, err)
	}
}

// Without an index there is nothing, which is no error; an index that cannot be
// read is one.
func TestFindingsWithoutAnIndex(t *testing.T) {
	h := newHome(t)
	list, err := app.Findings(t.Context(), h, query.FindingFilter{})
	trends, err2 := app.Trends(t.Context(), h, app.TrendsOptions{})
	one, err3 := app.FindingByID(t.Context(), h, "finding-0000000000000000")
	if err := errors.Join(err, err2, err3); err != nil || len(list)+len(trends) > 0 || one != nil {
		t.Fatalf("%v %v %v, %v", list, trends, one, err)
	}
	for name, encoded := range map[string]func() ([]byte, error){
		"findings": func() ([]byte, error) { return app.EncodeFindings(nil) },
		"trends":   func() ([]byte, error) { return app.EncodeTrends(nil) },
	} {
		if b, err := encoded(); err != nil || string(b) != "{\n  \""+name+"\": []\n}\n" {
			t.Errorf("%q, %v", b, err)
		}
	}
	if err := os.WriteFile(h.IndexPath(), bytes.Repeat([]byte("garbage"), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = app.Findings(t.Context(), h, query.FindingFilter{})
	_, err2 = app.Trends(t.Context(), h, app.TrendsOptions{})
	for _, err := range []error{err, err2} {
		if p, ok := errors.AsType[*app.Problem](err); !ok || p.Next == "" {
			t.Errorf("got %v", err)
		}
	}
}

func TestAnnotate(t *testing.T) {
	h := manyFindings(t)
	list, err := app.Findings(t.Context(), h, query.FindingFilter{Server: "new"})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	event := *list[0].Evidence[0]
	writeStore(t, h, "calls-2026.jsonl", strings.Repeat(recordOf("twice", 1, "old", "t", `"outcome":"ok"`), 2)+recordOf("zero", 0, "old", "t", `"outcome":"ok"`))
	for _, tt := range []struct {
		name string
		o    app.AnnotateOptions
		want error // nil is recorded; an error of the text otherwise
	}{
		{"by event", app.AnnotateOptions{Event: event}, nil},
		{"by coordinate", app.AnnotateOptions{Session: "monday in oslo", Seq: 9}, nil},
		{"newer than the index, numbered from 0", app.AnnotateOptions{Session: "zero"}, nil},
		{"unknown event", app.AnnotateOptions{Event: "01a22fae-e47d-72dc-a016-93ffa98d3360"}, app.ErrNoEvent},
		{"unknown coordinate", app.AnnotateOptions{Session: "monday in oslo", Seq: 99}, app.ErrNoCoordinate},
		{"ambiguous", app.AnnotateOptions{Session: "twice", Seq: 1}, app.ErrAmbiguous},
		{"both", app.AnnotateOptions{Event: event, Session: "s", Seq: 1}, errAny},
		{"neither", app.AnnotateOptions{}, errAny},
		{"number alone", app.AnnotateOptions{Seq: 1}, errAny},
		{"negative number", app.AnnotateOptions{Session: "s", Seq: -1}, errAny},
		{"no UUID", app.AnnotateOptions{Event: "urn:uuid:" + event}, errAny},
		{"no such kind", app.AnnotateOptions{Event: event, Kind: "praise"}, errAny},
		{"a long note", app.AnnotateOptions{Event: event, Note: strings.Repeat("é", 241)}, errAny},
		{"a line break", app.AnnotateOptions{Event: event, Note: "a\nb"}, errAny},
		{"a C1 control", app.AnnotateOptions{Event: event, Note: "a\u0085b"}, errAny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, err := journal.Files(h.Store())
			if err != nil {
				t.Fatal(err)
			}
			o := tt.o
			o.Home, o.Version, o.Record = h, "0.1.0", recording(h)
			if o.Kind == "" {
				o.Kind = journal.Workaround.String()
			}
			if o.Note == "" {
				o.Note = strings.Repeat("é", 240)
			}
			a, err := app.Annotate(t.Context(), &o)
			after, listErr := journal.Files(h.Store())
			if listErr != nil {
				t.Fatal(listErr)
			}
			if tt.want == nil {
				if err != nil || !a.Indexed || len(after) != len(before)+1 || (a.Target == nil) != (o.Event == "") {
					t.Fatalf("%+v, %v, %d new logs", a, err, len(after)-len(before))
				}
				c, err := app.FindCapture(t.Context(), h.Store(), a.Capture)
				if err != nil || c.Recorder != journal.RecorderAnnotate || c.Server != a.Server || c.State != app.StateEnded {
					t.Errorf("the capture is %+v, %v", c, err)
				}
				if text := read(t, file(h, c.Path)); bytes.Contains(text, []byte("oslo")) || bytes.Contains(text, []byte("the annotator")) {
					t.Errorf("a raw session is stored: %s", text)
				}
				return
			}
			if _, ok := errors.AsType[*app.InputError](err); !ok || len(after) != len(before) || tt.want != errAny && !errors.Is(err, tt.want) {
				t.Errorf("%v, %d new logs", err, len(after)-len(before))
			}
		})
	}
}

// A journal that cannot be indexed is no place for an event that is not indexed;
// a remark about one that is, is recorded all the same.
func TestAnnotateBesideAContradiction(t *testing.T) {
	h := newHome(t)
	rel := failing(t, h, "monday", "demo")
	if _, err := refreshAsOf(t, h); err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(read(t, file(h, rel)), []byte("\n"))
	var event struct {
		Identity struct {
			EventID string `json:"event_id"`
		} `json:"identity"`
	}
	if err := json.Unmarshal(lines[1], &event); err != nil {
		t.Fatal(err)
	}
	writeStore(t, h, "copy.jsonl", strings.Replace(string(lines[0])+string(lines[1]), `"server":"demo"`, `"server":"other"`, 1))
	o := &app.AnnotateOptions{Home: h, Version: "0.1.0", Record: recording(h), Kind: "workaround", Note: "asked again"}
	o.Event = "01a22fae-e47d-72dc-a016-93ffa98d3360"
	_, err := app.Annotate(t.Context(), o)
	if p, ok := errors.AsType[*app.Problem](err); !ok || !strings.Contains(p.Next, "quarantine") {
		t.Errorf("got %v", err)
	}
	o.Event = event.Identity.EventID
	if a, err := app.Annotate(t.Context(), o); err != nil || a.Indexed {
		t.Errorf("got %+v, %v", a, err)
	}
}

// errAny stands for any refusal in a table.
var errAny = errors.New("any")

func TestExportIssues(t *testing.T) {
	h := manyFindings(t)
	dir := filepath.Join(t.TempDir(), "out", "issues")
	export := func(force bool) (*app.Exported, error) {
		return app.ExportIssues(t.Context(), &app.ExportOptions{Home: h, Dir: dir, Force: force})
	}
	statuses := func(e *app.Exported) (list []string) {
		for _, f := range e.Files {
			list = append(list, f.Status)
		}
		return list
	}
	e, err := export(false)
	if err != nil || !slices.Equal(statuses(e), slices.Repeat([]string{app.ExportCreated}, 7)) {
		t.Fatalf("%+v, %v", e, err)
	}
	names := func() (list []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	if got := names(); len(got) != 7 {
		t.Errorf("the folder holds %v", got)
	}
	if e, err = export(false); err != nil || !slices.Equal(statuses(e), slices.Repeat([]string{app.ExportUnchanged}, 7)) {
		t.Errorf("%+v, %v", e, err)
	}
	// An edit in one file refuses all of them, even those that are missing.
	first, last := filepath.Join(dir, e.Files[0].File), filepath.Join(dir, e.Files[6].File)
	edited := append(read(t, last), "- [ ] mine\n"...)
	if err := errors.Join(os.WriteFile(last, edited, 0o600), os.Remove(first)); err != nil {
		t.Fatal(err)
	}
	_, err = export(false)
	if _, ok := errors.AsType[*app.InputError](err); !ok || !bytes.Equal(read(t, last), edited) || len(names()) != 6 {
		t.Errorf("%v; the folder holds %v", err, names())
	}
	if e, err = export(true); err != nil || e.Files[0].Status != app.ExportCreated || e.Files[6].Status != app.ExportUpdated || len(names()) != 7 {
		t.Errorf("%+v, %v", e, err)
	}
	// The export of another finding is no export of this one.
	if err := os.WriteFile(last, read(t, first), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := export(true); err == nil {
		t.Error("another file was replaced")
	}
}
