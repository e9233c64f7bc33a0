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
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"github.com/mcpeval/mcpeval/probes/demo"
)

var update = flag.Bool("update", false, "rewrite the out sections of testdata/*.txtar")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func find(t *testing.T, name string) demo.Aspect {
	t.Helper()
	a, ok := demo.FindAspect(name)
	if !ok {
		t.Fatalf("no aspect %q", name)
	}
	return a
}

func serve(t *testing.T, aspect, in string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := demo.Serve(t.Context(), &demo.Options{In: strings.NewReader(in), Out: &out, Aspect: find(t, aspect)})
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
			got, err := serve(t, strings.TrimSpace(section["aspect"]), section["in"])
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
		go func() {
			done <- demo.Serve(context.Background(), &demo.Options{In: in, Out: &out, Aspect: find(t, "slow")})
		}()
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

func TestExitMidCall(t *testing.T) {
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_cities"}}` + "\n"
	out, err := serve(t, "exit-mid-call", strings.Repeat(call, 5))
	if !errors.Is(err, demo.ErrExited) || strings.Count(out, "\n") != 2 {
		t.Errorf("got %v after %d answers, want ErrExited after 2", err, strings.Count(out, "\n"))
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteErrorEnds(t *testing.T) {
	in := strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", 3)
	err := demo.Serve(t.Context(), &demo.Options{In: strings.NewReader(in), Out: brokenWriter{}})
	if !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

func TestAspects(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	last := ""
	for _, a := range demo.Aspects() {
		if !name.MatchString(a.Name) || a.Name <= last {
			t.Errorf("%q is no kebab-case name in order", a.Name)
		}
		if a.Text == "" || len(a.Text) > 90 || strings.Contains(a.Text, "\n") {
			t.Errorf("%s: %q is no one-line text", a.Name, a.Text)
		}
		if !strings.Contains(demo.AspectNames(), a.Name) {
			t.Errorf("%s is not listed", a.Name)
		}
		last = a.Name
	}
	if _, ok := demo.FindAspect("no-such"); ok {
		t.Error("found an aspect that does not exist")
	}
}

// Every tool has what the catalog score asks for.
func TestCatalogIsGood(t *testing.T) {
	out, _ := serve(t, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`+"\n"+
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
	if len(list.Result.Tools) < 5 {
		t.Fatalf("%d tools", len(list.Result.Tools))
	}
	for _, tool := range list.Result.Tools {
		if len(tool.Description) < 40 {
			t.Errorf("%s: short description", tool.Name)
		}
		if !tool.Annotations["readOnlyHint"] || tool.Annotations["destructiveHint"] {
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

func FuzzServe(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{"city":"oslo"}}}`)
	f.Add(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
	f.Add(`{"jsonrpc":"2.0","id":null,"method":"initialize","params":[]}`)
	f.Fuzz(func(t *testing.T, in string) {
		var out bytes.Buffer
		if err := demo.Serve(t.Context(), &demo.Options{In: strings.NewReader(in), Out: &out}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("answered %q", line)
			}
		}
	})
}
