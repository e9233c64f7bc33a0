package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden holds the files against testdata/name.txtar.
func golden(t *testing.T, name, comment string, files ...txtar.File) {
	t.Helper()
	path := filepath.Join("testdata", name+".txtar")
	got := txtar.Format(&txtar.Archive{Comment: []byte(comment + "\n\n"), Files: files})
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got); -update rewrites it:\n%s", path, diff)
	}
}

func TestGoldenDocuments(t *testing.T) {
	three, err := report.ParsePrice("3")
	if err != nil {
		t.Fatal(err)
	}
	rich := report.Context{
		Protocol: report.RevisionOf("2025-11-25"), Price: three, Place: &report.Place{Below: 62, Of: 100},
		Notes: []report.Note{{Kind: report.NoteRespawned}, {Kind: report.NoteStrayLines, Count: 3}},
	}
	green := document(pass("catalog", manifest.KindDiscoveryCost), pass("slow", manifest.KindLatencyBudget))
	green.Cases[1].Tool, green.Cases[1].Attempts = report.ToolOf("list_notes"), 3
	green.Cases[1].Measurements = report.Measurements{report.LatencyMS: report.Int(1204)}

	broken := whole()
	broken.Cases = broken.Cases[:4]
	known := report.Judge(broken.Cases, report.Rules{Known: ids("heavy", "slow", "wears")})
	broken.Gate, broken.Passed = &known.Gate, known.Passed
	stale := report.Judge(green.Cases, report.Rules{Known: ids("slow", "gone")})
	staleDoc := *green
	staleDoc.Passed = stale.Passed

	down := document(other("catalog", manifest.KindDiscoveryCost, reason.ServerNotStarted), other("slow", manifest.KindLatencyBudget, reason.ServerNotStarted))
	down.ReadinessError = reason.ServerNotStarted

	tests := []struct {
		name, about string
		doc         *report.Document
		options     *report.Options
	}{
		{"green", "Every case passes.", green, nil},
		{"whole", "Something in every place, with its context and lines.", whole(), &report.Options{Context: rich, Manifest: "probes dir/mcp-eval.manifest.json", Lines: map[report.CaseID]int{caseID("heavy"): 12, caseID("slow"): 20, caseID("wears"): 31, caseID("hangs"): 40}}},
		{"known", "Every failure is a known one, so the gate passes.", broken, &report.Options{Outcome: &known}},
		{"stale", "The known-failures file names a case that passed and one that is gone.", &staleDoc, &report.Options{Outcome: &stale}},
		{"not-started", "The server never answered: one cause, nothing run.", down, nil},
		{"empty", "No case applied.", document(other("surfaces", manifest.KindSurfaceListing, reason.CapabilityAbsent)), nil},
		{"score", "The standard battery alone.", report.NewScore(version, server, whole().Readiness, ""), &report.Options{Context: rich}},
		{"unmeasured", "The standard battery could not be run.", report.NewScore(version, server, nil, reason.DiscoveryIncomplete), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var files []txtar.File
			for _, form := range []string{"json", "text", "brief", "markdown", "sarif", "junit"} {
				data, err := forms[form](tt.doc, tt.options)
				if err != nil {
					t.Fatal(err)
				}
				files = append(files, txtar.File{Name: form, Data: data})
			}
			files = append(files, txtar.File{Name: "digest", Data: []byte(digest(t, tt.doc) + "\n")})
			golden(t, tt.name, tt.about, files...)
		})
	}
}

func TestGoldenDiff(t *testing.T) {
	base, now := whole(), whole()
	base.Cases[0] = fail("catalog", manifest.KindDiscoveryCost, reason.DiscoveryLimitExceeded)
	base.Cases[1] = pass("heavy", manifest.KindTokenCost)
	base.Cases[1].Measurements = report.Measurements{report.TotalTokens: report.Int(3900), report.HeaviestToolTokens: report.Int(480)}
	base.Cases[4].ID = caseID("gone")
	base.Cases[3].Attempts, base.Cases[3].FirstFailure = 9, new(int64(9))
	base.ManifestSHA256 = report.SHA256Of([]byte("older"))
	base.Readiness.Standard, base.Readiness.Total = report.NewStandard(2), 9000
	base.Gate = new(report.Count(base.Cases))
	d := compared(t, base, now)
	data, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "diff", "A baseline and what became of it.",
		txtar.File{Name: "json", Data: data}, txtar.File{Name: "text", Data: d.Text(false)},
		txtar.File{Name: "brief", Data: d.Text(true)}, txtar.File{Name: "markdown", Data: d.Markdown()})
	same := compared(t, now, now)
	golden(t, "diff-same", "A document and itself.", txtar.File{Name: "text", Data: same.Text(true)}, txtar.File{Name: "markdown", Data: same.Markdown()})
}

func TestGoldenComparison(t *testing.T) {
	a, b := whole(), whole()
	b.Server, b.Readiness = label("demo-next"), nil
	b.Cases[1] = pass("heavy", manifest.KindTokenCost)
	b.Gate = new(report.Count(b.Cases))
	c, err := report.SideBySide(a.Generator, []*report.Document{a, b})
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "comparison", "Two targets of one manifest.",
		txtar.File{Name: "json", Data: data}, txtar.File{Name: "text", Data: c.Text()}, txtar.File{Name: "markdown", Data: c.Markdown()})
}
