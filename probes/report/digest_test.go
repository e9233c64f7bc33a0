package report_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

func digest(t interface{ Fatal(...any) }, d *report.Document) string {
	sum, err := d.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return sum.String()
}

func TestDigest(t *testing.T) {
	want := digest(t, whole())
	tests := []struct {
		name string
		edit func(*report.Document)
		same bool
	}{
		{"nothing", func(*report.Document) {}, true},
		{"a latency", func(d *report.Document) { d.Cases[2].Measurements[report.LatencyMS] = report.Int(1) }, true},
		{"the latency band", func(d *report.Document) {
			d.Readiness.LostChecks = d.Readiness.LostChecks[:1]
			d.Readiness.Areas.Reliability, d.Readiness.Total = 9000, 8950
		}, true},
		{"a hint", func(d *report.Document) { d.Cases[2].Hint = "hunter2" }, true},
		{"a latency that is gone", func(d *report.Document) { delete(d.Cases[2].Measurements, report.LatencyMS) }, false},
		{"another measurement", func(d *report.Document) { d.Cases[2].Measurements[report.Successes] = report.Int(2) }, false},
		{"the server", func(d *report.Document) { d.Server = label("other") }, false},
		{"the version", func(d *report.Document) { d.Generator.Version = label("9") }, false},
		{"the verdict", func(d *report.Document) { d.Cases[1].Detail = report.Over(report.MaxToolTokens, 500, 813) }, false},
		{"the order", func(d *report.Document) { d.Cases[0], d.Cases[1] = d.Cases[1], d.Cases[0] }, false},
		{"another area", func(d *report.Document) { d.Readiness.Areas.Catalog++ }, false},
		{"another lost check", func(d *report.Document) { d.Readiness.LostChecks[0].Score = 1 }, false},
		{"no readiness", func(d *report.Document) { d.Readiness = nil }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := whole()
			tt.edit(d)
			before := string(encoded(t, d))
			if got := digest(t, d); (got == want) != tt.same {
				t.Errorf("digest %s, of the original %s", got, want)
			}
			if after := string(encoded(t, d)); after != before {
				t.Errorf("taking the digest changed the document:\n%s", after)
			}
		})
	}
	if _, err := (&report.Document{}).Digest(); err == nil {
		t.Error("an invalid document has a digest")
	}
}

// TestOnlyLatencyVaries: documents of two runs that differ in their latencies
// alone have one digest, and are the same bytes but for those numbers.
func TestOnlyLatencyVaries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := genDocument.Draw(t, "document")
		want := digest(t, d)
		for i := range d.Cases {
			if _, ok := d.Cases[i].Measurements[report.LatencyMS]; ok {
				d.Cases[i].Measurements[report.LatencyMS] = report.Int(genCount.Draw(t, "latency"))
			}
		}
		if digest(t, d) != want {
			t.Fatal("the digest depends on a latency")
		}
		if len(d.Cases) > 0 && reason.ClassOf(d.Cases[0].Reason) != reason.NotRun {
			d.Cases[0].Attempts++
			if digest(t, d) == want {
				t.Fatal("the digest does not depend on the attempts")
			}
		}
	})
}
