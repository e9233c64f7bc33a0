package generate_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/generate"
	"github.com/mcpeval/mcpeval/probes/manifest"
)

func finding(c generate.Class) *generate.Finding {
	return &generate.Finding{
		ID: "finding-0123456789abcdef", Tool: "get_weather", Class: c, Rate: 1.0 / 3,
		Repro: []byte(`{"city":"str8","unit":"enum:C"}`),
	}
}

const okExpect = `{"outcome": "ok", "equals": {"status": "saved", "n": 1234567890123456789}}`

const repeated = `{
  "version": 1,
  "probes": [
    {
      "id": "finding-0123456789abcdef",
      "probe": "degradation-over-n",
      "access": "read_only",
      "tool": "get_weather",
      "arguments": {
        "city": "",
        "unit": "C"
      },
      "max_attempts": 8
    }
  ]
}
`

func TestGenerate(t *testing.T) {
	yes, no := true, false
	tests := []struct {
		class     generate.Class
		retryable *bool
		expect    string
		kind      manifest.Kind
		attempts  int
		holds     string
	}{
		{generate.RecurringError, nil, "", manifest.KindDegradationOverN, 8, repeated},
		{generate.RecoversOnRetry, &yes, "", manifest.KindDegradationOverN, 8, repeated},
		{generate.RetryDidNotRecover, &yes, "", manifest.KindDegradationOverN, 8, repeated},
		{generate.HungCall, nil, "", manifest.KindDegradationOverN, 8, repeated},
		{generate.UnstableCode, &yes, "", manifest.KindErrorHonesty, 8, `"expect_retryable": true`},
		{generate.UnstableCode, &no, "", manifest.KindErrorHonesty, 8, `"expect_retryable": false`},
		{generate.FalseSuccess, nil, okExpect, manifest.KindInstructionFidelity, 0, `"n": 1234567890123456789`},
		{generate.FalseSuccess, nil, `{"outcome":"error"}`, manifest.KindInstructionFidelity, 0, `"outcome": "error"`},
		{generate.BlockedPath, nil, `{"outcome":"ok"}`, manifest.KindInstructionFidelity, 0, `"outcome": "ok"`},
	}
	for _, tt := range tests {
		t.Run(string(tt.class), func(t *testing.T) {
			f := finding(tt.class)
			f.Retryable = tt.retryable
			o := &generate.Options{ConfirmReadOnly: true}
			if tt.expect != "" {
				o.Expect = []byte(tt.expect)
			}
			g, err := generate.Generate(f, o)
			if err != nil {
				t.Fatal(err)
			}
			if g.Kind != tt.kind || g.MaxAttempts != tt.attempts || g.CaseID != f.ID {
				t.Errorf("kind %s, attempts %d, case %s", g.Kind, g.MaxAttempts, g.CaseID)
			}
			if !strings.Contains(string(g.Text), tt.holds) {
				t.Errorf("the manifest has no %s:\n%s", tt.holds, g.Text)
			}
			if diff := cmp.Diff([]generate.Fill{{"/probes/0/arguments/city", "str8"}}, g.Fills); diff != "" {
				t.Error(diff)
			}
			if len(g.Manifest.Cases) != 1 || g.Manifest.Cases[0].Base().Access != manifest.ReadOnly {
				t.Error("not one read-only case")
			}
			if err := generate.Matches(f, g.Manifest.Cases[0]); err != nil {
				t.Errorf("the case does not match its own finding: %v", err)
			}
			again, err := generate.Generate(f, o)
			if err != nil || !bytes.Equal(again.Text, g.Text) {
				t.Errorf("not the same bytes again, %v", err)
			}
		})
	}
}

func TestGenerateErrorHonestyIsBounded(t *testing.T) {
	f := finding(generate.UnstableCode)
	f.Rate, f.Retryable = 0.001, new(bool)
	g, err := generate.Generate(f, &generate.Options{ConfirmReadOnly: true})
	if err != nil || g.MaxAttempts != 20 {
		t.Errorf("attempts %d, %v", g.MaxAttempts, err)
	}
}

func TestGenerateRefuses(t *testing.T) {
	with := func(c generate.Class, f func(*generate.Finding)) *generate.Finding {
		one := finding(c)
		if f != nil {
			f(one)
		}
		return one
	}
	tests := []struct {
		name    string
		finding *generate.Finding
		confirm bool
		expect  string
		problem string
		next    string
	}{
		{"no attestation", with(generate.RecurringError, nil), false, "", "--confirm-read-only", "--help"},
		{"stdout noise", with(generate.StdoutNoise, nil), true, "", "no tool", "leaves the list"},
		{"tool not kept", with(generate.RecurringError, func(f *generate.Finding) { f.Tool = "unlisted" }), true, "", "no tool", "leaves the list"},
		{"no tool", with(generate.HungCall, func(f *generate.Finding) { f.Tool = "" }), true, "", "no tool", "leaves the list"},
		{"unknown class", with("new-class", nil), true, "", "does not know", "version"},
		{"retryability not recorded", with(generate.UnstableCode, nil), true, "", "retryable", "error-honesty case for tool get_weather by hand"},
		{"false success alone", with(generate.FalseSuccess, nil), true, "", "has to be said", "--expect"},
		{"blocked path alone", with(generate.BlockedPath, nil), true, "", "has to be said", "--expect"},
		{"expectation not needed", with(generate.RecurringError, nil), true, okExpect, "no expectation", "leave --expect out"},
		{"no assertion", with(generate.FalseSuccess, nil), true, `{"outcome":"ok"}`, "any success", "required_result_fields"},
		{"empty assertion", with(generate.FalseSuccess, nil), true, `{"outcome":"ok","equals":{}}`, "any success", "equals"},
		{"bad expectation", with(generate.FalseSuccess, nil), true, `{"outcome":"perhaps"}`, "expectation: outcome", `"outcome": "ok"`},
		{"shape of another version", with(generate.RecurringError, func(f *generate.Finding) { f.Repro = []byte(`{"a":"words"}`) }), true, "", "no shape", "by hand"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := &generate.Options{ConfirmReadOnly: tt.confirm}
			if tt.expect != "" {
				o.Expect = []byte(tt.expect)
			}
			g, err := generate.Generate(tt.finding, o)
			e, ok := errors.AsType[*generate.Refusal](err)
			if !ok || g != nil || !strings.Contains(e.Problem, tt.problem) || !strings.Contains(e.Next, tt.next) {
				t.Errorf("got %v, %#v", g, err)
			}
		})
	}
}

func TestParseExpect(t *testing.T) {
	if e, err := generate.ParseExpect([]byte(" " + okExpect + "\n")); err != nil || e.Outcome != "ok" || len(e.Equals) != 2 {
		t.Errorf("got %+v, %v", e, err)
	}
	tests := []struct{ name, in, want string }{
		{"no JSON", `{"outcome": secret`, "expectation: the document is not JSON in UTF-8"},
		{"nothing", ``, "expectation: the document is not JSON in UTF-8"},
		{"no object", `"secret"`, "expectation: the document has the wrong type"},
		{"outcome missing", `{}`, "expectation: outcome is missing"},
		{"outcome unknown", `{"outcome":"secret"}`, "expectation: outcome is not of the form that is asked for"},
		{"unknown field", `{"outcome":"ok","secrets":1}`, "expectation: secrets is not a field here"},
		{"repeated field", `{"outcome":"ok","outcome":"ok"}`, "expectation: outcome is given twice"},
		{"other case", `{"Outcome":"ok"}`, "expectation: Outcome is not a field here"},
		{"no scalar", `{"outcome":"ok","equals":{"a":{"secret":1}}}`, "expectation: equals.a has the wrong type"},
		{"no pointer", `{"outcome":"ok","required_result_paths":["secret"]}`, "expectation: required_result_paths[0] is not of the form that is asked for"},
		{"code of a success", `{"outcome":"ok","error_code":1}`, "expectation: error_code is not allowed here"},
		{"fields of an error", `{"outcome":"error","equals":{"a":1}}`, "expectation: equals is not allowed here"},
		{"a way out", `{"outcome":"ok"},"sandbox":"secret"`, "expectation: the document is not JSON in UTF-8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := generate.ParseExpect([]byte(tt.in))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func FuzzParseExpect(f *testing.F) {
	for _, seed := range []string{okExpect, `{"outcome":"error","error_code":-32602}`, `{"outcome":"ok","equals_paths":{"/a~1b":null}}`, `]`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		want, err := generate.ParseExpect(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "expectation: ") {
				t.Errorf("error %q", err)
			}
			return
		}
		one := finding(generate.BlockedPath)
		g, err := generate.Generate(one, &generate.Options{ConfirmReadOnly: true, Expect: text})
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Manifest.Cases[0].(*manifest.InstructionFidelity).Expect; got.Outcome != want.Outcome || len(got.Equals) != len(want.Equals) {
			t.Errorf("%+v became %+v", want, got)
		}
	})
}

func TestMatches(t *testing.T) {
	cases, err := manifest.Parse([]byte(`{"version":1,"sandboxes":{"s":{"description":"d"}},"probes":[
		{"id":"repeat","probe":"degradation-over-n","access":"read_only","tool":"get_weather","arguments":{},"max_attempts":3},
		{"id":"writes","probe":"degradation-over-n","access":"mutating","sandbox":"s","tool":"get_weather","arguments":{},"max_attempts":3},
		{"id":"other","probe":"degradation-over-n","access":"read_only","tool":"get_forecast","arguments":{},"max_attempts":3},
		{"id":"cost","probe":"discovery-cost","access":"read_only","max_tools":3,"max_schema_bytes":3},
		{"id":"any","probe":"instruction-fidelity","access":"read_only","tool":"get_weather","arguments":{},"expect":{"outcome":"ok"}},
		{"id":"says","probe":"instruction-fidelity","access":"read_only","tool":"get_weather","arguments":{},"expect":{"outcome":"ok","equals":{"a":1}}},
		{"id":"flow","probe":"workflow","access":"read_only","repetitions":1,"steps":[
			{"tool":"get_forecast","arguments":{},"expect":{"outcome":"ok","equals":{"a":1}}},
			{"tool":"get_weather","arguments":{},"expect":{"outcome":"ok"}}]},
		{"id":"flow-says","probe":"workflow","access":"read_only","repetitions":1,"steps":[
			{"tool":"get_forecast","arguments":{},"expect":{"outcome":"ok"}},
			{"tool":"get_weather","arguments":{},"expect":{"outcome":"error"}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		class generate.Class
		id    string
		want  string // in the refusal
	}{
		{"its tool", generate.RecurringError, "repeat", ""},
		{"mutating", generate.RecurringError, "writes", "mutating"},
		{"another tool", generate.RecurringError, "other", "does not call get_weather"},
		{"no tool", generate.RecurringError, "cost", "does not call get_weather"},
		{"one step of several", generate.RecurringError, "flow", ""},
		{"false success, repeated", generate.FalseSuccess, "repeat", "does not say"},
		{"false success, any result", generate.FalseSuccess, "any", "does not say"},
		{"false success, this result", generate.FalseSuccess, "says", ""},
		{"false success, another step's result", generate.FalseSuccess, "flow", "does not say"},
		{"false success, a step that must fail", generate.FalseSuccess, "flow-says", ""},
		{"blocked path, any result", generate.BlockedPath, "any", ""},
		{"noise", generate.StdoutNoise, "repeat", "no tool"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := generate.Matches(finding(tt.class), cases.Find(tt.id))
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if _, ok := errors.AsType[*generate.Refusal](err); err != nil && !ok {
				t.Errorf("%T", err)
			}
		})
	}
}
