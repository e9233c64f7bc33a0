package report_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

func label(s string) report.Label {
	l, err := report.NewLabel(s)
	if err != nil {
		panic("test label outside the grammar: " + s)
	}
	return l
}

func caseID(s string) report.CaseID {
	id, err := report.NewCaseID(s)
	if err != nil {
		panic("test case id outside the grammar: " + s)
	}
	return id
}

var (
	version     = label("0.1.0")
	server      = label("demo")
	manifestSum = report.SHA256Of([]byte("manifest"))
)

// pass, fail and other make small cases.
func pass(id string, k reason.Kind) report.Case {
	return report.Case{ID: caseID(id), Probe: k, Passed: report.Pass, Attempts: 1}
}

func fail(id string, k reason.Kind, l reason.Label) report.Case {
	return report.Case{ID: caseID(id), Probe: k, Passed: report.Fail, Attempts: 1, Reason: l}
}

func other(id string, k reason.Kind, l reason.Label) report.Case {
	return report.Case{ID: caseID(id), Probe: k, Reason: l}
}

func document(cases ...report.Case) *report.Document {
	d, _ := report.New(version, server, manifestSum, cases, report.Rules{})
	return d
}

func encoded(t testing.TB, d *report.Document) []byte {
	t.Helper()
	data, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

var (
	genName  = rapid.StringMatching(`[A-Za-z][A-Za-z0-9_.:-]{0,12}`)
	genCount = rapid.Int64Range(0, 1<<62)
	genValue = rapid.OneOf(rapid.Map(genCount, report.Int), rapid.Map(rapid.Bool(), report.Bool))
	genScore = rapid.Map(rapid.Int64Range(0, 10000), func(n int64) report.Score { return report.Score(n) })
	genTool  = rapid.Map(rapid.SampledFrom([]string{"", "list_notes", "a/b.c", "has space", "sk-ant-api03-0123456789abcdefghijklmnop"}), report.ToolOf)
)

// reasonsOf are the reasons a kind may give, and none.
func reasonsOf(k reason.Kind) []reason.Label {
	list := []reason.Label{"", ""}
	for _, r := range reason.All() {
		if r.Gives(k) {
			list = append(list, r.Label)
		}
	}
	return list
}

var genMeasurements = rapid.Custom(func(t *rapid.T) report.Measurements {
	return rapid.MapOfN(rapid.SampledFrom(report.Metrics()), genValue, 0, 4).Draw(t, "measurements")
})

func genCase(id report.CaseID) *rapid.Generator[report.Case] {
	return rapid.Custom(func(t *rapid.T) report.Case {
		k := rapid.SampledFrom(reason.Kinds()).Draw(t, "kind")
		l := rapid.SampledFrom(reasonsOf(k)).Draw(t, "reason")
		r, _ := reason.Of(l)
		c := report.Case{ID: id, Probe: k, Tool: genTool.Draw(t, "tool"), Reason: l, Measurements: genMeasurements.Draw(t, "m")}
		if r.Class != reason.NotRun {
			c.Attempts = rapid.Int64Range(0, 100).Draw(t, "attempts")
		}
		switch r.Class {
		case 0:
			c.Passed = report.Pass
		case reason.Failure, reason.Fault:
			c.Passed = report.Fail
			if c.Attempts > 0 && l != reason.LatencyBudgetExceeded && rapid.Bool().Draw(t, "first") {
				c.FirstFailure = new(rapid.Int64Range(1, c.Attempts).Draw(t, "first failure"))
			}
			switch b := rapid.SampledFrom(report.Bounds()).Draw(t, "bound"); rapid.IntRange(0, 2).Draw(t, "detail") {
			case 0:
				c.Detail = report.Over(b, genCount.Draw(t, "limit"), genCount.Draw(t, "observed"))
			case 1:
				c.Detail = report.Unmet(b, rapid.Bool().Draw(t, "want"))
			}
		}
		return c
	})
}

var genReadiness = rapid.Custom(func(t *rapid.T) *report.Readiness {
	s := func(name string) report.Score { return genScore.Draw(t, name) }
	r := &report.Readiness{
		Standard: report.NewStandard(rapid.IntRange(1, 9999).Draw(t, "standard")), Total: s("total"),
		Areas: report.Areas{Protocol: s("p"), Catalog: s("c"), Context: s("x"), Reliability: s("r"), ErrorHonesty: s("e"), Coverage: s("v")},
	}
	for range rapid.IntRange(0, 4).Draw(t, "checks") {
		c := report.Check{ID: rapid.SampledFrom(report.CheckIDs()).Draw(t, "id"), Tool: genTool.Draw(t, "tool"), Score: report.Score(rapid.IntRange(0, 9999).Draw(t, "score"))}
		if rapid.Bool().Draw(t, "observed") {
			c.Observed = genValue.Draw(t, "value")
		}
		if rapid.Bool().Draw(t, "reason") {
			c.Reason = rapid.SampledFrom(reason.Labels()).Draw(t, "label")
		}
		r.LostChecks = append(r.LostChecks, c)
	}
	return r
})

var genDocument = rapid.Custom(func(t *rapid.T) *report.Document {
	var cases []report.Case
	for i := range rapid.IntRange(0, 6).Draw(t, "cases") {
		id := caseID(fmt.Sprintf("%s-%d", genName.Draw(t, "id"), i))
		cases = append(cases, genCase(id).Draw(t, "case"))
	}
	d, _ := report.New(version, label(rapid.StringMatching(`[A-Za-z0-9_.:-]{1,20}`).Draw(t, "server")), manifestSum, cases, report.Rules{AllowEmpty: rapid.Bool().Draw(t, "empty")})
	if len(cases) == 0 {
		d = report.NewScore(version, server, nil, "")
	}
	switch rapid.IntRange(0, 2).Draw(t, "readiness") {
	case 0:
		d.Readiness = genReadiness.Draw(t, "r")
		d.Passed = d.Passed || d.Gate == nil
	case 1:
		d.ReadinessError = rapid.SampledFrom([]reason.Label{reason.DiscoveryIncomplete, reason.TransportClosed, reason.ServerNotStarted, reason.EvaluationBudgetExceeded}).Draw(t, "error")
	}
	return d
})
