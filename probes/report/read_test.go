package report_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// whole is a document that has something in every place.
func whole() *report.Document {
	slow := fail("slow", manifest.KindLatencyBudget, reason.LatencyBudgetExceeded)
	slow.Tool, slow.Attempts = report.ToolOf("list_notes"), 3
	slow.Detail = report.Over(report.MaxLatencyMS, 100, 312)
	slow.Measurements = report.Measurements{report.LatencyMS: report.Int(312), report.Successes: report.Int(3)}
	wears := fail("wears", manifest.KindDegradationOverN, reason.UnexpectedOutcome)
	wears.Tool, wears.Attempts, wears.FirstFailure = report.ToolOf("get_weather"), 5, new(int64(3))
	heavy := fail("heavy", manifest.KindTokenCost, reason.TokenBudgetExceeded)
	heavy.Detail = report.Over(report.MaxToolTokens, 500, 812)
	heavy.Measurements = report.Measurements{report.TotalTokens: report.Int(4120), report.HeaviestToolTokens: report.Int(812)}
	d := document(
		pass("catalog", manifest.KindDiscoveryCost), heavy, slow, wears,
		fail("hangs", manifest.KindPayloadBounds, reason.TransportTimeout),
		other("surfaces", manifest.KindSurfaceListing, reason.CapabilityAbsent),
	)
	d.Readiness = &report.Readiness{
		Standard: report.NewStandard(3), Total: 8750,
		Areas: report.Areas{Protocol: 10000, Catalog: 7525, Context: 10000, Reliability: 8000, ErrorHonesty: 5000, Coverage: 10000},
		LostChecks: []report.Check{
			{ID: report.CheckDescription, Tool: report.ToolOf("list_notes"), Score: 0, Observed: report.Int(12)},
			{ID: report.CheckLatency, Tool: report.ToolOf("list_notes"), Score: 5000, Observed: report.Bool(false), Reason: reason.LatencyBudgetExceeded},
		},
	}
	return d
}

func TestReadRefuses(t *testing.T) {
	good := string(encoded(t, whole()))
	tests := []struct{ name, old, repl, want string }{
		{"nothing", good, "", "is not JSON"},
		{"no JSON", good, "server demo", "is not JSON"},
		{"two documents", "}\n", "} {}", "is not JSON"},
		{"an array", good, "[]", "is no object"},
		{"UTF-16", good, "\xff\xfe{\x00}\x00", "UTF-16"},
		{"too large", good, strings.Repeat(" ", 16<<20+1), "larger"},
		{"an older version", "probe-report/v2", "probe-report/v1", "schema: is not"},
		{"a diff", "probe-report/v2", "probe-diff/v2", "schema: is not"},
		{"no schema", `"schema": "mcpeval.probe-report/v2",`, "", "schema: is missing"},
		{"unknown member", `"passed": false,`, `"passed": false, "hunter2": 1,`, "has a member"},
		{"another case", `"server":`, `"Server":`, "has a member"},
		{"repeated member", `"server": "demo",`, `"server": "demo", "server": "demo",`, "server: is repeated"},
		{"missing member", `"server": "demo",`, ``, "server: is missing"},
		{"null for a string", `"server": "demo"`, `"server": null`, "server: is no string"},
		{"server outside the grammar", `"server": "demo"`, `"server": "hunter2 and more"`, "server: is no label"},
		{"digest in capitals", `"manifest_sha256": "`, `"manifest_sha256": "A`, "manifest_sha256: is no SHA-256"},
		{"a number for a boolean", "\n  \"passed\": false", "\n  \"passed\": 0", "passed: is no boolean"},
		{"unknown member of the gate", `"not_run": 0`, `"not_run": 0, "hunter2": 0`, "gate: has a member"},
		{"a gate that does not add up", `"not_applicable": 1`, `"not_applicable": 2`, "gate: does not count"},
		{"a fraction", `"attempts": 3`, `"attempts": 3.0`, "cases[2].attempts: is no count"},
		{"an exponent", `"attempts": 3`, `"attempts": 3e0`, "cases[2].attempts: is no count"},
		{"beyond 64 bits", `"attempts": 3`, `"attempts": 36893488147419103232`, "cases[2].attempts: is no count"},
		{"negative", `"attempts": 3`, `"attempts": -3`, "cases[2].attempts: is no count"},
		{"tool outside the grammar", `"tool": "get_weather"`, `"tool": "get weather"`, "cases[3].tool: is no tool"},
		{"empty tool", `"tool": "get_weather"`, `"tool": ""`, "cases[3].tool: is empty"},
		{"unknown reason", `"reason": "unexpected-outcome"`, `"reason": "hunter2"`, "cases[3].reason: is no reason"},
		{"no hint", `"hint": "answer every request`, `"hint": null, "x": "`, "cases[4]: has a member"},
		{"null hint", `"hint": "` + reason.Fix(reason.UnexpectedOutcome) + `"`, `"hint": null`, "cases[3].hint: does not fit"},
		{"unknown bound", `"bound": "max_latency_ms"`, `"bound": "hunter2"`, "cases[2].detail.bound: is no bound"},
		{"time observed", "\"limit\": 100,\n        \"observed\": false", `"limit": 100, "observed": 312`, "cases[2].detail.observed: must be"},
		{"unknown measurement", `"successes": 3`, `"hunter2": 3`, "cases[2].measurements: has a name"},
		{"repeated measurement", `"successes": 3`, `"successes": 3, "successes": 3`, "cases[2].measurements.successes: is repeated"},
		{"a string measured", `"successes": 3`, `"successes": "hunter2"`, "cases[2].measurements.successes: is no count"},
		{"unknown standard", `mcpeval-standard/3`, `mcpeval-standard/03`, "readiness.standard: is no standard"},
		{"score with three places", `"total": 87.5`, `"total": 87.505`, "readiness.total: is no score"},
		{"score with a trailing zero", `"total": 87.5`, `"total": 87.50`, "readiness.total: is no score"},
		{"score over 100", `"total": 87.5`, `"total": 100.5`, "readiness.total: is no score"},
		{"negative score", `"total": 87.5`, `"total": -1`, "readiness.total: is no score"},
		{"score as text", `"total": 87.5`, `"total": "87.5"`, "readiness.total: is no score"},
		{"an area too few", `"coverage": 100`, `"hunter2": 100`, "readiness.areas: has a member"},
		{"unknown check", `"catalog.description"`, `"hunter2"`, "readiness.lost_checks[0].id"},
		{"cases as an object", good, strings.Replace(good[:strings.Index(good, `"cases"`)], "\n", " ", 1) + `"cases": {}}`, "cases: is no array"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(good, tt.old) {
				t.Fatalf("the document has no %s", tt.old)
			}
			_, err := report.Read([]byte(strings.Replace(good, tt.old, tt.repl, 1)))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error quotes: %v", err)
			}
		})
	}
}

func TestReadTakes(t *testing.T) {
	good := encoded(t, whole())
	for name, data := range map[string][]byte{
		"as written":                     good,
		"byte order mark":                append([]byte("\ufeff"), good...),
		"CRLF":                           bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n")),
		"a hint in other words":          bytes.Replace(good, []byte(reason.Fix(reason.UnexpectedOutcome)), []byte("hunter2"), 1),
		"escaped letters in a known key": bytes.Replace(good, []byte(`"server":`), []byte(`"serve\u0072":`), 1),
	} {
		d, err := report.Read(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if again := encoded(t, d); !bytes.Equal(again, good) {
			t.Errorf("%s is another document:\n%s", name, again)
		}
	}
}

// TestReadOfDamage: whatever is still read is what its own encoding says.
func TestReadOfDamage(t *testing.T) {
	good := encoded(t, whole())
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Clone(good)
		for range rapid.IntRange(1, 3).Draw(t, "times") {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			switch rapid.IntRange(0, 2).Draw(t, "damage") {
			case 0:
				data[at] = rapid.SampledFrom([]byte(` {}[],:"\019aZ-.tfn`+"\x00\xff")).Draw(t, "byte")
			case 1:
				data = append(data[:at], data[min(at+rapid.IntRange(1, 40).Draw(t, "n"), len(data)):]...)
			case 2:
				data = append(data[:at], append([]byte{rapid.SampledFrom([]byte(` 0",:1`)).Draw(t, "byte")}, data[at:]...)...)
			}
			if len(data) == 0 {
				return
			}
		}
		checkRead(t, data)
	})
}

func FuzzRead(f *testing.F) {
	f.Add(encoded(f, whole()))
	f.Add(encoded(f, document()))
	f.Add(encoded(f, report.NewScore(version, server, nil, reason.DiscoveryIncomplete)))
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, data) })
}

func checkRead(t interface{ Fatalf(string, ...any) }, data []byte) {
	d, err := report.Read(data)
	if err != nil {
		if _, ok := err.(*report.Error); !ok {
			t.Fatalf("error of type %T", err)
		}
		return
	}
	once, err := d.Encode()
	if err != nil {
		t.Fatalf("read but not written: %v", err)
	}
	again, err := report.Read(once)
	if err != nil || !same(d, again) {
		t.Fatalf("%v\n%s", err, once)
	}
}
