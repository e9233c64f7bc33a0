package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// sarifSchemas are the rules of SARIF 2.1.0 that concern what is written here,
// and the official schema where MCPEVAL_SARIF_SCHEMA names its file.
func sarifSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	schemas := map[string]*jsonschema.Schema{"rules": compileFile(t, filepath.Join("testdata", "sarif-rules.schema.json"))}
	if path := os.Getenv("MCPEVAL_SARIF_SCHEMA"); path != "" {
		schemas["official"] = compileFile(t, path)
	}
	return schemas
}

func compileFile(t testing.TB, path string) *jsonschema.Schema {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, data)
}

func compile(t testing.TB, data []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *jsonschema.Schema, data []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

func TestSARIFIsValid(t *testing.T) {
	schemas := sarifSchemas(t)
	if len(schemas) == 1 {
		t.Log("MCPEVAL_SARIF_SCHEMA names no file: only the rules written down here are checked")
	}
	rapid.Check(t, func(t *rapid.T) {
		d := genDocument.Draw(t, "document")
		var known []report.CaseID
		for _, c := range d.Cases {
			if rapid.Bool().Draw(t, "known") {
				known = append(known, c.ID)
			}
		}
		o := report.Judge(d.Cases, report.Rules{Known: known, AllowEmpty: true})
		d.Passed = d.Gate != nil && o.Passed || d.Gate == nil && d.Readiness != nil
		data, err := d.SARIF(&report.Options{Outcome: &o, Manifest: rapid.SampledFrom([]string{"", "a b/m%.json", `C:\x\m.json`, "../../m.json"}).Draw(t, "manifest")})
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range schemas {
			if err := validate(s, data); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, data)
			}
		}
	})
}

// TestSARIFRules: the rules written down here refuse what SARIF forbids.
func TestSARIFRules(t *testing.T) {
	rules := sarifSchemas(t)["rules"]
	data, err := whole().SARIF(nil)
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	for name, edit := range map[string][2]string{
		"no version":      {`"version": "2.1.0",`, ``},
		"another version": {`"version": "2.1.0",`, `"version": "2.0.0",`},
		"line zero":       {`"startLine": 1`, `"startLine": 0`},
		"unknown level":   {`"level": "error"`, `"level": "fatal"`},
		"no message":      {`"message": {`, `"note": {`},
		"absolute path":   {`"uri": "mcp-eval.manifest.json"`, `"uri": "mcp eval.json"`},
	} {
		if !strings.Contains(good, edit[0]) {
			t.Fatalf("%s: there is no %s", name, edit[0])
		}
		if err := validate(rules, []byte(strings.Replace(good, edit[0], edit[1], 1))); err == nil {
			t.Errorf("%s is valid", name)
		}
	}
}

type sarif struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct{ ID string }
			}
		}
		Invocations []struct{ ExecutionSuccessful bool }
		Results     []struct {
			RuleID    string
			RuleIndex int
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           struct{ StartLine int }
				}
			}
			PartialFingerprints map[string]string
			Suppressions        []struct{ Kind string }
		}
	}
}

func TestSARIFResults(t *testing.T) {
	d := whole()
	o := report.Judge(d.Cases, report.Rules{Known: ids("heavy", "catalog")})
	data, err := d.SARIF(&report.Options{Outcome: &o, Manifest: "ci/m.json", Lines: map[report.CaseID]int{caseID("slow"): 20, caseID("catalog"): 4}})
	if err != nil {
		t.Fatal(err)
	}
	var log sarif
	if err := json.Unmarshal(data, &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	var got []string
	prints := map[string]bool{}
	for _, r := range run.Results {
		id, _, _ := strings.Cut(r.Message.Text, " ")
		place := r.Locations[0].PhysicalLocation
		line := strings.Join([]string{strings.TrimSuffix(id, ":"), r.RuleID, place.ArtifactLocation.URI, string(rune('0' + place.Region.StartLine/10)), string(rune('0' + place.Region.StartLine%10))}, " ")
		if len(r.Suppressions) > 0 {
			line += " suppressed"
		}
		got = append(got, line)
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule %d is not %s", r.RuleIndex, r.RuleID)
		}
		prints[r.PartialFingerprints["mcpevalCase/v1"]] = true
	}
	want := []string{
		"heavy token-budget-exceeded ci/m.json 0 1 suppressed",
		"slow latency-budget-exceeded ci/m.json 2 0",
		"wears unexpected-outcome ci/m.json 0 1",
		"hangs transport-timeout ci/m.json 0 1",
		"catalog stale-known-failure ci/m.json 0 4",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || len(prints) != len(want) {
		t.Errorf("%d fingerprints and\n%s", len(prints), strings.Join(got, "\n"))
	}
	if run.Invocations[0].ExecutionSuccessful {
		t.Error("a run with a fault succeeded")
	}
}

func TestManifestURI(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "mcp-eval.manifest.json",
		"m.json":                   "m.json",
		"./a/../b/m.json":          "b/m.json",
		"a b/ü.json":               "a%20b/%C3%BC.json",
		`ci\m.json`:                "ci/m.json",
		"/home/ann/private/m.json": "m.json",
		`C:\Users\ann\m.json`:      "m.json",
		"../../ann/m.json":         "m.json",
		"x?y#z.json":               "x%3Fy%23z.json",
	} {
		data, err := document(fail("a", manifest.KindTokenCost, reason.TokenBudgetExceeded)).SARIF(&report.Options{Manifest: in})
		if err != nil || !bytes.Contains(data, []byte(`"uri": "`+want+`"`)) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

// TestGoldenSARIF validates what stands in the golden files.
func TestGoldenSARIF(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range files {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if f.Name != "sarif" {
				continue
			}
			n++
			for name, s := range sarifSchemas(t) {
				if err := validate(s, f.Data); err != nil {
					t.Errorf("%s, %s: %v", path, name, err)
				}
			}
		}
	}
	if n < 5 {
		t.Errorf("%d files", n)
	}
}
