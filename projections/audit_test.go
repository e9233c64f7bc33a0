package projections_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
)

func audit(t testing.TB, h *home.Home) *projections.AuditReport {
	t.Helper()
	r, err := projections.Audit(context.Background(), h, nil)
	if err != nil {
		t.Fatalf("audit: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(h.Dir, ".audit-*")); len(left) > 0 {
		t.Errorf("audit left %v behind", left)
	}
	return r
}

// verdict is the part of a report that the tests compare.
type verdict struct {
	Chain             projections.Chain
	BrokenSeq         int64
	Missing           []index.Interval
	Witness           projections.Testimony
	Copies            int64
	Ended, Corrupt    bool
	Torn              int64
	Index, Ledger     projections.Agreement
	Conflict, Damaged bool
	Unread            int64
}

func TestAudit(t *testing.T) {
	ok := verdict{Chain: projections.ChainIntact, Witness: projections.WitnessAgrees, Ended: true, Index: projections.Agrees, Ledger: projections.Agrees}
	with := func(f func(*verdict)) verdict {
		v := ok
		f(&v)
		return v
	}
	lines := func(c *capture) [][]byte { return bytes.SplitAfter(c.text, []byte("\n")) }
	for _, tt := range []struct {
		name  string
		after func(t *testing.T, h *home.Home, g *ids, c *capture) // what happens after the first index
		want  verdict
	}{
		{"nothing", func(*testing.T, *home.Home, *ids, *capture) {}, ok},
		{"a copy of some lines", func(t *testing.T, h *home.Home, _ *ids, c *capture) {
			put(t, h, "copy.jsonl", bytes.Join(lines(c)[1:3], nil))
			refresh(t, h)
		}, with(func(v *verdict) { v.Copies = 2 })},
		{"a torn tail", func(t *testing.T, h *home.Home, _ *ids, c *capture) {
			appendTo(t, h, c.path, []byte(`{"schema":`))
		}, with(func(v *verdict) { v.Torn = 10 })},
		{"events that are not indexed yet", func(t *testing.T, h *home.Home, g *ids, c *capture) {
			from := len(c.text)
			c.add(g, call("late", journal.OutcomeOK))
			appendTo(t, h, c.path, c.text[from:])
		}, with(func(v *verdict) { v.Unread = 1 })},
		{"a cut tail", func(t *testing.T, h *home.Home, _ *ids, c *capture) {
			put(t, h, c.path, bytes.Join(lines(c)[:3], nil))
		}, with(func(v *verdict) {
			v.Witness, v.Ended, v.Index, v.Ledger, v.Damaged = projections.WitnessShorter, false, projections.Differs, projections.Differs, true
		})},
		{"a cut tail, after a rebuild", func(t *testing.T, h *home.Home, _ *ids, c *capture) {
			put(t, h, c.path, bytes.Join(lines(c)[:3], nil))
			refresh(t, h)
			refreshFull(t, h)
		}, with(func(v *verdict) { v.Witness, v.Ended, v.Damaged = projections.WitnessShorter, false, true })},
		{"a removed capture, after a rebuild", func(t *testing.T, h *home.Home, _ *ids, c *capture) {
			if err := os.Remove(filepath.Join(h.Store(), filepath.FromSlash(c.path))); err != nil {
				t.Fatal(err)
			}
			refresh(t, h)
			refreshFull(t, h)
		}, with(func(v *verdict) {
			v.Chain, v.Witness, v.Ended, v.Damaged = projections.ChainAbsent, projections.WitnessGone, false, true
		})},
		{"a removed capture, after index.db was deleted", func(t *testing.T, h *home.Home, _ *ids, c *capture) {
			for _, name := range []string{filepath.Join(h.Store(), filepath.FromSlash(c.path)), h.IndexPath()} {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
			refresh(t, h)
		}, with(func(v *verdict) {
			v.Chain, v.Witness, v.Ended, v.Damaged = projections.ChainAbsent, projections.WitnessGone, false, true
		})},
		{"a removed line", func(t *testing.T, h *home.Home, _ *ids, c *capture) {
			l := lines(c)
			put(t, h, c.path, bytes.Join([][]byte{l[0], l[2], l[3]}, nil))
			refresh(t, h)
		}, with(func(v *verdict) { v.Missing, v.Damaged = []index.Interval{{Lo: 2, Hi: 2}}, true })},
		{"a changed byte", func(t *testing.T, h *home.Home, _ *ids, c *capture) {
			put(t, h, c.path, bytes.Replace(c.text, []byte(`"request_bytes":100`), []byte(`"request_bytes":101`), 1))
			refresh(t, h)
		}, with(func(v *verdict) { v.Chain, v.BrokenSeq, v.Damaged = projections.ChainBroken, 3, true })},
		{"a changed last line", func(t *testing.T, h *home.Home, _ *ids, c *capture) {
			put(t, h, c.path, bytes.Replace(c.text, []byte(`"orphans":0`), []byte(`"orphans":1`), 1))
			refresh(t, h)
			refreshFull(t, h)
		}, with(func(v *verdict) { v.Witness, v.Damaged = projections.WitnessDifferent, true })},
		{"a corrupt line", func(t *testing.T, h *home.Home, _ *ids, c *capture) {
			appendTo(t, h, c.path, []byte("{}\n"))
			refresh(t, h)
		}, with(func(v *verdict) { v.Corrupt, v.Damaged = true, true })},
		{"a conflict", func(t *testing.T, h *home.Home, g *ids, c *capture) {
			d := *c
			d.text = nil
			d.ev.Seq = 1
			d.add(g, call("x", journal.OutcomeOK))
			put(t, h, "zz.jsonl", d.text)
		}, with(func(v *verdict) { v.Conflict, v.Damaged, v.Copies = true, true, 1 })},
		{"a row of the index changed", func(t *testing.T, h *home.Home, _ *ids, _ *capture) {
			edit(t, h, `UPDATE calls SET outcome = 'ok'`)
		}, with(func(v *verdict) { v.Index, v.Damaged = projections.Differs, true })},
		{"the ledger deleted", func(t *testing.T, h *home.Home, _ *ids, _ *capture) {
			if err := os.Remove(h.LedgerPath()); err != nil {
				t.Fatal(err)
			}
		}, with(func(v *verdict) {
			v.Ledger, v.Witness, v.Damaged = projections.Absent, projections.WitnessUnknown, true
		})},
		{"the ledger overwritten", func(t *testing.T, h *home.Home, _ *ids, _ *capture) {
			if err := os.WriteFile(h.LedgerPath(), make([]byte, 1<<15), 0o600); err != nil {
				t.Fatal(err)
			}
		}, with(func(v *verdict) {
			v.Ledger, v.Witness, v.Damaged = projections.Unreadable, projections.WitnessUnknown, true
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := &ids{}
			h := newHome(t)
			c := small(g, "s", "demo")
			c.write(t, h)
			other := small(g, "s", "demo") // stays as it is
			other.write(t, h)
			refresh(t, h)
			tt.after(t, h, g, c)
			r := audit(t, h)
			got := verdict{Index: r.Index, Ledger: r.Ledger, Conflict: r.Conflict != nil, Damaged: r.Broken(), Unread: r.Unread}
			for _, a := range r.Captures {
				if a.CaptureID != c.id.String() {
					if a.Broken() {
						t.Errorf("the other capture is said to be broken: %+v", a)
					}
					continue
				}
				got.Chain, got.BrokenSeq, got.Witness, got.Copies = a.Chain, a.BrokenSeq, a.Witness, a.Copies
				got.Ended, got.Corrupt, got.Torn = a.Ended, a.Corrupt != nil, a.TornBytes
				if len(a.Missing) > 0 {
					got.Missing = a.Missing
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// edit changes the index behind the program's back.
func edit(t testing.TB, h *home.Home, query string) {
	t.Helper()
	conn, err := sqlite.OpenConn(h.IndexPath(), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteTransient(conn, query, nil); err != nil {
		t.Error(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}

func TestAuditLegacy(t *testing.T) {
	h := newHome(t)
	put(t, h, "calls-1.jsonl", []byte(legacyLine("s", "x", 1, "a", "ok")+legacyLine("s", "x", 1, "a", "ok")))
	refresh(t, h)
	r := audit(t, h)
	want := []projections.LegacyAudit{{File: "calls-1.jsonl", Records: 2, Status: "legacy: continuity cannot be proven"}}
	if d := cmp.Diff(want, r.Legacy); d != "" || len(r.Captures) != 0 || r.Broken() {
		t.Errorf("%+v %s", r, d)
	}
}

func TestAuditWithoutIndex(t *testing.T) {
	h := newHome(t)
	small(&ids{}, "s", "demo").write(t, h)
	r := audit(t, h)
	if r.Index != projections.Absent || r.Ledger != projections.Absent || r.Broken() || r.Unread != 4 || r.Since != nil {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(h.IndexPath()); err == nil {
		t.Error("audit made an index")
	}
}
