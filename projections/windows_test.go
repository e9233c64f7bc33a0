package projections_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections/query"
)

// windows gives each failure's window as "tool: neighbour@offset ...", by the
// names of tools.
func windows(t testing.TB, h *home.Home) []string {
	t.Helper()
	return read(t, h, func(conn *sqlite.Conn) (list []string, err error) {
		byFailure := map[string][]string{}
		err = sqlitex.Execute(conn, `SELECT f.tool, n.tool, w.offset FROM windows w
			JOIN calls f ON f.id = w.failure_id JOIN calls n ON n.id = w.neighbour_id
			ORDER BY f.ts, f.tool, w.offset`, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			f := s.ColumnText(0)
			byFailure[f] = append(byFailure[f], fmt.Sprintf("%s@%d", s.ColumnText(1), s.ColumnInt64(2)))
			return nil
		}})
		for f, near := range byFailure {
			list = append(list, f+": "+strings.Join(near, " "))
		}
		slices.Sort(list)
		return list, err
	})
}

func TestWindows(t *testing.T) {
	ok, failed := journal.OutcomeOK, journal.OutcomeError
	for _, tt := range []struct {
		name  string
		write func(t *testing.T, h *home.Home, g *ids)
		want  []string
	}{
		{"five before and three after", func(t *testing.T, h *home.Home, g *ids) {
			c := g.capture("s", "demo")
			for i := range 7 {
				c.add(g, call(fmt.Sprint("b", i), ok))
			}
			c.add(g, call("F", failed))
			for i := range 5 {
				c.add(g, call(fmt.Sprint("a", i), ok))
			}
			c.write(t, h)
		}, []string{"F: b2@-5 b3@-4 b4@-3 b5@-2 b6@-1 a0@1 a1@2 a2@3"}},
		{"only real tools/call rows are neighbours", func(t *testing.T, h *home.Home, g *ids) {
			c := g.capture("s", "demo")
			c.add(g, call("before", ok))
			list := call("", ok)
			list.Method, list.Tool = sanitize.MethodOf([]byte("tools/list")), sanitize.Tool{}
			c.add(g, list)
			c.add(g, &journal.Notification{Origin: journal.FromServer, Method: sanitize.MethodOf([]byte("notifications/progress"))})
			c.add(g, &journal.Unparsed{Direction: journal.Inbound})
			c.add(g, &journal.Gap{})
			back := call("server-side", ok)
			back.Origin = journal.FromServer
			c.add(g, back)
			c.ev.Kind = journal.Synthetic
			c.add(g, call("probe", failed))
			c.ev.Kind = journal.Real
			c.add(g, call("F", failed))
			c.add(g, pending("after"))
			c.write(t, h)
		}, []string{"F: before@-1 after@1", "after: before@-2 F@-1"}},
		{"never across captures, sessions or servers", func(t *testing.T, h *home.Home, g *ids) {
			for i, at := range [][2]string{{"s", "demo"}, {"s", "demo"}, {"other", "demo"}, {"s", "other"}} {
				c := g.capture(at[0], at[1])
				c.add(g, call(fmt.Sprint("ok", i), ok))
				c.add(g, call(fmt.Sprint("F", i), failed))
				c.write(t, h)
			}
		}, []string{"F0: ok0@-1", "F1: ok1@-1", "F2: ok2@-1", "F3: ok3@-1"}},
		{"unanswered, cancelled and annotated calls fail too", func(t *testing.T, h *home.Home, g *ids) {
			c := g.capture("s", "demo")
			c.add(g, call("u", journal.OutcomeUnanswered))
			c.add(g, call("c", journal.OutcomeCancelled))
			c.add(g, call("i", journal.OutcomeInputRequired))
			c.add(g, call("k", journal.OutcomeUnknown))
			id := c.add(g, call("silent", ok))
			c.write(t, h)
			a := g.capture("me", "demo")
			a.add(g, &journal.Annotation{Target: id, Label: journal.FalseSuccess, Note: note("no")})
			a.write(t, h)
		}, []string{
			"c: u@-1 i@1 k@2 silent@3",
			"silent: u@-4 c@-3 i@-2 k@-1",
			"u: c@1 i@2 k@3",
		}},
		{"a pending event is a row until its call comes", func(t *testing.T, h *home.Home, g *ids) {
			c := g.capture("s", "demo")
			p := c.add(g, pending("slow"))
			c.add(g, pending("hung"))
			k := call("slow", ok)
			k.Pending = p
			c.add(g, k)
			c.write(t, h)
		}, []string{"hung: slow@1"}},
		{"legacy pairs, in the order of their numbers", func(t *testing.T, h *home.Home, _ *ids) {
			put(t, h, "calls-1.jsonl", []byte(legacyLine("s", "x", 3, "c", "ok")+legacyLine("s", "x", 1, "a", "ok")+legacyLine("s", "x", 2, "F", "error")))
			put(t, h, "calls-2.jsonl", []byte(legacyLine("s", "y", 1, "d", "ok")+legacyLine("t", "x", 1, "e", "ok")))
		}, []string{"F: a@-1 c@1"}},
		{"a legacy pair with a repeated number has none", func(t *testing.T, h *home.Home, _ *ids) {
			put(t, h, "calls-1.jsonl", []byte(legacyLine("s", "x", 1, "a", "ok")+legacyLine("s", "x", 2, "F", "error")+
				legacyLine("s", "y", 1, "b", "ok")+legacyLine("s", "y", 2, "G", "error")))
			put(t, h, "calls-2.jsonl", []byte(legacyLine("s", "x", 1, "a", "ok")))
		}, []string{"G: b@-1"}},
		{"an annotation of a legacy record", func(t *testing.T, h *home.Home, _ *ids) {
			put(t, h, "calls-1.jsonl", []byte(legacyLine("s", "x", 1, "a", "ok")+legacyLine("s", "x", 2, "b", "ok")+
				legacyLine("u", "x", 7, "one", "ok")+legacyLine("u", "y", 7, "two", "ok")+legacyLine("u", "x", 8, "three", "ok")))
			put(t, h, "annotations-1.jsonl", []byte(
				`{"ts":"2025-01-01T00:00:00Z","session":"s","seq":2,"kind":"false-success","note":"no"}`+"\n"+
					`{"ts":"2025-01-01T00:00:00Z","session":"u","seq":7,"kind":"false-success","note":"which of the two?"}`+"\n"))
		}, []string{"b: a@-1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHome(t)
			tt.write(t, h, &ids{})
			refresh(t, h)
			if d := cmp.Diff(tt.want, windows(t, h)); d != "" {
				t.Error(d)
			}
		})
	}
}

func legacyLine(session, server string, seq int, tool, outcome string) string {
	return fmt.Sprintf(`{"ts":"2025-01-01T00:00:%02dZ","session":%q,"seq":%d,"server":%q,"method":"tools/call","tool":%q,"outcome":%q,"kind":"real"}`+"\n",
		seq, session, seq, server, tool, outcome)
}

// Late events take their place in windows that were there before.
func TestLateEvents(t *testing.T) {
	g := &ids{}
	h := newHome(t)
	c := g.capture("s", "demo")
	c.add(g, call("a", journal.OutcomeOK))
	first := len(c.text)
	c.add(g, call("b", journal.OutcomeOK))
	second := len(c.text)
	c.add(g, call("F", journal.OutcomeError))
	put(t, h, "b.jsonl", append(append([]byte(nil), c.text[:first]...), c.text[second:]...))
	refresh(t, h)
	if d := cmp.Diff([]string{"F: a@-1"}, windows(t, h)); d != "" {
		t.Error(d)
	}
	put(t, h, "c.jsonl", c.text[first:second])
	refresh(t, h)
	if d := cmp.Diff([]string{"F: a@-2 b@-1"}, windows(t, h)); d != "" {
		t.Error(d)
	}
	sameAsRebuilt(t, h)
}

// A call replaces its pending row whichever of the two is indexed first, and a
// call of another capture does not.
func TestPendingRows(t *testing.T) {
	for _, callFirst := range []bool{false, true} {
		t.Run(fmt.Sprint(callFirst), func(t *testing.T) {
			g := &ids{}
			h := newHome(t)
			c := g.capture("s", "demo")
			from := len(c.text)
			p := c.add(g, pending("slow"))
			middle := len(c.text)
			k := call("slow", journal.OutcomeOK)
			k.Pending = p
			c.add(g, k)
			parts := [][]byte{c.text[from:middle], c.text[middle:]}
			if callFirst {
				slices.Reverse(parts)
			}
			other := g.capture("s", "demo")
			stray := call("stray", journal.OutcomeOK)
			stray.Pending = p
			other.add(g, stray)
			other.write(t, h)
			put(t, h, "m.jsonl", parts[0])
			refresh(t, h)
			put(t, h, "n.jsonl", parts[1])
			res := refresh(t, h)
			if res.Calls != 2 || res.Failures != 0 {
				t.Errorf("%+v", res)
			}
			ev := read(t, h, func(conn *sqlite.Conn) (*query.Evidence, error) { return query.EvidenceOf(conn, p.String()) })
			if ev == nil || ev.Type != "pending" {
				t.Errorf("evidence of the pending event: %+v", ev)
			}
			sameAsRebuilt(t, h)
		})
	}
}

// The query of the README works with the sqlite3 program, while a reader holds
// the log open and after the indexer has closed.
func TestSQLiteProgram(t *testing.T) {
	program, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip("no sqlite3 program")
	}
	g := &ids{}
	h := newHome(t)
	small(g, "s", "demo").write(t, h)
	refresh(t, h)
	ask := func(query string) string {
		t.Helper()
		out, err := exec.Command(program, h.IndexPath(), query).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	grouped := `SELECT server, tool, outcome, COUNT(*) FROM calls GROUP BY 1,2,3 ORDER BY 4 DESC, 1, 2;`
	if got, want := ask(grouped), "demo|a|ok|1\ndemo|b|error|1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r := hold(t, h)
	r.ask("begin")
	small(g, "s", "demo").write(t, h)
	refresh(t, h)
	if got, want := ask(grouped), "demo|a|ok|2\ndemo|b|error|2"; got != want {
		t.Errorf("with a reader open: got %q, want %q", got, want)
	}
	for _, view := range []string{"tool_health", "session_cost", "windows", "evidence", "captures", "annotations", "meta"} {
		ask("SELECT * FROM " + view)
	}
	want := strings.Split("id,event_id,capture_id,operation_id,ts,session,seq,server,origin,method,tool,latency_ms,latency_us,outcome,cancelled,task,"+
		"err_code,err_template,err_template_id,err_retryable,args,request_bytes,response_bytes,shim_self_us,kind", ",")
	if got := strings.Split(ask("SELECT name FROM pragma_table_info('calls') LIMIT 25"), "\n"); !slices.Equal(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
}
