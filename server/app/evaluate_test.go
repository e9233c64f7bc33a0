package app_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/server/app"
)

// serve starts a demo server and counts the tool calls it gets.
func serve(t *testing.T, o *demo.Options) (client.Target, *[]string) {
	t.Helper()
	var called []string
	o.Observe = func(r demo.Received) {
		if r.Tool != "" {
			called = append(called, r.Tool)
		}
	}
	server, err := demo.New(o)
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(server)
	t.Cleanup(func() {
		server.Close()
		listening.Close()
	})
	return client.Target{URL: listening.URL + "/mcp"}, &called
}

func recordingIn(t *testing.T, h *home.Home) *app.Recording {
	return &app.Recording{
		Open: func() (recorder.Store, error) {
			salt, err := h.Salt()
			return recorder.Store{Dir: h.Store(), Salt: salt}, err
		},
		Report:  func(line string) { t.Error(line) },
		Session: "s",
	}
}

// events reads the one capture of a home; nil when there is none.
func events(t *testing.T, h *home.Home) (list []journal.Event) {
	t.Helper()
	logs := 0
	err := filepath.WalkDir(h.Store(), func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".jsonl" {
			return err
		}
		if logs++; logs > 1 {
			t.Fatal("there are several captures")
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		decoder := journal.NewDecoder()
		for line := range strings.Lines(string(text)) {
			var e journal.Event
			if err := decoder.Decode(journal.FileCapture, []byte(strings.TrimSuffix(line, "\n")), &e); err != nil {
				return err
			}
			list = append(list, e)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return list
}

const twoCases = `{"version":1,"probes":[
	{"id":"cost","probe":"discovery-cost","access":"read_only","max_tools":100,"max_schema_bytes":100000},
	{"id":"weather","probe":"degradation-over-n","access":"read_only","tool":"get_weather","arguments":{"city":"oslo"},"max_attempts":3}]}`

func TestProbe(t *testing.T) {
	target, called := serve(t, &demo.Options{})
	h := newHome(t)
	var progress []int
	probed, err := app.Probe(t.Context(), &app.ProbeOptions{
		Server: "demo", Version: "0.1.0", Target: target, Manifest: []byte(twoCases), Record: recordingIn(t, h),
		Progress: func(done, total int) { progress = append(progress, done, total) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if !probed.Outcome.Passed || len(*called) != 3 || !slices.Equal(progress, []int{1, 2, 2, 2}) {
		t.Errorf("outcome %+v, calls %v, progress %v", probed.Outcome, *called, progress)
	}
	id, err := report.NewCaseID("weather")
	if err != nil || probed.Lines[id] != 3 {
		t.Errorf("lines %v, %v", probed.Lines, err)
	}
	calls := 0
	list := events(t, h)
	for _, e := range list {
		if e.Kind != journal.Synthetic {
			t.Errorf("a %s event is %s", e.Body.Type(), e.Kind)
		}
		if c, ok := e.Body.(*journal.Call); ok && c.Tool.String() == "get_weather" {
			calls++
		}
	}
	start, ok := list[0].Body.(*journal.CaptureStart)
	if calls != 3 || !ok || start.Recorder != journal.RecorderProbe || list[len(list)-1].Body.Type() != journal.TypeEnd {
		t.Errorf("%d calls in %d events", calls, len(list))
	}
}

// Mistakes in what is asked for are found before anything is asked of the server.
func TestInputErrors(t *testing.T) {
	target, called := serve(t, &demo.Options{})
	mutating := `{"version":1,"sandboxes":{"s":{"description":"d"}},"probes":[
		{"id":"save","probe":"contention","access":"mutating","sandbox":"s","tool":"save_note","arguments":{}}]}`
	tests := []struct {
		name string
		o    app.ProbeOptions
		want string
	}{
		{"no label", app.ProbeOptions{Manifest: []byte(twoCases)}, "the server's label must be"},
		{"no manifest", app.ProbeOptions{Server: "s"}, "manifest: the document is not JSON"},
		{"a wrong manifest", app.ProbeOptions{Server: "s", Manifest: []byte("{\n\"version\":2}")}, "manifest: version is out of range"},
		{"no such kind", app.ProbeOptions{Server: "s", Manifest: []byte(twoCases), Kinds: []string{"x"}}, "select cases: not a kind of probe"},
		{"a kind without a case", app.ProbeOptions{Server: "s", Manifest: []byte(twoCases), Kinds: []string{"workflow"}}, "select cases: no case of kind workflow"},
		{"known failures", app.ProbeOptions{Server: "s", Manifest: []byte(twoCases), Known: []byte("a b")}, "known failures, line 1: "},
		{"mutation", app.ProbeOptions{Server: "s", Manifest: []byte(mutating)}, "mutating cases may not run:\n  save needs --allow-mutation"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Version, tt.o.Target = "0.1.0", target
			_, err := app.Probe(t.Context(), &tt.o)
			if _, ok := errors.AsType[*app.InputError](err); !ok || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			tt.o.Server = ""
			_, _, err = app.Compare(t.Context(), &tt.o, []app.CompareTarget{{Server: "a", Target: target}, {Server: "b b", Target: target}})
			if _, ok := errors.AsType[*app.InputError](err); !ok {
				t.Errorf("compare: error %v", err)
			}
		})
	}
	if len(*called) > 0 {
		t.Errorf("calls %v", *called)
	}
}

func TestProbeStops(t *testing.T) {
	target, _ := serve(t, &demo.Options{})
	h := newHome(t)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := app.Probe(ctx, &app.ProbeOptions{
		Server: "demo", Version: "0.1.0", Target: target, Manifest: []byte(twoCases), Record: recordingIn(t, h),
		Progress: func(int, int) { cancel() },
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if list := events(t, h); len(list) == 0 || list[len(list)-1].Body.Type() != journal.TypeEnd {
		t.Errorf("the capture of a run that was stopped has no end: %d events", len(list))
	}
}

// exhausted is a clock by which the budget is used up as soon as it has begun.
type exhausted struct {
	client.SystemClock
	asked *int
}

func (c exhausted) Now() time.Time {
	*c.asked++
	if *c.asked > 1 {
		return time.Unix(0, 0).Add(client.BudgetTime)
	}
	return time.Unix(0, 0)
}

func TestBudgetEndsDuringTheStart(t *testing.T) {
	target, called := serve(t, &demo.Options{})
	output := filepath.Join(t.TempDir(), "m.json")
	_, err := app.Probe(t.Context(), &app.ProbeOptions{Server: "s", Version: "0.1.0", Target: target, Manifest: []byte(twoCases), Clock: exhausted{asked: new(int)}})
	if client.KindOf(err) != client.BudgetExceeded {
		t.Errorf("probe: %v", err)
	}
	_, err = app.Scaffold(t.Context(), &app.ScaffoldOptions{Server: "s", Version: "0.1.0", Target: target, Output: output, Clock: exhausted{asked: new(int)}})
	if client.KindOf(err) != client.BudgetExceeded {
		t.Errorf("scaffold: %v", err)
	}
	if _, err := os.Stat(output); !errors.Is(err, fs.ErrNotExist) || len(*called) > 0 {
		t.Errorf("%v, calls %v", err, *called)
	}
}

func TestCompare(t *testing.T) {
	good, _ := serve(t, &demo.Options{})
	bad, _ := serve(t, &demo.Options{Broken: "flaky"})
	comparison, all, err := app.Compare(t.Context(), &app.ProbeOptions{Version: "0.1.0", Manifest: []byte(twoCases)},
		[]app.CompareTarget{{Server: "good", Target: good}, {Server: "bad", Target: bad}})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || comparison.Exit() != report.ExitFailed || !all[0].Outcome.Passed || all[1].Outcome.Passed {
		t.Errorf("exit %d of %d", comparison.Exit(), len(all))
	}
	liar := []byte(`{"version":1,"probes":[{"id":"save","probe":"schema-guessability","access":"read_only","tool":"save_note","arguments":{}}]}`)
	_, _, err = app.Compare(t.Context(), &app.ProbeOptions{Version: "0.1.0", Manifest: liar}, []app.CompareTarget{{Server: "one", Target: good}, {Server: "two", Target: good}})
	if _, ok := errors.AsType[*app.InputError](err); !ok || !strings.HasPrefix(err.Error(), "target one: read_only cases name tools that write") {
		t.Errorf("error %v", err)
	}
}

func TestScaffold(t *testing.T) {
	target, called := serve(t, &demo.Options{})
	output := filepath.Join(t.TempDir(), "m.json")
	o := &app.ScaffoldOptions{Server: "demo", Version: "0.1.0", Target: target, Output: output}

	// A dry run does not look at the file.
	dry := *o
	dry.DryRun, dry.Output = true, filepath.Dir(output)
	if r, err := app.Scaffold(t.Context(), &dry); err != nil || r.Manifest != nil {
		t.Fatalf("dry run: %+v, %v", r, err)
	}
	named := *o
	named.Tools = []string{"save_note"}
	if _, err := app.Scaffold(t.Context(), &named); err == nil || !strings.Contains(err.Error(), "never called") {
		t.Errorf("a writer: %v", err)
	}
	if len(*called) > 0 {
		t.Fatalf("calls %v", *called)
	}

	r, err := app.Scaffold(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.Manifest.Encode()
	if err != nil || string(text) != string(want) || slices.Contains(*called, "save_note") {
		t.Errorf("calls %v, %v, file\n%s", *called, err, text)
	}

	// A file that is there stays, unless it is forced; a failure leaves it alone.
	if err := os.WriteFile(output, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Scaffold(t.Context(), o); err == nil || err.Error() != output+" is there already" {
		t.Errorf("error %v", err)
	}
	broken, _ := serve(t, &demo.Options{Broken: "page-two-fails"})
	forced := *o
	forced.Force, forced.Target = true, broken
	if _, err := app.Scaffold(t.Context(), &forced); err == nil {
		t.Error("a catalog that breaks off gave a manifest")
	}
	if text, err := os.ReadFile(output); err != nil || string(text) != "mine" {
		t.Errorf("the file holds %s, %v", text, err)
	}
	forced.Target = target
	if _, err := app.Scaffold(t.Context(), &forced); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(output); err != nil || len(text) < 1000 {
		t.Errorf("the file holds %s, %v", text, err)
	}
	entries, err := os.ReadDir(filepath.Dir(output))
	if err != nil || len(entries) != 1 {
		t.Errorf("files left behind: %v, %v", entries, err)
	}
}
