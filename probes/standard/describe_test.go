package standard_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/standard"
)

var update = flag.Bool("update", false, "rewrite docs/standard.md")

// TestDocument: docs/standard.md says what the code does, and of every check.
func TestDocument(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "standard.md")
	want := standard.Describe()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, strings.ReplaceAll(string(got), "\r\n", "\n")); diff != "" {
		t.Errorf("-update rewrites it:\n%s", diff)
	}
	for _, id := range report.CheckIDs() {
		if strings.Count(want, "| `"+string(id)+"` |") != 1 {
			t.Errorf("%s is not described once", id)
		}
	}
}
