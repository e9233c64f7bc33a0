package report_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// same compares documents by what they are: the names are comparable.
func same(a, b any) bool { return reflect.DeepEqual(a, b) }

func TestReadInvertsEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := genDocument.Draw(t, "document")
		data, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := report.Read(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		again, err := got.Encode()
		if err != nil || !bytes.Equal(data, again) {
			t.Fatalf("%v\n%s", err, cmp.Diff(string(data), string(again)))
		}
		// Any white space and any order of members is the same document.
		var loose any
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		if err := dec.Decode(&loose); err != nil {
			t.Fatal(err)
		}
		sorted, err := json.Marshal(loose)
		if err != nil {
			t.Fatal(err)
		}
		other, err := report.Read(sorted)
		if err != nil || !same(got, other) {
			t.Fatalf("sorted and compact it is another document: %v\n%s", err, sorted)
		}
	})
}

// TestKeys spells the members of every object of a document: adding one is a
// change of the published form.
func TestKeys(t *testing.T) {
	c := fail("late", manifest.KindLatencyBudget, reason.LatencyBudgetExceeded)
	c.Detail = report.Over(report.MaxLatencyMS, 10, 12)
	for _, m := range report.Metrics() {
		if c.Measurements == nil {
			c.Measurements = report.Measurements{}
		}
		c.Measurements[m] = report.Int(1)
	}
	d := document(c)
	d.Readiness = &report.Readiness{Standard: report.NewStandard(3), LostChecks: []report.Check{{ID: report.CheckLatency}}}
	want := map[string]string{
		"":                        "schema generator server manifest_sha256 passed gate readiness readiness_error cases",
		"generator":               "name version",
		"gate":                    "passed failed not_applicable not_run total",
		"readiness":               "standard total areas lost_checks",
		"readiness.areas":         "protocol catalog context reliability error_honesty coverage",
		"readiness.lost_checks[]": "id tool score observed reason hint",
		"cases[]":                 "id probe tool passed attempts first_failure reason hint detail measurements",
		"cases[].detail":          "bound limit observed",
		"cases[].measurements": "cancelled catalog_bytes error_codes handled heaviest_tool_tokens latency_ms notifications pages payload_bytes prompts " +
			"protocol_revision recovered resource_templates resources retryable server_requests steps_passed successes tools total_tokens values versions",
	}
	if diff := cmp.Diff(want, keys(t, encoded(t, d))); diff != "" {
		t.Error(diff)
	}
}

// keys are the members of each object of a document, in their order.
func keys(t *testing.T, data []byte) map[string]string {
	t.Helper()
	found := map[string]string{}
	dec := json.NewDecoder(bytes.NewReader(data))
	var walk func(path string)
	walk = func(path string) {
		token, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		switch token {
		case json.Delim('{'):
			var names []string
			for dec.More() {
				name, err := dec.Token()
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, name.(string))
				walk(strings.TrimPrefix(path+"."+name.(string), "."))
			}
			found[path] = strings.Join(names, " ")
			_, _ = dec.Token()
		case json.Delim('['):
			for dec.More() {
				walk(path + "[]")
			}
			_, _ = dec.Token()
		}
	}
	walk("")
	return found
}

// TestHoldsNothingRaw walks the types of all documents: every leaf must be of a
// closed set or of a closed grammar. The counts are spelled: none of them may
// differ from run to run, and the only other place for a number is a measurement,
// a detail, or a score.
func TestHoldsNothingRaw(t *testing.T) {
	closed := []reflect.Type{
		reflect.TypeFor[report.Label](), reflect.TypeFor[report.CaseID](), reflect.TypeFor[report.Tool](), reflect.TypeFor[report.SHA256](), reflect.TypeFor[report.Standard](),
		reflect.TypeFor[report.Verdict](), reflect.TypeFor[report.Value](), reflect.TypeFor[report.Score](), reflect.TypeFor[report.Hint](),
		reflect.TypeFor[report.Metric](), reflect.TypeFor[report.Bound](), reflect.TypeFor[report.CheckID](), reflect.TypeFor[report.Change](), reflect.TypeFor[report.Field](),
		reflect.TypeFor[reason.Label](), reflect.TypeFor[reason.Kind](), reflect.TypeFor[bool](),
	}
	for _, ty := range closed {
		for i := 0; ty.Kind() == reflect.Struct && i < ty.NumField(); i++ {
			if ty.Field(i).IsExported() {
				t.Errorf("%v has an exported field: anyone could fill it", ty)
			}
		}
	}
	counts := map[string]bool{}
	var walk func(ty reflect.Type, path string)
	walk = func(ty reflect.Type, path string) {
		switch {
		case slices.Contains(closed, ty):
		case ty.Kind() == reflect.Pointer, ty.Kind() == reflect.Slice:
			walk(ty.Elem(), path)
		case ty.Kind() == reflect.Map:
			walk(ty.Key(), path)
			walk(ty.Elem(), path)
		case ty.Kind() == reflect.Struct:
			for i := range ty.NumField() {
				f := ty.Field(i)
				name := f.Tag.Get("json")
				if name == "" || strings.Contains(name, ",") {
					t.Errorf("%v.%s has the tag %q", ty, f.Name, name)
				}
				if name == "schema" && path == "" {
					continue // a constant that Validate demands
				}
				walk(f.Type, strings.TrimPrefix(path+"."+name, "."))
			}
		case ty.Kind() == reflect.Int64 && ty.PkgPath() == "":
			counts[path] = true
		default:
			t.Errorf("%s: %v could hold raw content or an inexact number", path, ty)
		}
	}
	for _, ty := range []reflect.Type{reflect.TypeFor[report.Document](), reflect.TypeFor[report.Diff](), reflect.TypeFor[report.Comparison]()} {
		walk(ty, "")
	}
	var want []string
	for _, gate := range []string{"gate", "base.gate", "current.gate", "targets.gate"} {
		for _, name := range []string{"passed", "failed", "not_applicable", "not_run", "total"} {
			want = append(want, gate+"."+name)
		}
	}
	for _, name := range []string{"regressed", "fixed", "changed", "unchanged", "added", "removed", "total"} {
		want = append(want, "summary."+name)
	}
	for _, at := range []string{"cases", "cases.base", "cases.current", "cases.results"} {
		want = append(want, at+".attempts", at+".first_failure")
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(maps.Keys(counts))); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestEncodeIsPlain(t *testing.T) {
	c := pass("a", manifest.KindTokenCost)
	c.Measurements = report.Measurements{report.TotalTokens: report.Int(1<<62 + 1), report.Tools: report.Int(3), report.Handled: report.Bool(false)}
	text := string(encoded(t, document(c)))
	for _, part := range []string{
		"\"total_tokens\": 4611686018427387905\n", `"tool": null,`, `"handled": false,`, `"readiness": null,`, `"detail": null,`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("%s is missing in\n%s", part, text)
		}
	}
	text = string(encoded(t, document(fail("b", manifest.KindTokenCost, reason.TokenBudgetExceeded))))
	if strings.Contains(text, `\u00`) || !strings.HasSuffix(text, "}\n") || strings.Contains(text, `"measurements": null`) {
		t.Error(text)
	}
}

func TestScoreText(t *testing.T) {
	for s, want := range map[report.Score]string{0: "0", 5: "0.05", 50: "0.5", 100: "1", 8750: "87.5", 8755: "87.55", 10000: "100"} {
		if s.String() != want {
			t.Errorf("%d: %s, want %s", int64(s), s, want)
		}
	}
}

func TestValidate(t *testing.T) {
	withDetail := func(b report.Bound, limit, observed report.Value) report.Case {
		c := fail("a", manifest.KindTokenCost, reason.TokenBudgetExceeded)
		c.Detail = &report.Detail{Bound: b, Limit: limit, Observed: observed}
		return c
	}
	change := func(c report.Case, f func(*report.Case)) report.Case {
		f(&c)
		return c
	}
	ok := pass("a", manifest.KindTokenCost)
	bad := fail("a", manifest.KindTokenCost, reason.TokenBudgetExceeded)
	tests := []struct {
		name  string
		cases []report.Case
		edit  func(*report.Document)
		want  string
	}{
		{"fine", []report.Case{ok}, nil, ""},
		{"no server", []report.Case{ok}, func(d *report.Document) { d.Server = report.Label{} }, "server"},
		{"no version", []report.Case{ok}, func(d *report.Document) { d.Generator.Version = report.Label{} }, "generator.version"},
		{"another schema", []report.Case{ok}, func(d *report.Document) { d.Schema = "mcpeval.probe-report/v1" }, "schema"},
		{"no manifest", []report.Case{ok}, func(d *report.Document) { d.ManifestSHA256 = report.SHA256{} }, "manifest_sha256"},
		{"same id", []report.Case{ok, ok}, nil, "cases[1].id"},
		{"no id", []report.Case{{Probe: manifest.KindTokenCost, Passed: report.Pass}}, nil, "cases[0].id"},
		{"unknown kind", []report.Case{change(ok, func(c *report.Case) { c.Probe = "hunter2" })}, nil, "cases[0].probe"},
		{"unknown reason", []report.Case{change(bad, func(c *report.Case) { c.Reason = "hunter2" })}, nil, "cases[0].reason"},
		{"reason of another kind", []report.Case{change(bad, func(c *report.Case) { c.Reason = reason.RecoveryFailed })}, nil, "cases[0].reason"},
		{"failed without reason", []report.Case{change(bad, func(c *report.Case) { c.Reason = "" })}, nil, "cases[0].passed"},
		{"passed with reason", []report.Case{change(bad, func(c *report.Case) { c.Passed = report.Pass })}, nil, "cases[0].passed"},
		{"a pass that tested nothing", []report.Case{change(ok, func(c *report.Case) { c.Passed = report.Unjudged })}, nil, "cases[0].passed"},
		{"not run but tried", []report.Case{change(other("a", manifest.KindTokenCost, reason.ServerNotStarted), func(c *report.Case) { c.Attempts = 1 })}, nil, "cases[0].attempts"},
		{"first failure of a pass", []report.Case{change(ok, func(c *report.Case) { c.FirstFailure = new(int64(1)) })}, nil, "cases[0].first_failure"},
		{"first failure after the last", []report.Case{change(bad, func(c *report.Case) { c.FirstFailure = new(int64(2)) })}, nil, "cases[0].first_failure"},
		{"first failure by time", []report.Case{change(fail("a", manifest.KindLatencyBudget, reason.LatencyBudgetExceeded), func(c *report.Case) { c.FirstFailure = new(int64(1)) })}, nil, "cases[0].first_failure"},
		{"detail of a pass", []report.Case{change(ok, func(c *report.Case) { c.Detail = report.Over(report.MaxTools, 1, 2) })}, nil, "cases[0].detail"},
		{"unknown bound", []report.Case{withDetail("hunter2", report.Int(1), report.Int(2))}, nil, "cases[0].detail.bound"},
		{"no limit", []report.Case{withDetail(report.MaxTools, report.Value{}, report.Int(2))}, nil, "cases[0].detail.limit"},
		{"nothing observed", []report.Case{withDetail(report.MaxTools, report.Int(1), report.Value{})}, nil, "cases[0].detail.observed"},
		{"a time observed", []report.Case{withDetail(report.MaxLatencyMS, report.Int(1), report.Int(2))}, nil, "cases[0].detail.observed"},
		{"unknown metric", []report.Case{change(ok, func(c *report.Case) { c.Measurements = report.Measurements{"hunter2": report.Int(1)} })}, nil, "cases[0].measurements"},
		{"negative measurement", []report.Case{change(ok, func(c *report.Case) { c.Measurements = report.Measurements{report.Tools: report.Int(-1)} })}, nil, "cases[0].measurements.tools"},
		{"miscounted", []report.Case{ok}, func(d *report.Document) { d.Gate.Passed = 2 }, "gate"},
		{"no gate", []report.Case{ok}, func(d *report.Document) { d.Gate, d.ManifestSHA256 = nil, report.SHA256{} }, "gate"},
		{"passed with a fault", []report.Case{fail("a", manifest.KindTokenCost, reason.TransportClosed)}, func(d *report.Document) { d.Passed = true }, "passed"},
		{"passed by known failures", []report.Case{bad}, func(d *report.Document) { d.Passed = true }, ""},
		{"readiness and its error", []report.Case{ok}, func(d *report.Document) {
			d.Readiness, d.ReadinessError = &report.Readiness{Standard: report.NewStandard(3)}, reason.DiscoveryIncomplete
		}, "readiness_error"},
		{"an error readiness cannot have", []report.Case{ok}, func(d *report.Document) { d.ReadinessError = reason.ValueMismatch }, "readiness_error"},
		{"a score too high", []report.Case{ok}, func(d *report.Document) {
			d.Readiness = &report.Readiness{Standard: report.NewStandard(3), Total: 10001}
		}, "readiness"},
		{"a check that lost nothing", []report.Case{ok}, func(d *report.Document) {
			d.Readiness = &report.Readiness{Standard: report.NewStandard(3), LostChecks: []report.Check{{ID: report.CheckLatency, Score: 10000}}}
		}, "readiness.lost_checks[0].score"},
		{"a check of nothing", []report.Case{ok}, func(d *report.Document) {
			d.Readiness = &report.Readiness{Standard: report.NewStandard(3), LostChecks: []report.Check{{ID: "hunter2"}}}
		}, "readiness.lost_checks[0].id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := document(tt.cases...)
			if tt.edit != nil {
				tt.edit(d)
			}
			err := d.Validate()
			e, _ := err.(*report.Error)
			if (err == nil) != (tt.want == "") || e != nil && e.Path != tt.want {
				t.Fatalf("got %v, want a problem at %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error quotes: %v", err)
			}
			for name, show := range map[string]func() ([]byte, error){
				"json": d.Encode, "text": func() ([]byte, error) { return d.Text(nil) }, "markdown": func() ([]byte, error) { return d.Markdown(nil) },
				"sarif": func() ([]byte, error) { return d.SARIF(nil) }, "junit": func() ([]byte, error) { return d.JUnit(nil) },
			} {
				if data, err := show(); (err == nil) != (tt.want == "") || (err == nil) == (len(data) == 0) {
					t.Errorf("%s: %v, %d bytes", name, err, len(data))
				}
			}
		})
	}
}
