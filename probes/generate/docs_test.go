package generate_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/probes/generate"
)

// The documented expectations are ones, and every class is documented.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/generate.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```json\n(.*?)\n```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) != 2 {
		t.Errorf("%d examples", len(blocks))
	}
	for _, block := range blocks {
		f := finding(generate.FalseSuccess)
		if _, err := generate.Generate(f, &generate.Options{ConfirmReadOnly: true, Expect: []byte(block[1])}); err != nil {
			t.Errorf("%s: %v", block[1], err)
		}
	}
	for _, c := range generate.Classes() {
		if !strings.Contains(string(text), "`"+string(c)+"`") {
			t.Errorf("%s is not documented", c)
		}
	}
}
