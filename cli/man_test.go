package cli_test

import (
	"bytes"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/cli"
)

// Every verb that help knows has a manual page with every option of its help.
func TestManPages(t *testing.T) {
	pages := cli.ManPages()
	var walk func(path ...string)
	seen := 0
	walk = func(path ...string) {
		help, err := exec.Command("mcpeval", append([]string{"help"}, path...)...).Output()
		if err != nil {
			t.Fatalf("help %v: %v", path, err)
		}
		name := strings.Join(append([]string{"mcpeval"}, path...), "-") + ".1"
		page, ok := pages[name]
		if !ok {
			t.Errorf("there is no %s", name)
		}
		seen++
		text := strings.ReplaceAll(string(page), `\-`, "-")
		for _, option := range regexp.MustCompile(`(?m)^   (--[a-z-]+)`).FindAllStringSubmatch(string(help), -1) {
			if option[1] != "--help" && !strings.Contains(text, `\fB`+option[1]) {
				t.Errorf("%s does not name %s", name, option[1])
			}
		}
		_, verbs, _ := strings.Cut(string(help), "COMMANDS:\n")
		verbs, _, _ = strings.Cut(verbs, "\n\n")
		for _, verb := range regexp.MustCompile(`(?m)^   ([a-z][a-z-]*) `).FindAllStringSubmatch(verbs, -1) {
			if verb[1] == "help" {
				seen++ // its help is that of mcpeval
				continue
			}
			walk(append(slices.Clip(path), verb[1])...)
		}
	}
	walk()
	if seen != len(pages) || seen < 30 {
		t.Errorf("help knows %d verbs, and there are %d pages: %v", seen, len(pages), slices.Sorted(maps.Keys(pages)))
	}
	out, err := exec.Command("mcpeval", "man", "journal", "ls").Output()
	if err != nil || !bytes.Equal(out, pages["mcpeval-journal-ls.1"]) {
		t.Errorf("man journal ls: %v: %s", err, out)
	}
	if err := exec.Command("mcpeval", "man", "nothing").Run(); err == nil {
		t.Error("man nothing: no error")
	}
}

// groff formats every page without a warning.
func TestManPagesFormat(t *testing.T) {
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	var all bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(cli.ManPages())) {
		all.Write(cli.ManPages()[name])
	}
	cmd := exec.Command(groff, "-man", "-Tascii", "-ww")
	cmd.Stdin = &all
	var warnings bytes.Buffer
	cmd.Stderr = &warnings
	text, err := cmd.Output()
	if err != nil || warnings.Len() > 0 {
		t.Errorf("%v: %s", err, warnings.Bytes())
	}
	if !bytes.Contains(text, []byte("--server LABEL")) {
		t.Error("an option is missing from the text")
	}
}
