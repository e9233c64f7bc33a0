package promotion_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/projections/promotion"
)

// row is a row of any of the tables; each uses some of the fields.
type row struct {
	Name        string                   `json:"name"`
	Blocker     bool                     `json:"blocker"`
	Failures    int64                    `json:"failures"`
	Calls       int64                    `json:"calls"`
	AgeDays     float64                  `json:"age_days"`
	Near        promotion.Neighbourhoods `json:"near"`
	Cost        float64                  `json:"cost"`
	Blast       int64                    `json:"blast"`
	Sessions    int64                    `json:"sessions"`
	Score       float64                  `json:"score"`
	Threshold   float64                  `json:"threshold"`
	Template    string                   `json:"template"`
	Codes       []string                 `json:"codes"`
	Annotations []string                 `json:"annotations"`
	Retryable   *bool                    `json:"retryable"`
	Recovered   bool                     `json:"recovered"`
	Probed      bool                     `json:"probed"`
	Want        json.RawMessage          `json:"want"`
}

var asOf = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func (r *row) issue() *promotion.Issue {
	return &promotion.Issue{
		Group: promotion.GroupOf(r.Template), Failures: r.Failures, Calls: r.Calls, Sessions: r.Sessions,
		LastSeen: asOf.Add(-r.age()), Cost: r.Cost, Blast: r.Blast, Codes: int64(len(r.Codes)), Retryable: r.Retryable, Recovered: r.Recovered,
		Annotated: promotion.Annotations{
			FalseSuccess: slices.Contains(r.Annotations, "false-success"),
			BlockedPath:  slices.Contains(r.Annotations, "blocked-optimal-path"),
		},
		Probed: r.Probed,
	}
}

func (r *row) age() time.Duration { return time.Duration(r.AgeDays * 24 * float64(time.Hour)) }

func (r *row) number(t *testing.T) (v float64) {
	t.Helper()
	if err := json.Unmarshal(r.Want, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (r *row) text(t *testing.T) (v string) {
	t.Helper()
	if err := json.Unmarshal(r.Want, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func tables(t *testing.T) map[string][]row {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "testdata", "promotion", "arithmetic.json"))
	if err != nil {
		t.Fatal(err)
	}
	var v map[string][]row
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"wilson": 15, "recency": 8, "cost": 8, "score": 10, "class": 400, "severity": 50, "verdict": 80} {
		if len(v[name]) < want {
			t.Fatalf("table %s has %d rows, want %d or more", name, len(v[name]), want)
		}
	}
	return v
}

// near allows for what two ways to the same number differ by.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// The tables were computed by another program: testdata/promotion/README.md
// says how.
func TestArithmetic(t *testing.T) {
	all := tables(t)
	check := func(name string, got func(r *row) float64) {
		for _, r := range all[name] {
			if v, want := got(&r), r.number(t); !near(v, want) {
				t.Errorf("%s of %+v is %v, want %v", name, r, v, want)
			}
		}
	}
	check("wilson", func(r *row) float64 { return promotion.Wilson(r.Failures, r.Calls) })
	check("recency", func(r *row) float64 { return promotion.Recency(r.age()) })
	check("cost", func(r *row) float64 { return r.Near.Cost() })
	check("score", func(r *row) float64 { return r.issue().Score(asOf) })
	for _, r := range all["class"] {
		if got, want := r.issue().Class(), r.text(t); got != want {
			t.Errorf("class of %+v is %s, want %s", r, got, want)
		}
	}
	for _, r := range all["severity"] {
		if got, want := r.issue().Severity(r.Score, r.Threshold), r.text(t); got != want {
			t.Errorf("severity of %+v is %s, want %s", r, got, want)
		}
	}
	names := map[promotion.Verdict]string{promotion.Promoted: "promoted", promotion.OneSession: "one session", promotion.BelowThreshold: "below threshold"}
	for _, r := range all["verdict"] {
		if got, want := names[r.issue().Judge(asOf, r.Threshold)], r.text(t); got != want {
			t.Errorf("verdict on %+v is %s, want %s", r, got, want)
		}
	}
}

// A score that is the threshold is enough.
func TestThresholdItselfPromotes(t *testing.T) {
	i := (&row{Failures: 2, Calls: 2, Cost: 1, Blast: 1, Sessions: 2}).issue()
	score := i.Score(asOf)
	if got := i.Judge(asOf, score); got != promotion.Promoted {
		t.Errorf("at the threshold: %v", got)
	}
	if got := i.Judge(asOf, math.Nextafter(score, 1)); got != promotion.BelowThreshold {
		t.Errorf("just below it: %v", got)
	}
}

// The built-in threshold lies in the middle between the lowest blocker and the
// highest annoyance of a table of cases that people agree on.
func TestDefaultThresholdIsCalibrated(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "seeds.json"))
	if err != nil {
		t.Fatal(err)
	}
	var seeds []row
	if err := json.Unmarshal(b, &seeds); err != nil {
		t.Fatal(err)
	}
	blocker, annoyance, blockers := math.Inf(1), 0.0, 0
	for _, r := range seeds {
		score := r.issue().Score(asOf)
		t.Logf("%.4f  %s", score, r.Name)
		if r.Blocker {
			blockers++
			blocker = min(blocker, score)
		} else {
			annoyance = max(annoyance, score)
		}
	}
	if blockers != 7 || len(seeds) != 9 || annoyance >= blocker {
		t.Fatalf("%d blockers of %d, from %.4f; annoyances up to %.4f", blockers, len(seeds), blocker, annoyance)
	}
	if got := math.Round(100*(blocker+annoyance)/2) / 100; got != promotion.DefaultThreshold {
		t.Errorf("the midpoint of %.4f and %.4f is %v, the threshold %v", annoyance, blocker, got, promotion.DefaultThreshold)
	}
}

// More of what hurts never lowers a score.
func TestScoreIsMonotone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		calls := rapid.Int64Range(1, 1_000_000).Draw(rt, "calls")
		r := row{
			Calls: calls, Failures: rapid.Int64Range(1, calls).Draw(rt, "failures"), AgeDays: rapid.Float64Range(0, 400).Draw(rt, "age"),
			Cost: rapid.Float64Range(1, 9).Draw(rt, "cost"), Blast: rapid.Int64Range(1, 9).Draw(rt, "blast"),
		}
		score := r.issue().Score(asOf)
		for name, change := range map[string]func(r *row){
			"a later failure": func(r *row) { r.AgeDays /= 2 },
			"more cost":       func(r *row) { r.Cost++ },
			"more blast":      func(r *row) { r.Blast++ },
			"more failures":   func(r *row) { r.Failures = min(r.Failures+1, r.Calls) },
			"fewer calls":     func(r *row) { r.Calls = max(r.Calls-1, r.Failures) },
		} {
			v := r
			change(&v)
			if got := v.issue().Score(asOf); got < score {
				rt.Fatalf("%s: %v, was %v", name, got, score)
			}
		}
		if math.IsNaN(score) || score < 0 {
			rt.Fatalf("score %v", score)
		}
	})
}

// Every class has its one line of what to do.
func TestEveryClassHasItsHint(t *testing.T) {
	seen := map[string]string{}
	for _, r := range tables(t)["class"] {
		class := r.issue().Class()
		hint := promotion.Hint(class)
		if other, ok := seen[hint]; ok && other != class || hint == "" {
			t.Errorf("%s and %s share the hint %q", class, other, hint)
		}
		seen[hint] = class
	}
	if len(seen) != 8 {
		t.Errorf("%d classes are in the table, want 8", len(seen))
	}
}
