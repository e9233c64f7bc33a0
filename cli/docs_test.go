package cli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal"
)

// The lines that docs/format.md shows are lines of the journal, one of every
// type at least.
func TestFormatLines(t *testing.T) {
	text, err := os.ReadFile("../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	decoder := journal.NewDecoder()
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)\n```").FindAllStringSubmatch(string(text), -1) {
		var event journal.Event
		if err := decoder.Decode(journal.FileCapture, []byte(block[1]), &event); err != nil {
			t.Errorf("%v: %s", err, block[1])
			continue
		}
		shown = append(shown, event.Body.Type().String())
	}
	for kind := journal.TypeCapture; kind <= journal.TypeEnd; kind++ {
		if !slices.Contains(shown, kind.String()) {
			t.Errorf("docs/format.md shows no %s event", kind)
		}
		if !strings.Contains(string(text), "### `"+kind.String()+"`") {
			t.Errorf("docs/format.md does not explain %s", kind)
		}
	}
}

// The README shows how to put the shim into a client's configuration, before and
// after, for Unix and for Windows: the server's own command stays what it was.
func TestClientConfiguration(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	type entry struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	var entries []entry
	for _, block := range regexp.MustCompile("(?s)```json\n(.*?)\n```").FindAllStringSubmatch(string(text), -1) {
		var e entry
		if err := json.Unmarshal([]byte(block[1]), &e); err != nil {
			t.Errorf("%v: %s", err, block[1])
		}
		if e.Command != "" {
			entries = append(entries, e)
		}
	}
	if len(entries) < 4 {
		t.Fatalf("found %d configurations, want one before and after for Unix and Windows each", len(entries))
	}
	for i, program := range []string{"/path/to/mcpeval", `C:\path\to\mcpeval.exe`} {
		before, after := entries[2*i], entries[2*i+1]
		want := entry{program, append([]string{"shim", "--server", "myserver", "--", before.Command}, before.Args...)}
		if diff := cmp.Diff(want, after); diff != "" {
			t.Error(diff)
		}
	}
}

// The documents do not promise more than the chain can hold.
func TestEvidenceIsNotAuthentication(t *testing.T) {
	for _, file := range []string{"../README.md", "../docs/format.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "IDs and chain identify local evidence and do not authenticate its source") {
			t.Errorf("%s does not say what IDs and chain are worth", file)
		}
	}
}

// Every mcpeval command that the documents show has a verb and flags that
// exist.
func TestDocumentedCommands(t *testing.T) {
	files, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile("(?m)^\\s*(?:\\$ )?(?:MCPEVAL_[A-Z]+=\\S+ )?mcpeval ([a-z][^\n`]*)")
	found := 0
	for _, file := range append(files, "../README.md", "../CONTRIBUTING.md", "../SECURITY.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			for _, match := range command.FindAllStringSubmatch(block[1], -1) {
				found++
				checkCommand(t, filepath.Base(file), match[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("found only %d commands", found)
	}
}

func checkCommand(t *testing.T, file, line string) {
	t.Helper()
	line, _, _ = strings.Cut(line, " -- ")
	line, _, _ = strings.Cut(line, "#")
	var verb, flags []string
	for _, word := range strings.Fields(line) {
		switch {
		case strings.HasPrefix(word, "--"):
			name, _, _ := strings.Cut(word, "=")
			flags = append(flags, name)
		case len(flags) == 0 && regexp.MustCompile(`^[a-z-]+$`).MatchString(word) && len(verb) < 2:
			verb = append(verb, word)
		}
	}
	for len(verb) > 0 {
		help, err := exec.Command("mcpeval", append([]string{"help"}, verb...)...).CombinedOutput()
		if err != nil {
			verb = verb[:len(verb)-1] // the last may be an argument
			continue
		}
		for _, flag := range flags {
			if !strings.Contains(string(help), flag) {
				t.Errorf("%s shows %q, but mcpeval %s has no %s", file, line, strings.Join(verb, " "), flag)
			}
		}
		return
	}
	t.Errorf("%s shows %q, which is no verb", file, line)
}
