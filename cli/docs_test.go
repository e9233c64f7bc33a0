package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

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
