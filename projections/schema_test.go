package projections_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// The tables and views that docs/format.md promises are there, with their
// columns; so are the queries it and the README rest on.
func TestDocumentedTables(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "docs", "format.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(b), "\n## The index\n")
	if !found {
		t.Fatal("docs/format.md has no section on the index")
	}
	h := newHome(t)
	refresh(t, h)
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)\\(([^)]*)\\)` \\|").FindAllStringSubmatch(section, -1) {
		documented[m[1]] = true
		have := read(t, h, func(conn *sqlite.Conn) (list []string, err error) {
			err = sqlitex.Execute(conn, `SELECT name FROM pragma_table_info(?)`, &sqlitex.ExecOptions{Args: []any{m[1]}, ResultFunc: func(s *sqlite.Stmt) error {
				list = append(list, s.ColumnText(0))
				return nil
			}})
			return list, err
		})
		for column := range strings.SplitSeq(m[2], ", ") {
			if column != "..." && !slices.Contains(have, column) {
				t.Errorf("%s has no column %s: %v", m[1], column, have)
			}
		}
		if !strings.HasSuffix(m[2], "...") && len(strings.Split(m[2], ", ")) != len(have) {
			t.Errorf("%s has the columns %v, documented are %s", m[1], have, m[2])
		}
	}
	for _, name := range []string{"calls", "windows", "captures", "annotations", "issues", "findings", "finding_events", "finding_lifecycle",
		"verifications", "readiness", "tool_health", "session_cost", "meta"} {
		if !documented[name] {
			t.Errorf("%s is not documented", name)
		}
	}
}
