package demo_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/tools/txtar"

	"github.com/mcpeval/mcpeval/probes/demo"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
)

var update = flag.Bool("update", false, "rewrite the out sections of testdata/*.txtar")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newServer(t *testing.T, o demo.Options) *demo.Server {
	t.Helper()
	s, err := demo.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// play serves the lines of in and returns what came out.
func play(t *testing.T, o demo.Options, in string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := newServer(t, o).ServeStdio(t.Context(), strings.NewReader(in), &out)
	return out.String(), err
}

// TestTranscripts plays the section in of each archive against the server that
// its section aspect names and compares what comes out.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			section := map[string]string{}
			for _, f := range archive.Files {
				section[f.Name] = string(f.Data)
			}
			got, err := play(t, demo.Options{
				Broken: strings.TrimSpace(section["aspect"]), Protocol: strings.TrimSpace(section["protocol"]),
			}, section["in"])
			if err != nil && !errors.Is(err, demo.ErrExited) {
				t.Fatal(err)
			}
			if *update {
				for i := range archive.Files {
					if archive.Files[i].Name == "out" {
						archive.Files[i].Data = []byte(got)
					}
				}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(section["out"], got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSlowAnswersLateAndCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		var out bytes.Buffer
		done := make(chan error, 1)
		start := time.Now()
		server := newServer(t, demo.Options{Broken: "slow"})
		go func() { done <- server.ServeStdio(context.Background(), in, &out) }()
		io.WriteString(client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_cities"}}`+"\n"+
			`{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"list_cities"}}`+"\n"+
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"two"}}`+"\n")
		client.Close()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("took %v, want 2s", took)
		}
		if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"id":1,`) {
			t.Errorf("got %q, want only the answer to 1", got)
		}
	})
}

// The call waits for the time it was told, and reports progress half way.
func TestWaitForTide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got, err := play(t, demo.Options{}, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_tide","arguments":{"milliseconds":2000},"_meta":{"progressToken":"p"}}}`)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 2*time.Second {
			t.Errorf("took %v", took)
		}
		if !strings.Contains(got, `"method":"notifications/progress"`) || !strings.Contains(got, `"tide":"high"`) {
			t.Errorf("got %s", got)
		}
	})
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorEnds(t *testing.T) {
	in := strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", 3)
	err := newServer(t, demo.Options{}).ServeStdio(t.Context(), strings.NewReader(in), brokenWriter{})
	if !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   demo.Options
		want error
	}{
		{"aspect", demo.Options{Broken: "no-such"}, demo.ErrAspect},
		{"protocol", demo.Options{Protocol: "ancient"}, demo.ErrProtocol},
		{"unknown revision", demo.Options{Protocol: "2024-10-07"}, demo.ErrProtocol},
	} {
		if _, err := demo.New(&tt.in); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

func TestAspects(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*$`)
	m, err := manifest.Parse(demo.Manifest())
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, a := range demo.Aspects() {
		if !name.MatchString(a.Name) || a.Name <= last {
			t.Errorf("%q is no kebab-case name in order", a.Name)
		}
		if a.Text == "" || len(a.Text) > 90 || strings.Contains(a.Text, "\n") {
			t.Errorf("%s: %q is no one-line text", a.Name, a.Text)
		}
		if !slices.Contains(strings.Split(demo.AspectNames(), ", "), a.Name) {
			t.Errorf("%s is not listed", a.Name)
		}
		if a.Legal && len(a.Effects) > 0 {
			t.Errorf("%s: what is legal makes nothing fail", a.Name)
		}
		shown := 0
		for _, w := range []demo.Where{demo.Stdio | demo.Legacy, demo.Stdio | demo.Modern, demo.HTTP | demo.Legacy, demo.HTTP | demo.Modern} {
			if a.Shows(w) {
				shown++
			}
		}
		if shown == 0 {
			t.Errorf("%s shows nowhere", a.Name)
		}
		for _, e := range a.Effects {
			r, known := reason.Of(e.Reason)
			if !known {
				t.Errorf("%s: %s is no reason", a.Name, e.Reason)
			}
			if e.Case == "" {
				continue
			}
			c := m.Find(e.Case)
			if c == nil {
				t.Errorf("%s: there is no case %s", a.Name, e.Case)
			} else if !slices.Contains(r.Kinds, c.Base().Probe) {
				t.Errorf("%s: %s cannot fail with %s", a.Name, c.Base().Probe, e.Reason)
			}
		}
		last = a.Name
	}
	if _, ok := demo.FindAspect("no-such"); ok {
		t.Error("found an aspect that does not exist")
	}
}

// Every kind has a case, and every failure of every kind an aspect.
func TestAspectsCoverReasons(t *testing.T) {
	m, err := manifest.Parse(demo.Manifest())
	if err != nil {
		t.Fatal(err)
	}
	type pair struct {
		kind  manifest.Kind
		label reason.Label
	}
	covered := map[pair]bool{}
	for _, a := range demo.Aspects() {
		for _, e := range a.Effects {
			if c := m.Find(e.Case); c != nil {
				covered[pair{c.Base().Probe, e.Reason}] = true
			}
		}
	}
	for _, r := range reason.All() {
		for _, kind := range r.Kinds {
			p := pair{kind, r.Label}
			if r.Class == reason.Failure && !covered[p] && p != (pair{manifest.KindPayloadBounds, reason.UnexpectedOutcome}) {
				t.Errorf("no aspect makes %s fail with %s", kind, r.Label)
			}
		}
	}
	for _, kind := range manifest.Kinds() {
		if !slices.ContainsFunc(m.Cases, func(c manifest.Case) bool { return c.Base().Probe == kind }) {
			t.Errorf("the manifest has no case of kind %s", kind)
		}
	}
}

// Every tool has what the catalog score asks for.
func TestCatalogIsGood(t *testing.T) {
	out, _ := play(t, demo.Options{}, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
	type schema struct {
		Type, Description string
		Properties        map[string]struct{ Type, Description string }
	}
	var list struct {
		Result struct {
			Tools []struct {
				Name, Description         string
				InputSchema, OutputSchema *schema
				Annotations               map[string]bool
			}
		}
	}
	if err := json.Unmarshal([]byte(strings.Split(out, "\n")[1]), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Result.Tools) != 14 {
		t.Fatalf("%d tools", len(list.Result.Tools))
	}
	for _, tool := range list.Result.Tools {
		if len(tool.Description) < 40 {
			t.Errorf("%s: short description", tool.Name)
		}
		if writes := tool.Name == "save_note"; tool.Annotations["readOnlyHint"] == writes || tool.Annotations["destructiveHint"] != writes {
			t.Errorf("%s: annotations %v", tool.Name, tool.Annotations)
		}
		for _, s := range []*schema{tool.InputSchema, tool.OutputSchema} {
			if s == nil || s.Type != "object" {
				t.Errorf("%s: a schema is no object", tool.Name)
				continue
			}
			for name, p := range s.Properties {
				if p.Type == "" || p.Description == "" {
					t.Errorf("%s: property %s is not described", tool.Name, name)
				}
			}
		}
	}
}

func FuzzServeStdio(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"oslo"}}}`)
	f.Add(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
	f.Add(`{"jsonrpc":"2.0","id":null,"method":"initialize","params":[]}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`)
	f.Add(`{"jsonrpc":"2.0","id":"x","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["demo://stations/oslo"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"trip_letter"},"argument":{"name":"season","value":"s"}}}`)
	f.Fuzz(func(t *testing.T, in string) {
		now := make(chan time.Time)
		close(now)
		out, err := play(t, demo.Options{After: func(time.Duration) <-chan time.Time { return now }}, in)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out) {
			if !json.Valid([]byte(line)) {
				t.Errorf("answered %q", line)
			}
		}
	})
}
