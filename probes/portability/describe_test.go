package portability_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/portability"
)

var update = flag.Bool("update", false, "rewrite docs/portability.md")

// TestDocument: docs/portability.md says what the code does.
func TestDocument(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "portability.md")
	want := portability.Describe()
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
}
