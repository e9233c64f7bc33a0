package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/generate"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/server/app"
)

// homeOfFindings has get_weather failing and list_cities annotated as a false
// success, each in two sessions. It returns their findings.
func homeOfFindings(t *testing.T) (h *home.Home, failing, silent string) {
	t.Helper()
	h = newHome(t)
	var calls, remarks strings.Builder
	for _, session := range []string{"one", "two"} {
		const line = `{"ts":"2025-01-01T00:00:0%dZ","session":%q,"seq":%d,"server":"demo","method":"tools/call","tool":%q,"args":{},"outcome":%q%s,"kind":"real"}` + "\n"
		fmt.Fprintf(&calls, line, 1, session, 1, "get_weather", "error", `,"error":{"code":"E_DOWN","template":"{message}","template_id":"0123456789abcdef"}`)
		fmt.Fprintf(&calls, line, 2, session, 2, "list_cities", "ok", "")
		fmt.Fprintf(&remarks, `{"ts":"2025-01-01T00:01:00Z","session":%q,"seq":2,"kind":"false-success","note":"a city is missing"}`+"\n", session)
	}
	for name, text := range map[string]string{"calls-2025.jsonl": calls.String(), "annotations-2025.jsonl": remarks.String()} {
		if err := errors.Join(os.MkdirAll(h.Store(), 0o700), os.WriteFile(filepath.Join(h.Store(), name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	threshold := 0.0001
	at := time.Date(2025, 1, 2, 0, 0, 0, 0, time.UTC)
	if _, err := projections.Refresh(t.Context(), h, &projections.Options{Threshold: &threshold, AsOf: at}); err != nil {
		t.Fatal(err)
	}
	list, err := app.Findings(t.Context(), h, query.FindingFilter{})
	if err != nil || len(list) != 2 {
		t.Fatalf("findings %+v, %v", list, err)
	}
	for _, f := range list {
		if f.Tool == "get_weather" {
			failing = f.ID
		} else {
			silent = f.ID
		}
	}
	return h, failing, silent
}

const verifyCases = `{"version":1,"probes":[
	{"id":"weather","probe":"degradation-over-n","access":"read_only","tool":"get_weather","arguments":{"city":"oslo"},"max_attempts":3},
	{"id":"cities","probe":"degradation-over-n","access":"read_only","tool":"list_cities","arguments":{},"max_attempts":3},
	{"id":"cities-say","probe":"instruction-fidelity","access":"read_only","tool":"list_cities","arguments":{},
		"expect":{"outcome":"ok","equals_paths":{"/cities/2":"oslo"}}},
	{"id":"cities-lie","probe":"instruction-fidelity","access":"read_only","tool":"list_cities","arguments":{},
		"expect":{"outcome":"ok","equals_paths":{"/cities/2":"madrid"}}}]}`

func verifyOptions(t *testing.T, h *home.Home, target client.Target, finding, id string) *app.VerifyOptions {
	return &app.VerifyOptions{
		Home: h, Finding: finding, Case: id, Version: "0.1.0", Target: target, Manifest: []byte(verifyCases), Record: recordingIn(t, h),
	}
}

// verifications are what the index has of a finding.
func verifications(t *testing.T, h *home.Home, finding string) (n int64) {
	t.Helper()
	if _, err := projections.Refresh(t.Context(), h, &projections.Options{KeepPromotion: true}); err != nil {
		t.Fatal(err)
	}
	err := index.Read(t.Context(), h.IndexPath(), func(conn *sqlite.Conn) error {
		s, _, err := conn.PrepareTransient(`SELECT count(*) FROM verifications WHERE finding_id = ?`)
		if err != nil {
			return err
		}
		defer s.Finalize()
		s.BindText(1, finding)
		_, err = s.Step()
		n = s.ColumnInt64(0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestVerify(t *testing.T) {
	h, failing, silent := homeOfFindings(t)
	good, called := serve(t, &demo.Options{})
	bad, _ := serve(t, &demo.Options{Broken: "tool-fails"})
	steps := []struct {
		name    string
		target  client.Target
		finding string
		id      string
		want    query.Lifecycle
		reason  string
	}{
		{"red", bad, failing, "weather", query.Lifecycle{State: "fix-claimed"}, "unexpected-outcome"},
		{"green", good, failing, "weather", query.Lifecycle{State: "verifying", ConsecutivePasses: 1}, ""},
		{"green again", good, failing, "weather", query.Lifecycle{State: "verifying", ConsecutivePasses: 2}, ""},
		{"another finding", good, silent, "cities-lie", query.Lifecycle{State: "fix-claimed"}, "value-mismatch"},
		{"closed", good, failing, "weather", query.Lifecycle{State: "closed", ConsecutivePasses: 3}, ""},
		{"asserted", good, silent, "cities-say", query.Lifecycle{State: "verifying", ConsecutivePasses: 1}, ""},
	}
	for _, s := range steps {
		t.Run(s.name, func(t *testing.T) {
			v, err := app.Verify(t.Context(), verifyOptions(t, h, s.target, s.finding, s.id))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&s.want, v.Lifecycle); diff != "" {
				t.Error(diff)
			}
			if v.Verified != (s.reason == "") || (v.Reason == nil) != v.Verified || v.Reason != nil && *v.Reason != s.reason {
				t.Errorf("verified %v, reason %v", v.Verified, v.Reason)
			}
			if len(v.Report.Cases) != 1 || v.Report.Cases[0].ID.String() != s.id || v.Report.Server.String() != "demo" {
				t.Errorf("report of %+v", v.Report.Cases)
			}
		})
	}
	if len(*called) != 3*3+2 {
		t.Errorf("called %v", *called)
	}
	if n := verifications(t, h, failing); n != 4 {
		t.Errorf("%d verifications", n)
	}
}

func TestEncodeVerified(t *testing.T) {
	h, failing, _ := homeOfFindings(t)
	target, _ := serve(t, &demo.Options{})
	v, err := app.Verify(t.Context(), verifyOptions(t, h, target, failing, "weather"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := app.EncodeVerified(v)
	if err != nil {
		t.Fatal(err)
	}
	var d map[string]json.RawMessage
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	own, err := v.Report.Encode()
	if err != nil {
		t.Fatal(err)
	}
	var of, alone any
	if err := errors.Join(json.Unmarshal(d["report"], &of), json.Unmarshal(own, &alone)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(alone, of); diff != "" || len(d) != 4 || string(d["reason"]) != "null" {
		t.Errorf("%s\n%s", text, diff)
	}
}

// leap is a clock that a test moves far ahead.
type leap struct {
	client.SystemClock
	ahead *atomic.Bool
}

func (c leap) Now() time.Time {
	now := c.SystemClock.Now()
	if c.ahead.Load() {
		now = now.Add(time.Hour)
	}
	return now
}

// What broke off says nothing about a finding, however far it came.
func TestVerifyRecordsNothing(t *testing.T) {
	tests := []struct {
		name   string
		broken string
		leap   func(demo.Received) bool // when the budget's time is over
		down   bool                     // there is no server
		fault  client.FaultKind         // of the error, "" for a report with a reason
		reason string
	}{
		{name: "transport fault", broken: "exit-at-call", reason: "transport-closed"},
		{name: "broken discovery", broken: "page-two-fails", reason: "transport-error"},
		{name: "startup failure", down: true, fault: client.ServerNotStarted},
		{name: "budget during the case", leap: func(r demo.Received) bool { return r.Tool != "" }, reason: "evaluation-budget-exceeded"},
		{name: "budget before the case", leap: func(r demo.Received) bool { return r.Method == "tools/list" }, reason: "evaluation-budget-exceeded"},
		{name: "budget during the start", leap: func(r demo.Received) bool { return r.Method == "initialize" }, fault: client.BudgetExceeded},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, failing, _ := homeOfFindings(t)
			var ahead atomic.Bool
			server, err := demo.New(&demo.Options{Broken: tt.broken, Observe: func(r demo.Received) {
				if tt.leap != nil && tt.leap(r) {
					ahead.Store(true)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			listening := httptest.NewServer(server)
			defer listening.Close()
			defer server.Close()
			if tt.down {
				listening.Close()
			}
			o := verifyOptions(t, h, client.Target{URL: listening.URL + "/mcp"}, failing, "weather")
			o.Clock, o.Protocol = leap{ahead: &ahead}, client.Revision2025c
			v, err := app.Verify(t.Context(), o)
			if tt.fault != "" {
				if v != nil || client.KindOf(err) != tt.fault {
					t.Errorf("got %+v, %v", v, err)
				}
			} else if err != nil || v.Verified || v.Lifecycle != nil || v.Reason == nil || *v.Reason != tt.reason {
				t.Errorf("got %+v, %v", v, err)
			}
			if n := verifications(t, h, failing); n != 0 {
				t.Errorf("%d verifications are recorded", n)
			}
		})
	}
}

func TestVerifyInterrupted(t *testing.T) {
	h, failing, _ := homeOfFindings(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	server, err := demo.New(&demo.Options{Observe: func(r demo.Received) {
		if r.Tool != "" {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(server)
	defer listening.Close()
	defer server.Close()
	v, err := app.Verify(ctx, verifyOptions(t, h, client.Target{URL: listening.URL + "/mcp"}, failing, "weather"))
	if v != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", v, err)
	}
	if n := verifications(t, h, failing); n != 0 {
		t.Errorf("%d verifications are recorded", n)
	}
}

func TestVerifyRefuses(t *testing.T) {
	h, failing, silent := homeOfFindings(t)
	target, called := serve(t, &demo.Options{})
	writer := strings.ReplaceAll(verifyCases, `"get_weather"`, `"save_note"`)
	tests := []struct {
		name   string
		change func(*app.VerifyOptions)
		want   string
	}{
		{"unknown finding", func(o *app.VerifyOptions) { o.Finding = "finding-0000000000000000" }, "there is no finding"},
		{"no finding", func(o *app.VerifyOptions) { o.Finding = "secret" }, "16 hex digits"},
		{"unknown case", func(o *app.VerifyOptions) { o.Case = "secret" }, "no case of that id"},
		{"wrong tool", func(o *app.VerifyOptions) { o.Case = "cities" }, "does not call get_weather"},
		{"wrong finding", func(o *app.VerifyOptions) { o.Finding = silent }, "does not call list_cities"},
		{"no assertion", func(o *app.VerifyOptions) { o.Finding, o.Case = silent, "cities" }, "does not say"},
		{"another tool in the manifest", func(o *app.VerifyOptions) { o.Manifest = []byte(writer) }, "does not call get_weather"},
		{"no manifest", func(o *app.VerifyOptions) { o.Manifest = []byte(`{"secret":1}`) }, "secret is not a field here"},
		{"no version", func(o *app.VerifyOptions) { o.Version = "" }, "version"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := verifyOptions(t, h, target, failing, "weather")
			tt.change(o)
			v, err := app.Verify(t.Context(), o)
			if _, ok := errors.AsType[*app.InputError](err); v != nil || !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v", v, err)
			}
		})
	}
	if len(*called) > 0 || verifications(t, h, failing)+verifications(t, h, silent) > 0 {
		t.Errorf("called %v", *called)
	}
}

// A run whose result cannot be kept is not begun; one whose result was lost says
// so, and has no lifecycle.
func TestVerifyWithoutJournal(t *testing.T) {
	h, failing, _ := homeOfFindings(t)
	target, called := serve(t, &demo.Options{})
	o := verifyOptions(t, h, target, failing, "weather")
	o.Record.Open = func() (recorder.Store, error) { return recorder.Store{}, errors.New("no room") }
	if v, err := app.Verify(t.Context(), o); v != nil || err == nil || !strings.Contains(err.Error(), "no room") || len(*called) > 0 {
		t.Errorf("got %+v, %v, called %v", v, err, *called)
	}
	o = verifyOptions(t, h, target, failing, "weather")
	opened, open := 0, o.Record.Open
	o.Record.Open = func() (recorder.Store, error) {
		if opened++; opened > 1 {
			return recorder.Store{}, errors.New("no room any more")
		}
		return open()
	}
	v, err := app.Verify(t.Context(), o)
	if _, ok := errors.AsType[*app.Problem](err); v != nil || !ok || !strings.Contains(err.Error(), "no room any more") || len(*called) == 0 {
		t.Errorf("got %+v, %v, called %v", v, err, *called)
	}
}

// The index is another's: the verification is kept, and found with the next index.
func TestVerifyWhileTheIndexIsLocked(t *testing.T) {
	h, failing, _ := homeOfFindings(t)
	target, _ := serve(t, &demo.Options{})
	o := verifyOptions(t, h, target, failing, "weather")
	var lock *home.Lock
	o.Progress = func(int, int) {
		var err error
		if lock, err = h.Lock(t.Context(), "index", 0); err != nil {
			t.Error(err)
		}
	}
	o.Wait = -1
	v, err := app.Verify(t.Context(), o)
	if _, ok := errors.AsType[*home.LockedError](err); v != nil || !ok || !strings.Contains(err.Error(), "is recorded") {
		t.Errorf("got %+v, %v", v, err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if n := verifications(t, h, failing); n != 1 {
		t.Errorf("%d verifications", n)
	}
}

// The capture of a verification is verify's own: its calls, then the result.
func TestVerifyJournal(t *testing.T) {
	h, failing, _ := homeOfFindings(t)
	target, _ := serve(t, &demo.Options{})
	if err := errors.Join(os.Remove(filepath.Join(h.Store(), "calls-2025.jsonl")), os.Remove(filepath.Join(h.Store(), "annotations-2025.jsonl"))); err != nil {
		t.Fatal(err)
	}
	// Its finding goes with the records, which the index shows only afterwards.
	v, err := app.Verify(t.Context(), verifyOptions(t, h, target, failing, "weather"))
	if err != nil || v.Lifecycle == nil || v.Lifecycle.State != query.StateVerifying {
		t.Fatalf("got %+v, %v", v, err)
	}
	list := events(t, h)
	start, ok := list[0].Body.(*journal.CaptureStart)
	if !ok || start.Recorder != journal.RecorderVerify {
		t.Errorf("it begins with %+v", list[0].Body)
	}
	calls, results := 0, 0
	for _, e := range list {
		switch body := e.Body.(type) {
		case *journal.Call:
			if body.Tool.String() == "get_weather" {
				calls++
			}
		case *journal.Verification:
			results++
			if calls != 3 || !body.Passed || body.Finding.String() != failing || body.Case.String() != "weather" || body.Definition.String() == "" || body.Reason.String() != "" {
				t.Errorf("after %d calls %+v", calls, body)
			}
		}
		if e.Kind != journal.Synthetic {
			t.Errorf("a %s event is %s", e.Body.Type(), e.Kind)
		}
	}
	if results != 1 {
		t.Errorf("%d results", results)
	}
}

// What was run is recorded as a digest that is keyed: equal for equal runs of one
// home, and different in another.
func TestVerifyDefinition(t *testing.T) {
	target, _ := serve(t, &demo.Options{})
	definitions := func(h *home.Home, failing string, manifests ...string) (list []string) {
		for _, m := range manifests {
			o := verifyOptions(t, h, target, failing, "weather")
			o.Manifest = []byte(m)
			if _, err := app.Verify(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
		err := index.Read(t.Context(), h.IndexPath(), func(conn *sqlite.Conn) error {
			list = nil
			return sqlitex.Execute(conn, `SELECT definition FROM verifications ORDER BY ts, event_id`, &sqlitex.ExecOptions{
				ResultFunc: func(s *sqlite.Stmt) error { list = append(list, s.ColumnText(0)); return nil },
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	change := func(from, to string) string { return strings.ReplaceAll(verifyCases, from, to) }
	h, failing, _ := homeOfFindings(t)
	own := definitions(h, failing, verifyCases, change(`"version":1,`, ` "version" : 1, `), change(`"cities-say"`, `"other-case"`),
		change(`"max_attempts":3`, `"max_attempts":4`), change(`"version":1,`, `"version":1,"timeout_ms":5000,`))
	if len(own) != 5 || own[0] != own[1] || own[0] != own[2] || own[3] == own[0] || own[4] == own[0] || own[3] == own[4] {
		t.Errorf("definitions %v", own)
	}
	other, failing, _ := homeOfFindings(t)
	if theirs := definitions(other, failing, verifyCases); len(theirs) != 1 || theirs[0] == own[0] {
		t.Errorf("definitions %v and %v", own, theirs)
	}
}

// The probes know the classes by names of their own.
func TestClassesOfFindings(t *testing.T) {
	want := []string{
		query.ClassUnstableCode, query.ClassFalseSuccess, query.ClassBlockedPath, query.ClassRecoversOnRetry,
		query.ClassRetryDidNotRecover, query.ClassRecurringError, query.ClassHungCall, query.ClassStdoutNoise,
	}
	var got []string
	for _, c := range generate.Classes() {
		got = append(got, string(c))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
