package battery_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// TestSessionExpires shows that a session which cases share may end between two
// calls, while one that a case has to itself must last.
func TestSessionExpires(t *testing.T) {
	t.Parallel()
	m := demoManifest(t)
	c := config(demoAt(t, places()[2], "session-expires"), m)
	c.Cases = only(t, m, "schema-guessability", "degradation-over-n", "instruction-fidelity", "latency-budget", "output-schema")
	r := run(t, c)
	want := map[string]reason.Label{"degradation-over-n": reason.TransportError}
	if diff := cmp.Diff(want, reasons(r)); diff != "" {
		t.Errorf("cases that did not pass (-want +got):\n%s", diff)
	}
}

// TestRevisions runs the clean server in every revision that has a handshake.
func TestRevisions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		revision string
		want     map[string]reason.Label
	}{
		{client.Revision2024, map[string]reason.Label{
			"output-schema": reason.NotInRevision, "elicitation": reason.NotInRevision, "elicitation-decline": reason.NotInRevision,
			"completion": reason.CapabilityAbsent, "completion-template": reason.CapabilityAbsent,
		}},
		{client.Revision2025a, map[string]reason.Label{
			"output-schema": reason.NotInRevision, "elicitation": reason.NotInRevision, "elicitation-decline": reason.NotInRevision,
		}},
		{client.Revision2025b, map[string]reason.Label{}},
		{client.Revision2025c, map[string]reason.Label{}},
		{client.Revision2026, map[string]reason.Label{}},
	}
	for _, tt := range tests {
		t.Run(tt.revision, func(t *testing.T) {
			t.Parallel()
			m := demoManifest(t)
			c := config(demoAt(t, place{demo.Stdio, "", tt.revision}, ""), m)
			c.Protocol = tt.revision
			r := run(t, c)
			if diff := cmp.Diff(tt.want, reasons(r)); diff != "" {
				t.Errorf("cases that did not pass (-want +got):\n%s", diff)
			}
			if r.Revision != tt.revision || r.Context.Protocol.String() != tt.revision {
				t.Errorf("revision %s, shown as %s", r.Revision, r.Context.Protocol)
			}
		})
	}
}

// TestSameBytes shows that runs differ in latency_ms alone.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	runs := 2
	if soaking() {
		runs = 50
	}
	for _, aspect := range []string{"", "flaky"} {
		t.Run("aspect "+aspect, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			digests := make(map[report.SHA256]int)
			t.Run("runs", func(t *testing.T) {
				for range runs {
					t.Run("", func(t *testing.T) {
						t.Parallel()
						c := config(demoAt(t, places()[2], aspect), demoManifest(t))
						if !soaking() {
							c.Cases = withoutWaits(c.Manifest)
						}
						r := run(t, c)
						sum, err := r.Document.Digest()
						if err != nil {
							t.Fatal(err)
						}
						mu.Lock()
						defer mu.Unlock()
						digests[sum]++
					})
				}
			})
			if len(digests) != 1 {
				t.Errorf("%d digests of %d runs", len(digests), runs)
			}
		})
	}
}

// TestNotStarted shows that a server that never starts is one cause, and that
// nothing is said about it that nobody has seen.
func TestNotStarted(t *testing.T) {
	t.Parallel()
	m := parse(t, manifestOf(guess, paginate, degrade))
	tests := []struct {
		name   string
		target client.Target
		detail client.Detail
	}{
		{"no such command", client.Target{Command: []string{"mcpeval-there-is-no-such-command"}}, client.CommandFailed},
		{"exits", self(t, otherVariable+`={"exit":""}`), client.ServerExited},
		{"exits after a banner", self(t, otherVariable+`={"exit":"starting\n"}`), client.ServerExited},
		{"nobody listens", client.Target{URL: "http://127.0.0.1:1/mcp"}, client.ConnectFailed},
		{"remote", client.Target{URL: "https://example.com/mcp"}, client.URLRefused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, config(tt.target, m))
			if r.Start == nil || r.Start.Kind != client.ServerNotStarted || r.Start.Detail != tt.detail {
				t.Fatalf("start: %v", r.Start)
			}
			want := map[string]reason.Label{"c1": reason.ServerNotStarted, "c2": reason.ServerNotStarted, "c3": reason.ServerNotStarted}
			if diff := cmp.Diff(want, reasons(r)); diff != "" {
				t.Error(diff)
			}
			if r.Document.Gate.NotRun != 3 || r.Outcome.Exit != report.ExitIncomplete {
				t.Errorf("gate %+v, exit %d", r.Document.Gate, r.Outcome.Exit)
			}
		})
	}
}

// TestGates shows that nothing is started while a gate is shut.
func TestGates(t *testing.T) {
	t.Parallel()
	const text = `{"version":1,"sandboxes":{"s":{"description":"scratch"}},"probes":[
		{"id":"open","access":"mutating","sandbox":"s",` + guess + `},
		{"id":"loose","access":"mutating",` + guess + `},
		{"id":"lost","access":"mutating","sandbox":"z",` + guess + `},
		{"id":"reads","access":"read_only",` + guess + `}]}`
	tests := []struct {
		name  string
		cases []string
		allow bool
		want  string
	}{
		{"no flag", []string{"open", "reads"}, false, "mutating cases may not run:\n  open needs --allow-mutation"},
		{"no sandbox", []string{"open", "loose", "lost"}, true,
			"mutating cases may not run:\n  loose names no sandbox\n  lost names a sandbox that the manifest does not declare"},
		{"both", []string{"open", "reads"}, true, ""},
		{"not selected", []string{"reads"}, false, ""},
	}
	for _, tt := range tests {
		for _, over := range []string{"http", "stdio"} {
			t.Run(tt.name+"/"+over, func(t *testing.T) {
				t.Parallel()
				m := parse(t, text)
				f := &fake{}
				target := f.overHTTP(t)
				if over == "stdio" {
					target = f.overStdio(t)
				}
				c := config(target, m)
				c.Cases, c.AllowMutation = only(t, m, tt.cases...), tt.allow
				_, err := battery.Run(t.Context(), c)
				gate, is := errors.AsType[*battery.GateError](err)
				switch requests, _ := f.count(); {
				case tt.want == "" && err != nil:
					t.Fatal(err)
				case tt.want != "" && (!is || gate.Error() != tt.want):
					t.Errorf("error %v", err)
				case tt.want != "" && requests > 0:
					t.Errorf("%d requests were sent", requests)
				}
			})
		}
	}
}

// TestAccess shows that read-only cases are held against what the server says of
// its tools, before any of them is called.
func TestAccess(t *testing.T) {
	t.Parallel()
	tool := func(annotations string) string {
		return `{"tools":[{"name":"t","inputSchema":{"type":"object"},"annotations":` + annotations + `}]}`
	}
	const work = `"probe":"workflow","repetitions":1,"steps":[
		{"tool":"u","arguments":{},"expect":{"outcome":"ok"}},{"tool":"t","arguments":{},"expect":{"outcome":"ok"}}]`
	const recover = `"probe":"state-recovery","failure_tool":"u","failure_arguments":{},"recovery_tool":"u","recovery_arguments":{},
		"validation_tool":"t","validation_arguments":{}`
	tests := []struct {
		name, tools string
		want        []string
	}{
		{"not read-only", tool(`{"readOnlyHint":false}`), []string{"c1", "c2", "c3"}},
		{"destructive", tool(`{"readOnlyHint":true,"destructiveHint":true}`), []string{"c1", "c2", "c3"}},
		{"read-only", tool(`{"readOnlyHint":true,"destructiveHint":false}`), nil},
		{"unannotated", tool(`{}`), nil},
		{"no annotations", oneTool, nil},
		{"hints that are no booleans", tool(`{"readOnlyHint":"false","destructiveHint":1}`), nil},
		{"another tool", strings.ReplaceAll(tool(`{"readOnlyHint":false}`), `"t"`, `"T"`), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{answers: map[string]string{"tools/list": tt.tools}}
			_, err := battery.Run(t.Context(), config(f.overHTTP(t), parse(t, manifestOf(guess, work, recover))))
			var got []string
			if access, is := errors.AsType[*battery.AccessError](err); is {
				got = access.Cases
			} else if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
			if _, calls := f.count(); tt.want != nil && calls > 0 {
				t.Errorf("%d tools were called", calls)
			}
		})
	}
}

// TestDiscovery shows what becomes of the cases when the catalog cannot be read.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		aspect string
		exit   int
	}{
		{"a page fails", "page-two-fails", report.ExitIncomplete},
		{"a page more than are read", "twenty-one-pages", report.ExitIncomplete},
		{"twenty pages", "twenty-pages", report.ExitPassed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int64
			s, err := demo.New(&demo.Options{Broken: tt.aspect, Protocol: "legacy", Observe: func(r demo.Received) {
				if r.Method == "tools/call" {
					calls.Add(1)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			m := demoManifest(t)
			c := config(serveHTTP(t, s, s.Close), m)
			c.Cases = only(t, m, "discovery-cost", "pagination", "surface-listing", "schema-guessability")
			r := run(t, c)
			if r.Outcome.Exit != tt.exit || (r.Discovery == nil) != (tt.exit == report.ExitPassed) {
				t.Fatalf("exit %d, discovery: %v", r.Outcome.Exit, r.Discovery)
			}
			if tt.exit == report.ExitPassed {
				return
			}
			for _, one := range r.Document.Cases {
				if one.Probe != "pagination" && (one.Reason != reason.TransportError || one.Attempts != 0) {
					t.Errorf("%s: %s after %d attempts", one.ID, one.Reason, one.Attempts)
				}
			}
			if calls.Load() > 0 {
				t.Errorf("%d tools were called", calls.Load())
			}
		})
	}
}

// TestFaultedCase shows that the case after a fault begins anew.
func TestFaultedCase(t *testing.T) {
	t.Parallel()
	for _, over := range []string{"http", "stdio"} {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			f := &fake{answers: map[string]string{"tools/call hangs": ""}}
			target := f.overHTTP(t)
			if over == "stdio" {
				target = f.overStdio(t)
			}
			r := run(t, config(target, parse(t, manifestOf(guess, strings.ReplaceAll(degrade, `"t"`, `"hangs"`), guess))))
			if diff := cmp.Diff(map[string]reason.Label{"c2": reason.TransportTimeout}, reasons(r)); diff != "" {
				t.Error(diff)
			}
			if r.Outcome.Exit != report.ExitIncomplete {
				t.Errorf("exit %d", r.Outcome.Exit)
			}
		})
	}
}

func TestStopped(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	f := &fake{answers: map[string]string{"tools/call": ""}, hook: func(method string, _ int) {
		if method == "tools/call" {
			cancel(cause)
		}
	}}
	if _, err := battery.Run(ctx, config(f.overHTTP(t), parse(t, manifestOf(guess, guess)))); !errors.Is(err, cause) {
		t.Errorf("error %v", err)
	}
}

// tapes is a Journal that keeps what a reader of ids needs.
type tapes struct {
	mu     sync.Mutex
	open   map[uint64]map[wire.ID]int
	ended  []uint64
	frames int
	idle   func()
	mixed  bool
}

func (j *tapes) Frame(r recorder.Read, f *wire.Frame) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.frames++
	if j.open == nil {
		j.open = make(map[uint64]map[wire.ID]int)
	}
	if j.open[r.Channel] == nil {
		j.open[r.Channel] = make(map[wire.ID]int)
	}
	ids := j.open[r.Channel]
	for i := range f.Messages {
		switch m := &f.Messages[i]; {
		case m.Kind == wire.Request && r.Direction == journal.Outbound:
			ids[m.ID]++
			j.mixed = j.mixed || ids[m.ID] > 1
		case m.Kind == wire.Response && r.Direction == journal.Inbound && !m.ID.IsZero():
			j.mixed = j.mixed || ids[m.ID] != 1
		}
	}
}

func (j *tapes) CloseChannel(channel uint64, _ time.Time, _ recorder.Ending) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended = append(j.ended, channel)
}

func (j *tapes) Idle(time.Time) {
	if j.idle != nil {
		j.idle()
	}
}

// TestTapes shows that each connection has a channel, in which ids are unique,
// and that each is closed.
func TestTapes(t *testing.T) {
	t.Parallel()
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			m := demoManifest(t)
			c := config(demoAt(t, p, ""), m)
			c.Cases = only(t, m, "contention", "error-honesty", "state-recovery", "elicitation", "schema-guessability")
			j := &tapes{}
			c.Journal = j
			run(t, c)
			if j.mixed {
				t.Error("ids of two connections met")
			}
			var channels []uint64
			for channel := range j.open {
				channels = append(channels, channel)
			}
			slices.Sort(channels)
			slices.Sort(j.ended)
			if len(channels) != 7 || !slices.Equal(channels, j.ended) {
				t.Errorf("channels %v, of which %v ended", channels, j.ended)
			}
		})
	}
}
