package standard_test

import (
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/standard"
	"github.com/mcpeval/mcpeval/recorder/process"
)

// The variables that make this program the demo server, or another one.
const (
	demoVariable = "MCPEVAL_STANDARD_TEST_DEMO" // the aspect, after a "+"
	spokenVar    = "MCPEVAL_STANDARD_TEST_PROTOCOL"
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == process.GuardArg:
		os.Exit(process.GuardMain(os.Args[2:]))
	case os.Getenv(demoVariable) != "":
		os.Exit(serveDemo())
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "16") // tests wait for servers more than they work
	goleak.VerifyTestMain(m)
}

func serveDemo() int {
	s, err := demo.New(&demo.Options{Broken: os.Getenv(demoVariable)[1:], Protocol: os.Getenv(spokenVar)})
	if err != nil {
		return 2
	}
	defer s.Close()
	if err := s.ServeStdio(context.Background(), os.Stdin, os.Stdout); err != nil {
		return 1
	}
	return 0
}

// self is this program as the demo server.
func self(t testing.TB, aspect, spoken string) client.Target {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GORACE=atexit_sleep_ms=0", demoVariable+"=+"+aspect, spokenVar+"="+spoken)
	return client.Target{Command: []string{exe}, Env: env}
}

func serveHTTP(t testing.TB, h http.Handler, end func()) client.Target {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		end()
		server.CloseClientConnections()
		server.Close()
	})
	return client.Target{URL: server.URL + "/mcp"}
}

// demoHTTP is the demo server over HTTP.
func demoHTTP(t testing.TB, o *demo.Options) client.Target {
	t.Helper()
	s, err := demo.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return serveHTTP(t, s, s.Close)
}

// still is a clock on which answers take no time, so that a busy machine costs no
// points. Timeouts and the budget are real.
type still struct {
	client.SystemClock
	at time.Time
}

func (s still) Now() time.Time { return s.at }

func label(s string) report.Label {
	l, err := report.NewLabel(s)
	if err != nil {
		panic("a label outside the grammar: " + s)
	}
	return l
}

func config(target client.Target) *standard.Config {
	return &standard.Config{
		Target: target, Version: label("1.2.3"), Grace: 2 * time.Second, CallTimeout: 30 * time.Second,
		Clock: still{at: time.Unix(1_700_000_000, 0)},
	}
}

// run runs and checks what every result must be.
func run(t testing.TB, c *standard.Config) *standard.Result {
	t.Helper()
	r, err := standard.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if (r.Readiness == nil) == (r.Problem == "") {
		t.Fatalf("readiness %v and problem %q", r.Readiness, r.Problem)
	}
	if err := report.NewScore(c.Version, label("demo"), r.Readiness, r.Problem).Validate(); err != nil {
		t.Fatal(err)
	}
	return r
}
