package projections_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
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
)

// scenario is a journal with the findings it has to give: computed by another
// program, as testdata/promotion/README.md says.
type scenario struct {
	Captures []struct {
		Session, Server, Kind, Recorder string
		Start                           int64
		Events                          []struct {
			Type, Tool, Method, Origin, Outcome, Template, Code, Direction string
			Retryable                                                      *bool
		}
	}
	Annotations []struct {
		Capture, Event int
		Kind           string
	}
	AsOf      int64 `json:"as_of"`
	Threshold float64
	Summary   query.PromotionSummary
	Want      []struct {
		ID, Server, Tool, Class, Severity, Code string
		TemplateID                              string `json:"template_id"`
		Score, Cost                             float64
		Failures, Calls, Sessions, Blast        int64
		Codes                                   []string
		Retryable                               *bool
		FirstSeen                               int64 `json:"first_seen"`
		LastSeen                                int64 `json:"last_seen"`
	}
}

// at is a time of a scenario.
func at(seconds int64) time.Time { return epoch.Add(time.Duration(seconds) * time.Second) }

// files are the logs of a scenario.
func (s *scenario) files() []file {
	g := &ids{}
	var files []file
	events := map[[2]int]uuid.UUID{}
	for i, c := range s.Captures {
		k := recorded(g, c.Session, c.Server, recorderNames[c.Recorder], at(c.Start))
		k.ev.Kind = journal.Real
		if c.Kind == "synthetic" {
			k.restart(g, journal.Synthetic)
		}
		for j, e := range c.Events {
			var body journal.Body
			switch {
			case e.Type == "unparsed":
				body = &journal.Unparsed{Direction: map[string]journal.Direction{"inbound": journal.Inbound, "outbound": journal.Outbound}[e.Direction]}
			default:
				v := call(e.Tool, outcomeNames[e.Outcome])
				v.Method = method(e.Method)
				if e.Tool == "" {
					v.Tool, v.Args = sanitize.Tool{}, sanitize.Shape{}
				}
				if e.Origin == "server" {
					v.Origin = journal.FromServer
				}
				if v.Error != nil {
					v.Error.TemplateID, _ = sanitize.ParseTemplateID([]byte(e.Template))
					v.Error.Code, v.Error.Retryable = sanitize.Code{}, journal.Absent
					if e.Code != "" {
						v.Error.Code, _ = sanitize.ParseCode([]byte(`"` + e.Code + `"`))
					}
					if e.Retryable != nil {
						v.Error.Retryable = journal.TriOf(*e.Retryable)
					}
				}
				body = v
			}
			events[[2]int{i, j}] = k.add(g, body)
		}
		files = append(files, k.file())
	}
	for _, n := range s.Annotations {
		kind, _ := journal.ParseAnnotationKind(n.Kind)
		k := recorded(g, "person", s.Captures[n.Capture].Server, journal.RecorderAnnotate, at(0))
		k.add(g, &journal.Annotation{Target: events[[2]int{n.Capture, n.Event}], Label: kind, Note: note("a remark")})
		files = append(files, k.file())
	}
	return files
}

var (
	recorderNames = map[string]journal.RecorderKind{"shim": journal.RecorderShim, "shim-http": journal.RecorderShimHTTP}
	outcomeNames  = map[string]journal.Outcome{
		"ok": journal.OutcomeOK, "error": journal.OutcomeError, "cancelled": journal.OutcomeCancelled,
		"unanswered": journal.OutcomeUnanswered, "unknown": journal.OutcomeUnknown, "input_required": journal.OutcomeInputRequired,
	}
)

// recorded starts a capture of a recorder at a time.
func recorded(g *ids, session, server string, recorder journal.RecorderKind, start time.Time) *capture {
	c := g.capture(session, server)
	c.text, c.ev.Seq, c.ev.Prev = nil, 0, journal.Prev{}
	c.ev.TS = start
	c.path = journal.CapturePath(start, c.id)
	c.add(g, &journal.CaptureStart{Recorder: recorder, Version: label("1.0.0"), OS: label("linux"), Arch: label("amd64"), SaltID: saltID()})
	return c
}

// restart begins the log of a capture again, of another kind.
func (c *capture) restart(g *ids, kind journal.Kind) {
	start, _ := c.ev.Body.(*journal.CaptureStart)
	c.text, c.ev.Seq, c.ev.Prev, c.ev.Kind = nil, 0, journal.Prev{}, kind
	c.ev.TS = c.ev.TS.Add(-time.Second)
	c.add(g, start)
}

// file is the log so far.
func (c *capture) file() file { return file{c.path, lines(c.text)} }

func lines(text []byte) (list [][]byte) {
	for from, i := 0, 0; i < len(text); i++ {
		if text[i] == '\n' {
			list = append(list, text[from:i+1])
			from = i + 1
		}
	}
	return list
}

func scenarios(t *testing.T) (list []scenario) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "promotion", "scenarios.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	if len(list) < 40 {
		t.Fatalf("%d scenarios", len(list))
	}
	return list
}

func findingsOf(t testing.TB, h *home.Home) []query.Finding {
	t.Helper()
	return read(t, h, func(conn *sqlite.Conn) ([]query.Finding, error) { return query.Findings(conn, query.FindingFilter{}) })
}

// Captures, windows, groups, classes, scores and promotion of whole journals
// are what another program makes of them, in whatever slices they arrive.
func TestFindingsOfScenarios(t *testing.T) {
	for i, s := range scenarios(t) {
		h := newHome(t)
		files := s.files()
		done := make([]int, len(files))
		r := rand.New(rand.NewPCG(uint64(i), 9))
		o := &projections.Options{AsOf: at(s.AsOf), Threshold: &s.Threshold}
		for left := true; left; {
			if i%8 > 0 { // slices cost time: some of the scenarios do
				for j, f := range files {
					done[j] = len(f.lines)
				}
			}
			left = grow(t, h, r, files, done)
			if _, err := projections.Refresh(context.Background(), h, o); err != nil {
				t.Fatal(err)
			}
		}
		got := findingsOf(t, h)
		if len(got) != len(s.Want) {
			t.Errorf("scenario %d: %d findings, want %d", i, len(got), len(s.Want))
			continue
		}
		for j := range s.Want {
			want := &s.Want[j]
			f := &got[j]
			if math.Abs(f.Score-want.Score) > 1e-9 || math.Abs(f.Rate-float64(want.Failures)/float64(want.Calls)) > 1e-12 {
				t.Errorf("scenario %d: %s: score %v, rate %v, want %v of %d/%d", i, f.ID, f.Score, f.Rate, want.Score, want.Failures, want.Calls)
			}
			wanted := query.Finding{
				ID: want.ID, Server: want.Server, Tool: want.Tool, Class: want.Class, Severity: want.Severity, State: "open", Score: f.Score,
				Failures: want.Failures, Calls: want.Calls, Rate: f.Rate, Sessions: want.Sessions, Codes: want.Codes, Code: want.Code,
				Retryable: want.Retryable, TemplateID: want.TemplateID, Cost: want.Cost, Blast: want.Blast, Repro: f.Repro,
				FirstSeen: index.FormatTime(at(want.FirstSeen)), LastSeen: index.FormatTime(at(want.LastSeen)), Hint: f.Hint, Evidence: f.Evidence,
			}
			if d := cmp.Diff(wanted, *f); d != "" {
				t.Errorf("scenario %d: %s", i, d)
			}
			if int64(len(f.Evidence)) != want.Failures || f.Hint == "" || string(f.Repro) != `{"path":"str32"}` && want.Tool != "" {
				t.Errorf("scenario %d: evidence of %d, hint %q, repro %s", i, len(f.Evidence), f.Hint, f.Repro)
			}
		}
		summary := read(t, h, query.Promotion)
		s.Summary.Threshold, s.Summary.AsOf = s.Threshold, index.FormatTime(at(s.AsOf))
		if d := cmp.Diff(&s.Summary, summary); d != "" {
			t.Errorf("scenario %d: %s", i, d)
		}
	}
}

// The threshold is the flag's, else that of config.json, else the built-in one;
// the findings follow without any new event.
func TestThresholdSources(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "promotion", "arithmetic.json"))
	if err != nil {
		t.Fatal(err)
	}
	var tables struct {
		Threshold []struct {
			Flag, Config *float64
			Want         float64
		}
	}
	if err := json.Unmarshal(b, &tables); err != nil {
		t.Fatal(err)
	}
	if len(tables.Threshold) < 9 {
		t.Fatalf("%d rows", len(tables.Threshold))
	}
	h := newHome(t)
	g := &ids{}
	for _, session := range []string{"one", "two"} { // a score of 0.342
		c := g.capture(session, "demo")
		c.add(g, call("t", journal.OutcomeError))
		c.write(t, h)
	}
	for _, row := range tables.Threshold {
		if err := os.RemoveAll(h.ConfigPath()); err != nil {
			t.Fatal(err)
		}
		if row.Config != nil {
			if err := os.WriteFile(h.ConfigPath(), fmt.Appendf(nil, `{"promotion_threshold":%v}`, *row.Config), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want := int64(0)
		if row.Want <= 0.34 {
			want = 1
		}
		res, err := projections.Refresh(context.Background(), h, &projections.Options{Threshold: row.Flag})
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, h, query.Promotion); got.Threshold != row.Want || got.Promoted != want || res.Findings != want {
			t.Errorf("index: %+v: threshold %v, %d promoted, %d in the result", row, got.Threshold, got.Promoted, res.Findings)
		}
		got, err := projections.Promote(context.Background(), h, &projections.PromoteOptions{Threshold: row.Flag})
		if err != nil {
			t.Fatal(err)
		}
		if got.Threshold != row.Want || got.Promoted != want || got.Issues != 1 || int64(len(findingsOf(t, h))) != want {
			t.Errorf("promote: %+v: %+v, %d findings", row, got, len(findingsOf(t, h)))
		}
	}
}
