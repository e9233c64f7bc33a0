package battery_test

import (
	"context"
	"flag"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/recorder/process"
)

// The variables that make this program the demo server, or another one.
const (
	demoVariable = "MCPEVAL_BATTERY_TEST_DEMO" // the aspect, after a "+"
	spokenVar    = "MCPEVAL_BATTERY_TEST_PROTOCOL"
	lockVariable = "MCPEVAL_BATTERY_TEST_LOCK"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == process.GuardArg:
		os.Exit(process.GuardMain(os.Args[2:]))
	case os.Getenv(demoVariable) != "":
		os.Exit(serveDemo())
	case os.Getenv(otherVariable) != "":
		os.Exit(serveFake())
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "16") // tests wait for servers more than they work
	goleak.VerifyTestMain(m)
}

func serveDemo() int {
	port, _ := strconv.Atoi(os.Getenv(lockVariable))
	s, err := demo.New(&demo.Options{Broken: os.Getenv(demoVariable)[1:], Protocol: os.Getenv(spokenVar), LockPort: port})
	if err != nil {
		return 2
	}
	defer s.Close()
	if err := s.ServeStdio(context.Background(), os.Stdin, os.Stdout); err != nil {
		return 1
	}
	return 0
}

// self is this program with some variables.
func self(t testing.TB, vars ...string) client.Target {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return client.Target{Command: []string{exe}, Env: append(append(os.Environ(), "GORACE=atexit_sleep_ms=0"), vars...)}
}

// place is a transport and a lifecycle.
type place struct {
	where  demo.Where
	name   string
	spoken string // demo.Options.Protocol
}

func places() []place {
	return []place{
		{demo.Stdio | demo.Legacy, "stdio-stateful", "legacy"},
		{demo.Stdio | demo.Modern, "stdio-stateless", "modern"},
		{demo.HTTP | demo.Legacy, "http-stateful", "legacy"},
		{demo.HTTP | demo.Modern, "http-stateless", "modern"},
	}
}

// demoAt starts the demo server with an aspect.
func demoAt(t *testing.T, p place, aspect string) client.Target {
	t.Helper()
	if p.where&demo.Stdio != 0 {
		return self(t, demoVariable+"=+"+aspect, spokenVar+"="+p.spoken, lockVariable+"="+strconv.Itoa(freePort(t)))
	}
	asJSON := aspect == "answer-8-mib" || aspect == "answer-over-8-mib" // an event has bytes of its own
	s, err := demo.New(&demo.Options{Broken: aspect, Protocol: p.spoken, HTTPJSON: asJSON})
	if err != nil {
		t.Fatal(err)
	}
	return serveHTTP(t, s, s.Close)
}

func serveHTTP(t *testing.T, h http.Handler, end func()) client.Target {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		end()
		server.CloseClientConnections()
		server.Close()
	})
	return client.Target{URL: server.URL + "/mcp"}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// demoManifest is the demo's manifest with times for a machine that is busy.
func demoManifest(t testing.TB) *manifest.Manifest {
	m := parse(t, string(demo.Manifest()))
	m.TimeoutMS = 60_000
	for _, c := range m.Cases {
		switch c := c.(type) {
		case *manifest.LatencyBudget:
			c.MaxLatencyMS = 60_000
		case *manifest.Cancellation:
			c.Arguments, c.GraceSeconds = []byte(`{"milliseconds":1500}`), 2
		}
	}
	return m
}

// impatient makes a manifest one for servers that do not answer, or slowly.
func impatient(m *manifest.Manifest, a demo.Aspect) {
	waits := slices.ContainsFunc(a.Effects, func(e demo.Effect) bool {
		return slices.Contains([]reason.Label{
			reason.TransportTimeout, reason.SamplingStalledCall, reason.ElicitationStalledCall, reason.CompletionStalledRequest,
		}, e.Reason)
	})
	switch a.Name {
	case "answer-malformed", "id-mismatch", "id-to-text", "cancel-hang", "silent-start", "discover-hang":
		waits = true // for an answer that could be told from others
	case "slow":
		for _, c := range m.Cases {
			if c, ok := c.(*manifest.LatencyBudget); ok {
				c.MaxLatencyMS = 1500
			}
		}
	}
	if waits {
		m.TimeoutMS = 2000
	}
}

func parse(t testing.TB, text string) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func only(t testing.TB, m *manifest.Manifest, ids ...string) []manifest.Case {
	t.Helper()
	var cases []manifest.Case
	for _, c := range m.Cases {
		if slices.Contains(ids, c.Base().ID) {
			cases = append(cases, c)
		}
	}
	if len(cases) != len(ids) {
		t.Fatalf("the manifest has %d of the cases %v", len(cases), ids)
	}
	return cases
}

func label(s string) report.Label {
	l, err := report.NewLabel(s)
	if err != nil {
		panic("a label outside the grammar: " + s)
	}
	return l
}

func config(target client.Target, m *manifest.Manifest) *battery.Config {
	return &battery.Config{Target: target, Manifest: m, Server: label("demo"), Version: label("1.2.3"), Grace: 2 * time.Second}
}

// run runs and checks what every result must be.
func run(t testing.TB, c *battery.Config) *battery.Result {
	t.Helper()
	r, err := battery.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Document.Validate(); err != nil {
		t.Errorf("the document is not valid: %v", err)
	}
	if _, err := r.Document.Encode(); err != nil {
		t.Errorf("the document cannot be encoded: %v", err)
	}
	return r
}

// reasons are the reasons of all cases that did not pass, by id.
func reasons(r *battery.Result) map[string]reason.Label {
	all := make(map[string]reason.Label)
	for _, c := range r.Document.Cases {
		if c.Passed != report.Pass {
			all[c.ID.String()] = c.Reason
		}
	}
	return all
}

// unjudged are the cases that do not apply to the clean server at a place.
func unjudged(p place) map[string]reason.Label {
	if p.where == demo.HTTP|demo.Modern {
		return map[string]reason.Label{"cancellation": reason.Unobservable}
	}
	return map[string]reason.Label{}
}

// TestClean shows that the clean server passes every kind.
func TestClean(t *testing.T) {
	t.Parallel()
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			r := run(t, config(demoAt(t, p, ""), demoManifest(t)))
			if diff := cmp.Diff(unjudged(p), reasons(r)); diff != "" {
				t.Errorf("cases that did not pass (-want +got):\n%s", diff)
			}
			if r.Outcome.Exit != report.ExitPassed {
				t.Errorf("exit %d", r.Outcome.Exit)
			}
		})
	}
}

// TestAspects runs, for every aspect and wherever it shows, the cases that it
// breaks and wants exactly their reasons. An aspect that is legal breaks none.
func TestAspects(t *testing.T) {
	t.Parallel()
	for _, a := range demo.Aspects() {
		for _, p := range places() {
			if !a.Shows(p.where) || len(a.Effects) == 0 && !a.Legal {
				continue
			}
			if a.Name == "session-expires" {
				continue // see TestSessionExpires
			}
			t.Run(a.Name+"/"+p.name, func(t *testing.T) {
				t.Parallel()
				testAspect(t, a, p)
			})
		}
	}
}

func testAspect(t *testing.T, a demo.Aspect, p place) {
	m := demoManifest(t)
	impatient(m, a)
	c := config(demoAt(t, p, a.Name), m)
	c.StartupTimeout = 20 * time.Second
	if slices.Contains([]string{"silent-start", "discover-hang"}, a.Name) {
		c.StartupTimeout = 2 * time.Second
	}
	want := make(map[string]reason.Label)
	var ids []string
	for _, e := range a.Effects {
		if e.Case == "" {
			for _, one := range m.Cases {
				want[one.Base().ID] = e.Reason
			}
			continue
		}
		want[e.Case] = e.Reason
		ids = append(ids, e.Case)
	}
	switch {
	case a.Name == "answer-8-mib":
		c.Cases = only(t, m, "schema-guessability") // others have events in their way
	case ids != nil:
		c.Cases = only(t, m, ids...)
	case a.Legal && !soaking():
		c.Cases = only(t, m, "discovery-cost", "token-cost", "pagination", "surface-listing", "schema-guessability", "output-schema",
			"error-honesty-permanent", "instruction-fidelity", "instruction-fidelity-error", "sampling", "completion")
	}
	if a.Legal {
		want = make(map[string]reason.Label)
	}
	r := run(t, c)
	got := reasons(r)
	if a.Legal {
		// What is not declared, or cannot be seen, does not apply.
		for id, l := range got {
			if l == reason.CapabilityAbsent || unjudged(p)[id] == l {
				delete(got, id)
			}
		}
	} else {
		for id, l := range unjudged(p) {
			if want[id] != "" && got[id] == l {
				delete(want, id)
				delete(got, id)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cases that did not pass (-want +got):\n%s", diff)
	}
	if (r.Outcome.Exit == report.ExitPassed) != (len(want) == 0 || a.Legal) {
		t.Errorf("exit %d", r.Outcome.Exit)
	}
}

// soaking tells that there is time.
func soaking() bool { return os.Getenv("MCPEVAL_SOAK") != "" }

// withoutWaits are the cases that take no time of their own.
func withoutWaits(m *manifest.Manifest) []manifest.Case {
	return slices.DeleteFunc(slices.Clone(m.Cases), func(c manifest.Case) bool { return c.Base().Probe == manifest.KindCancellation })
}

// TestEveryReason shows that TestAspects leaves out no kind and no reason, but
// for the budget's, which no server gives.
func TestEveryReason(t *testing.T) {
	m := demoManifest(t)
	shown := map[reason.Label]bool{reason.EvaluationBudgetExceeded: true}
	kinds := make(map[manifest.Kind]bool)
	for _, a := range demo.Aspects() {
		for _, e := range a.Effects {
			shown[e.Reason] = true
			if c := m.Find(e.Case); c != nil {
				kinds[c.Base().Probe] = true
			}
		}
	}
	for _, r := range reason.All() {
		if (r.Class == reason.Failure || r.Class == reason.Fault || r.Class == reason.NotRun) && !shown[r.Label] {
			t.Errorf("no aspect shows %s", r.Label)
		}
	}
	for _, k := range manifest.Kinds() {
		if !kinds[k] {
			t.Errorf("no aspect breaks a case of %s", k)
		}
	}
}
