package app_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
	"github.com/mcpeval/mcpeval/server/app"
)

func parsed[T any](t *testing.T, grammar func([]byte) (T, bool), text string) T {
	t.Helper()
	v, ok := grammar([]byte(text))
	if !ok {
		t.Fatalf("%q is outside the grammar", text)
	}
	return v
}

// failing records a capture of a session in which a tool fails four times.
func failing(t *testing.T, h *home.Home, session, server string) string {
	t.Helper()
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	label := func(s string) sanitize.Label { return parsed(t, sanitize.ParseLabel, s) }
	w, err := journal.Create(&journal.Options{
		Store: h.Store(), Session: sanitize.SessionOf(session), Server: label(server), Kind: journal.Real,
		Recorder: journal.RecorderShim, Version: label("0.1.0"), SaltID: sanitize.New(sanitize.Salt{1}).SaltID(),
		Now: func() time.Time { return at },
	})
	if err != nil {
		t.Fatal(err)
	}
	add := func(b journal.Body) {
		at = at.Add(time.Second)
		if _, err := w.Add(at, b); err != nil {
			t.Fatal(err)
		}
	}
	for range 4 {
		add(&journal.Call{
			Origin: journal.FromClient, Method: sanitize.MethodOf([]byte("tools/call")), Tool: parsed(t, sanitize.ParseTool, "fetch"),
			Args: parsed(t, sanitize.ParseShape, `{"path":"str32"}`), LatencyUS: 1000, RequestBytes: 100, ResponseBytes: 200, Outcome: journal.OutcomeError,
			Error: &journal.CallError{Code: parsed(t, sanitize.ParseCode, `"tool-error"`), TemplateID: parsed(t, sanitize.ParseTemplateID, "0123456789abcdef")},
		})
	}
	add(&journal.End{Events: 6})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Path()
}

func refresh(t *testing.T, h *home.Home) (*projections.Result, error) {
	t.Helper()
	threshold := 0.01
	return projections.Refresh(context.Background(), h, &projections.Options{Threshold: &threshold})
}

// findingOf is the ID of the finding about a server.
func findingOf(t *testing.T, h *home.Home, server string) (id string) {
	t.Helper()
	err := index.Read(context.Background(), h.IndexPath(), func(conn *sqlite.Conn) error {
		list, err := query.Findings(conn, query.FindingFilter{Server: server})
		if err == nil && len(list) != 1 {
			err = errors.New("not one finding")
		}
		if err == nil {
			id = list[0].ID
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// Each way to tamper with a log is found, before and after it was indexed again,
// with the findings that rest on it; and a log that stands in the way of the
// index can be put into quarantine, after which the rest is indexed.
func TestAuditFindsTampering(t *testing.T) {
	lines := func(text string) []string { return strings.SplitAfter(text, "\n") }
	forge := func(t *testing.T, text string, line int, change func(*journal.Event)) string {
		return lines(bend(t, text, line, change))[line-1]
	}
	fresh := func(e *journal.Event) { e.ID = uuid.Must(uuid.NewV7()) }
	base := newHome(t)
	rel := failing(t, base, "one", "demo")
	for _, session := range []string{"two", "three"} {
		failing(t, base, session, "demo")
		failing(t, base, session, "other")
	}
	if _, err := refresh(t, base); err != nil {
		t.Fatal(err)
	}
	finding, other := findingOf(t, base, "demo"), findingOf(t, base, "other")
	clean, err := app.Audit(context.Background(), base, nil)
	if err != nil || clean.Broken() || len(clean.Findings) > 0 {
		t.Fatalf("%+v %v", clean, err)
	}
	for _, tt := range []struct {
		name   string
		tamper func(t *testing.T, h *home.Home, rel, text string) // a log of capture, four calls, end
		found  func(c *projections.CaptureAudit) bool             // as the capture shows it

		quarantine string // the file that stands in the way, "" for none: then the index takes the log as it is
		refused    bool   // the index refuses the journal whole until then
		later      bool   // after the next index the findings still rest on it
		altered    int64  // evidence whose own line was altered or lost
	}{
		{
			"a changed byte", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, rel), strings.Replace(text, `"response_bytes":200`, `"response_bytes":201`, 1))
			},
			func(c *projections.CaptureAudit) bool { return c.Chain == projections.ChainBroken && c.BrokenSeq == 3 }, "", false, true, 1,
		},
		{
			"a changed byte in the last line", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, rel), strings.Replace(text, `"orphans":0`, `"orphans":1`, 1))
			},
			func(c *projections.CaptureAudit) bool { return c.Witness == projections.WitnessDifferent }, "", false, true, 0,
		},
		{
			"a changed byte that leaves no event", func(t *testing.T, h *home.Home, rel, text string) {
				l := lines(text)
				l[2] = "[" + l[2][1:]
				write(t, file(h, rel), strings.Join(l, ""))
			},
			func(c *projections.CaptureAudit) bool { return c.Corrupt != nil && c.Corrupt.Line == 3 }, "own", false, true, 1,
		},
		{
			"a removed line", func(t *testing.T, h *home.Home, rel, text string) {
				l := lines(text)
				write(t, file(h, rel), strings.Join(append(l[:2:2], l[3:]...), ""))
			},
			func(c *projections.CaptureAudit) bool { return cmp.Equal(c.Missing, []index.Interval{{Lo: 3, Hi: 3}}) }, "", false, true, 1,
		},
		{
			"a removed first line", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, rel), strings.Join(lines(text)[1:], ""))
			},
			func(c *projections.CaptureAudit) bool { return cmp.Equal(c.Missing, []index.Interval{{Lo: 1, Hi: 1}}) }, "", false, true, 0,
		},
		{
			"removed last lines", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, rel), cut(text, 3))
			},
			func(c *projections.CaptureAudit) bool {
				return c.Witness == projections.WitnessShorter && c.SeenSeq == 6
			}, "", false, true, 2,
		},
		{
			"a removed file", func(t *testing.T, h *home.Home, rel, text string) {
				if err := os.Remove(file(h, rel)); err != nil {
					t.Fatal(err)
				}
			},
			func(c *projections.CaptureAudit) bool { return c.Witness == projections.WitnessGone }, "", false, false, 4,
		},
		{
			"an emptied file", func(t *testing.T, h *home.Home, rel, text string) { write(t, file(h, rel), "") },
			func(c *projections.CaptureAudit) bool { return c.Witness == projections.WitnessGone }, "", false, false, 4,
		},
		{
			"reordered lines", func(t *testing.T, h *home.Home, rel, text string) {
				l := lines(text)
				l[2], l[3] = l[3], l[2]
				write(t, file(h, rel), strings.Join(l, ""))
			},
			func(c *projections.CaptureAudit) bool { return c.Reordered == 4 && c.Chain == projections.ChainIntact }, "", false, true, 0,
		},
		{
			"the first line moved to the end", func(t *testing.T, h *home.Home, rel, text string) {
				l := lines(text)
				write(t, file(h, rel), strings.Join(append(l[1:6:6], l[0]), ""))
			},
			func(c *projections.CaptureAudit) bool { return c.Reordered == 6 }, "", false, true, 0,
		},
		{
			"a forged event behind the last one", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, rel), text+forge(t, text, 5, func(e *journal.Event) { fresh(e); e.Seq = 7 }))
			},
			func(c *projections.CaptureAudit) bool { return c.Chain == projections.ChainBroken && c.BrokenSeq == 7 }, "", false, true, 0,
		},
		{
			"a forged event in a log of its own", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, "forged.jsonl"), forge(t, text, 5, func(e *journal.Event) { fresh(e); e.Seq = 7 }))
			},
			func(c *projections.CaptureAudit) bool { return c.Chain == projections.ChainBroken && c.BrokenSeq == 7 }, "", false, true, 0,
		},
		{
			"a forged event far behind", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, rel), text+forge(t, text, 5, func(e *journal.Event) { fresh(e); e.Seq = 9 }))
			},
			func(c *projections.CaptureAudit) bool { return cmp.Equal(c.Missing, []index.Interval{{Lo: 7, Hi: 8}}) }, "", false, true, 0,
		},
		{
			"a forged event in place of another", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, rel), bend(t, text, 3, fresh))
			},
			func(c *projections.CaptureAudit) bool { return c.Chain == projections.ChainBroken && c.BrokenSeq == 4 }, "", false, true, 1,
		},
		{
			"a forged event beside another", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, "forged.jsonl"), forge(t, text, 3, fresh))
			},
			func(c *projections.CaptureAudit) bool { return c.Copies == 1 }, "forged.jsonl", true, true, 0,
		},
		{
			"an event with another content", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, "forged.jsonl"), forge(t, text, 3, func(e *journal.Event) { e.TS = e.TS.Add(time.Hour) }))
			},
			func(c *projections.CaptureAudit) bool { return c.Copies == 1 }, "forged.jsonl", true, true, 0,
		},
		{
			"an event of another session", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, "forged.jsonl"), forge(t, text, 5, func(e *journal.Event) {
					fresh(e)
					e.Seq, e.Session = 7, sanitize.SessionOf("another")
				}))
			},
			func(c *projections.CaptureAudit) bool { return c.Chain == projections.ChainBroken }, "forged.jsonl", true, true, 0,
		},
		{
			"a torn tail", func(t *testing.T, h *home.Home, rel, text string) {
				write(t, file(h, rel), text[:len(text)-20])
			},
			func(c *projections.CaptureAudit) bool {
				return c.TornBytes > 0 && c.Witness == projections.WitnessShorter
			}, "", false, true, 0,
		},
		{
			"a torn line amid others", func(t *testing.T, h *home.Home, rel, text string) {
				l := lines(text)
				l[2] = l[2][:100]
				write(t, file(h, rel), strings.Join(l, ""))
			},
			func(c *projections.CaptureAudit) bool { return c.Corrupt != nil && c.Corrupt.Line == 3 }, "own", false, true, 2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			if err := os.CopyFS(h.Dir, os.DirFS(base.Dir)); err != nil {
				t.Fatal(err)
			}
			tt.tamper(t, h, rel, string(read(t, file(h, rel))))
			capture := strings.TrimSuffix(filepath.Base(rel), ".jsonl")

			audit := func(when string, named bool) {
				t.Helper()
				report, err := app.Audit(context.Background(), h, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !report.Broken() {
					t.Errorf("%s: nothing was found", when)
				}
				shown := false
				for i := range report.Captures {
					c := &report.Captures[i]
					shown = shown || c.CaptureID == capture && tt.found(c)
				}
				if !shown {
					t.Errorf("%s: the capture shows it otherwise: %+v", when, report.Captures)
				}
				if (report.Conflict != nil) != tt.refused {
					t.Errorf("%s: the conflict is %+v", when, report.Conflict)
				}
				got := map[string]bool{}
				for _, f := range report.Findings {
					got[f.ID] = true
				}
				if got[finding] != named || got[other] {
					t.Errorf("%s: the findings %v are named; %s rests on it, %s does not", when, report.Findings, finding, other)
				}
			}
			audit("before it is indexed", true)
			_, evidence, err := app.AuditFinding(context.Background(), h, finding, nil)
			if err != nil {
				t.Fatal(err)
			}
			var altered, broken int64
			for _, e := range evidence {
				if e.LineState == app.LineChanged || e.LineState == app.LineMissing {
					altered++
				}
				if e.Broken {
					if broken++; *e.CaptureID != capture {
						t.Errorf("named a call of another capture: %+v", e)
					}
				}
			}
			if altered != tt.altered || broken != 4 || len(evidence) != 12 {
				t.Errorf("of the evidence, %d lines were altered and %d calls are in doubt, want %d and 4", altered, broken, tt.altered)
			}

			result, err := refresh(t, h)
			var conflict *projections.ConflictError
			if errors.As(err, &conflict) != tt.refused || err != nil && !tt.refused {
				t.Fatal(err)
			}
			audit("after it is indexed", tt.later)

			if unread := err == nil && len(result.Corrupt) > 0; unread || tt.refused {
				name := tt.quarantine
				if name == "own" {
					name = rel
				}
				if tt.refused && !strings.HasSuffix(conflict.Next(), " "+name) {
					t.Errorf("the refusal names %q", conflict.Next())
				}
				if _, err := app.Quarantine(h, name); err != nil {
					t.Fatal(err)
				}
				result, err := refresh(t, h)
				if err != nil || len(result.Corrupt) > 0 {
					t.Fatalf("not indexed again: %+v %v", result, err)
				}
				after, err := app.Audit(context.Background(), h, nil)
				if err != nil || after.Broken() || len(after.Findings) > 0 {
					t.Errorf("after the quarantine: %+v %v", after, err)
				}
			} else if tt.quarantine != "" {
				t.Error("the index took the log as it is")
			}
		})
	}
}

// Records without a chain: only their own lines can be told.
func TestAuditFindingLegacy(t *testing.T) {
	h := newHome(t)
	failed := strings.NewReplacer(`"outcome":"ok"`, `"outcome":"error"`, `"error":null`, `"error":{"code":"tool-error","template":"{message}","template_id":"0123456789abcdef"}`)
	first := failed.Replace(sharedCall)
	second := strings.Replace(first, "0000001", "0000002", 1)
	write(t, file(h, "calls-2025.jsonl"), first+second)
	if _, err := refresh(t, h); err != nil {
		t.Fatal(err)
	}
	id := findingOf(t, h, "demo")
	audit, evidence, err := app.AuditFinding(context.Background(), h, id, nil)
	if err != nil || audit.Broken() || len(evidence) != 2 || evidence[0].EventID != nil || evidence[0].Chain != projections.ChainUnprovable ||
		evidence[0].Digest != sum(strings.TrimSuffix(first, "\n")) || evidence[1].Line != 2 {
		t.Errorf("%+v, %+v, %v", audit, evidence, err)
	}
	write(t, file(h, "calls-2025.jsonl"), first+strings.Replace(second, `"latency_ms":3`, `"latency_ms":4`, 1))
	audit, evidence, err = app.AuditFinding(context.Background(), h, id, nil)
	if err != nil || audit.Altered != 1 || evidence[1].LineState != app.LineChanged {
		t.Errorf("%+v, %+v, %v", audit, evidence, err)
	}
}

func TestAuditFindingUnknown(t *testing.T) {
	h := newHome(t)
	var problem *app.Problem
	if _, _, err := app.AuditFinding(context.Background(), h, "finding-0", nil); !errors.As(err, &problem) {
		t.Errorf("without an index: %v", err)
	}
	failing(t, h, "one", "demo")
	if _, err := refresh(t, h); err != nil {
		t.Fatal(err)
	}
	var input *app.InputError
	if _, _, err := app.AuditFinding(context.Background(), h, "finding-0", nil); !errors.As(err, &input) {
		t.Errorf("with an index: %v", err)
	}
}
