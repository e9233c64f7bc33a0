package manifest_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpeval/mcpeval/probes/manifest"
)

func allKinds(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/all-kinds.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParseAllKinds(t *testing.T) {
	data := allKinds(t)
	m, err := manifest.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[manifest.Kind]bool)
	for i, c := range m.Cases {
		seen[c.Base().Probe] = true
		if want := 11 + i; c.Base().Line != want {
			t.Errorf("case %s is at line %d, want %d", c.Base().ID, c.Base().Line, want)
		}
	}
	for _, k := range manifest.Kinds() {
		if !seen[k] {
			t.Errorf("no case of kind %s was read", k)
		}
	}
	if len(manifest.Kinds()) != 20 {
		t.Errorf("%d kinds", len(manifest.Kinds()))
	}
	sum := sha256.Sum256(data)
	if want := hex.EncodeToString(sum[:]); m.SHA256 != want {
		t.Errorf("digest %s, want %s", m.SHA256, want)
	}
	honest := m.Find("honest").(*manifest.ErrorHonesty)
	if string(honest.Arguments) != `{"n": 9007199254740993}` {
		t.Errorf("arguments %s", honest.Arguments)
	}
	faithful := m.Find("faithful").(*manifest.InstructionFidelity)
	if string(faithful.Expect.EqualsPaths["/a"]) != "1.50" {
		t.Errorf("expectation %s", faithful.Expect.EqualsPaths["/a"])
	}
	if m.Find("none") != nil {
		t.Error("a case that is not there was found")
	}
}

func TestHeadline(t *testing.T) {
	var got []manifest.Kind
	for _, k := range append(manifest.Kinds(), "other") {
		if k.Headline() {
			got = append(got, k)
		}
	}
	want := []manifest.Kind{"discovery-cost", "schema-guessability", "error-honesty", "state-recovery", "contention"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestToolCalls(t *testing.T) {
	m, err := manifest.Parse(allKinds(t))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"discovery": "", "guess": "t", "recover": "a,b,c", "tokens": "", "watch": "t", "flow": "a,b", "complete": "", "versions": "",
	}
	for id, tools := range want {
		var got []string
		for _, c := range manifest.ToolCalls(m.Find(id)) {
			got = append(got, c.Tool)
		}
		if strings.Join(got, ",") != tools {
			t.Errorf("%s calls %v, want %s", id, got, tools)
		}
	}
}

func TestEncodeRoundTrip(t *testing.T) {
	m, err := manifest.Parse(allKinds(t))
	if err != nil {
		t.Fatal(err)
	}
	first, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := manifest.Parse(first)
	if err != nil {
		t.Fatalf("%v in\n%s", err, first)
	}
	second, err := again.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(first), string(second)); diff != "" {
		t.Errorf("encoding is not stable:\n%s", diff)
	}
	ignore := cmp.Options{cmpopts.IgnoreFields(manifest.Head{}, "Line"), cmpopts.IgnoreFields(manifest.Manifest{}, "SHA256"),
		cmp.Comparer(func(a, b json.RawMessage) bool { return compact(t, a) == compact(t, b) })}
	if diff := cmp.Diff(m, again, ignore); diff != "" {
		t.Errorf("content changed:\n%s", diff)
	}
}

func compact(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var b strings.Builder
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return b.String()
		}
		n, _ := json.Marshal(token)
		b.Write(n)
	}
}

func TestEncodeLeavesTextAlone(t *testing.T) {
	m := &manifest.Manifest{Version: 1, Cases: []manifest.Case{&manifest.Contention{
		Head: manifest.Head{ID: "a", Probe: manifest.KindContention, Access: manifest.ReadOnly},
		Call: manifest.Call{Tool: "a<b>&c", Arguments: json.RawMessage(`{"q":"<&>"}`)},
	}}}
	got, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "version": 1,
  "probes": [
    {
      "id": "a",
      "probe": "contention",
      "access": "read_only",
      "tool": "a<b>&c",
      "arguments": {
        "q": "<&>"
      }
    }
  ]
}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// one is a manifest with one case.
func one(body string) string { return `{"version":1,"probes":[` + body + `]}` }

func TestRefused(t *testing.T) {
	const call = `"id":"c1","access":"read_only","tool":"t","arguments":{}`
	tests := []struct {
		name, text, want string
	}{
		{"no JSON", "{\n,}", "manifest: the document is not JSON in UTF-8"},
		{"bad UTF-8", "{\"version\":\"\xff\"}", "manifest: the document is not JSON in UTF-8"},
		{"trailing", `{} {}`, "manifest: the document is not JSON in UTF-8"},
		{"no object", `[]`, "manifest: the document has the wrong type"},
		{"empty", `{}`, "manifest: version is missing"},
		{"version", `{"version":2,"probes":[]}`, "manifest: version is out of range"},
		{"version as text", `{"version":"1"}`, "manifest: version has the wrong type"},
		{"no cases", `{"version":1,"probes":[]}`, "manifest: probes has too few items"},
		{"unknown at the top", `{"version":1,"Probes":[]}`, "manifest: Probes is not a field here"},
		{"unknown that may hold anything", `{"version":1,"a secret":[]}`, "manifest: ? is not a field here"},
		{"repeated at the top", `{"version":1,"version":1}`, "manifest: version is given twice"},
		{"timeout", `{"version":1,"timeout_ms":99}`, "manifest: timeout_ms is out of range"},
		{"timeout zero", `{"version":1,"timeout_ms":0}`, "manifest: timeout_ms is out of range"},
		{"timeout huge", `{"version":1,"timeout_ms":1e30}`, "manifest: timeout_ms is out of range"},
		{"timeout fraction", `{"version":1,"timeout_ms":100.5}`, "manifest: timeout_ms has the wrong type"},
		{"sandbox name", `{"version":1,"sandboxes":{"a b":{"description":""}}}`, "manifest: sandboxes.? is not of the form that is asked for"},
		{"sandbox text", `{"version":1,"sandboxes":{"a":{"description":"` + strings.Repeat("é", 241) + `"}}}`, "manifest: sandboxes.a.description is out of range"},
		{"sandbox twice", `{"version":1,"sandboxes":{"a":{"description":""},"\u0061":{"description":""}}}`, "manifest: sandboxes.a is given twice"},
		{"case no object", one(`1`), "manifest: probes[0] has the wrong type"},
		{"no kind", one(`{"id":"c1"}`), "manifest: probes[0].probe (case c1) is missing"},
		{"unknown kind", one(`{"id":"c1","probe":"x"}`), "manifest: probes[0].probe (case c1) is not a kind of probe"},
		{"field of another kind", one(`{` + call + `,"probe":"contention","max_attempts":2}`), "manifest: probes[0].max_attempts (case c1) is not a field here"},
		{"missing field", one(`{"id":"c1","access":"read_only","probe":"contention","tool":"t"}`), "manifest: probes[0].arguments (case c1) is missing"},
		{"repeated field", one(`{` + call + `,"probe":"contention","tool":"u"}`), "manifest: probes[0].tool (case c1) is given twice"},
		{"case variant", one(`{` + call + `,"probe":"contention","Tool":"u"}`), "manifest: probes[0].Tool (case c1) is not a field here"},
		{"id", one(`{"id":"1x","access":"read_only","probe":"token-cost","max_total_tokens":1}`), "manifest: probes[0].id is not of the form that is asked for"},
		{"id too long", one(`{"id":"` + strings.Repeat("x", 65) + `","access":"read_only","probe":"token-cost","max_total_tokens":1}`), "manifest: probes[0].id is out of range"},
		{"access", one(`{"id":"c1","access":"readonly","probe":"token-cost","max_total_tokens":1}`), "manifest: probes[0].access (case c1) is not of the form that is asked for"},
		{"bound below", one(`{"id":"c1","access":"read_only","probe":"token-cost","max_total_tokens":0}`), "manifest: probes[0].max_total_tokens (case c1) is out of range"},
		{"bound above", one(`{"id":"c1","access":"read_only","probe":"token-cost","max_total_tokens":1000001}`), "manifest: probes[0].max_total_tokens (case c1) is out of range"},
		{"arguments no object", one(`{"id":"c1","access":"read_only","probe":"contention","tool":"t","arguments":[]}`), "manifest: probes[0].arguments (case c1) has the wrong type"},
		{"repeated in arguments", one(`{"id":"c1","access":"read_only","probe":"contention","tool":"t","arguments":{"a":[{"b":1,"b":2}]}}`), "manifest: probes[0].arguments.a[0].b (case c1) is given twice"},
		{"read-only with a sandbox", one(`{` + call + `,"probe":"contention","sandbox":"s"}`), "manifest: probes[0].sandbox (case c1) is not allowed here"},
		{"same id", one(`{` + call + `,"probe":"contention"},{` + call + `,"probe":"output-schema"}`), "manifest: probes[1].id (case c1) is the id of an earlier case"},
		{"mutating workflow", one(`{"id":"c1","access":"mutating","probe":"workflow","repetitions":1,"steps":[{"tool":"a","arguments":{},"expect":{"outcome":"ok"}},{"tool":"a","arguments":{},"expect":{"outcome":"ok"}}]}`), "manifest: probes[0].access (case c1) is not allowed here"},
		{"one step", one(`{"id":"c1","access":"read_only","probe":"workflow","repetitions":1,"steps":[{"tool":"a","arguments":{},"expect":{"outcome":"ok"}}]}`), "manifest: probes[0].steps (case c1) has too few items"},
		{"expectation of ok with a code", one(`{` + call + `,"probe":"instruction-fidelity","expect":{"outcome":"ok","error_code":1}}`), "manifest: probes[0].expect.error_code (case c1) is not allowed here"},
		{"expectation of an error with fields", one(`{` + call + `,"probe":"instruction-fidelity","expect":{"outcome":"error","equals":{}}}`), "manifest: probes[0].expect.equals (case c1) is not allowed here"},
		{"code", one(`{` + call + `,"probe":"instruction-fidelity","expect":{"outcome":"error","error_code":1.5}}`), "manifest: probes[0].expect.error_code (case c1) has the wrong type"},
		{"no scalar", one(`{` + call + `,"probe":"instruction-fidelity","expect":{"outcome":"ok","equals":{"a":{}}}}`), "manifest: probes[0].expect.equals.a (case c1) has the wrong type"},
		{"no pointer", one(`{` + call + `,"probe":"instruction-fidelity","expect":{"outcome":"ok","equals_paths":{"a":1}}}`), "manifest: probes[0].expect.equals_paths.a (case c1) is not of the form that is asked for"},
		{"bad pointer", one(`{` + call + `,"probe":"instruction-fidelity","expect":{"outcome":"ok","required_result_paths":["/~2"]}}`), "manifest: probes[0].expect.required_result_paths[0] (case c1) is not of the form that is asked for"},
		{"date", one(`{"id":"c1","access":"read_only","probe":"protocol-negotiation","bogus_version":"never"}`), "manifest: probes[0].bogus_version (case c1) is not of the form that is asked for"},
		{"arguments of no trigger", one(`{"id":"c1","access":"read_only","probe":"resource-subscription","uri":"a:b","max_wait_seconds":1,"trigger_arguments":{}}`), "manifest: probes[0].trigger_arguments (case c1) is not allowed here"},
		{"null", one(`{"id":"c1","access":"read_only","probe":"pagination","max_pages":null}`), "manifest: probes[0].max_pages (case c1) has the wrong type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := manifest.Parse([]byte(tt.text))
			var e *manifest.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v", err)
			}
			if e.Error() != tt.want {
				t.Errorf("error\n %s, want\n %s", e, tt.want)
			}
		})
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	var e *manifest.Error
	if _, err := manifest.Parse([]byte("{\n\"version\":1,\n!}")); !errors.As(err, &e) || e.Line != 3 {
		t.Errorf("syntax error %#v", e)
	}
	if _, err := manifest.Parse([]byte("{\"version\":1,\"probes\":[\n\n{\"id\":\"c1\",\n\"probe\":\"x\"}]}")); !errors.As(err, &e) || e.Line != 3 {
		t.Errorf("wrong case %#v", e)
	}
}

// TestRanges checks both ends of each range against the documentation.
func TestRanges(t *testing.T) {
	ranges := map[string][2]int{
		"max_tools": {1, 10000}, "max_schema_bytes": {1, 10000000}, "max_total_tokens": {1, 1000000}, "max_tool_tokens": {1, 100000},
		"attempts": {1, 20}, "max_latency_ms": {1, 600000}, "max_pages": {1, 1000}, "size_bytes": {1, 16000000},
		"grace_seconds": {1, 60}, "max_requests": {1, 10}, "max_wait_seconds": {1, 60}, "max_values": {1, 100}, "repetitions": {1, 20},
		"timeout_ms": {100, 600000},
	}
	attempts := map[string][2]int{"honest": {2, 20}, "again": {2, 100}}
	set := func(doc map[string]any, field string, bound [2]int) {
		for _, v := range []int{bound[0] - 1, bound[0], bound[1], bound[1] + 1} {
			old := doc[field]
			doc[field] = v
			text, _ := json.Marshal(root(t, doc))
			_, err := manifest.Parse(text)
			if inside := bound[0] <= v && v <= bound[1]; (err == nil) != inside {
				t.Errorf("%s = %d: %v", field, v, err)
			}
			doc[field] = old
		}
	}
	var doc map[string]any
	if err := json.Unmarshal(allKinds(t), &doc); err != nil {
		t.Fatal(err)
	}
	set(doc, "timeout_ms", ranges["timeout_ms"])
	for _, c := range doc["probes"].([]any) {
		object := c.(map[string]any)
		for field := range object {
			bound, ok := ranges[field]
			if field == "max_attempts" {
				bound, ok = attempts[object["id"].(string)]
			}
			if ok {
				set(object, field, bound)
			}
		}
	}
}

// root makes a manifest of a case, and leaves a manifest as it is.
func root(t *testing.T, doc map[string]any) map[string]any {
	t.Helper()
	if _, ok := doc["probes"]; ok {
		return doc
	}
	return map[string]any{"version": 1, "probes": []any{doc}}
}

// TestEveryFieldCounts removes, repeats and mistypes each field of each kind.
func TestEveryFieldCounts(t *testing.T) {
	optional := map[string]bool{"sandbox": true, "max_tool_tokens": true, "trigger_arguments": true}
	var doc struct{ Probes []map[string]json.RawMessage }
	if err := json.Unmarshal(allKinds(t), &doc); err != nil {
		t.Fatal(err)
	}
	encode := func(c map[string]json.RawMessage) string { b, _ := json.Marshal(c); return string(b) }
	for _, c := range doc.Probes {
		for field, value := range c {
			without := make(map[string]json.RawMessage)
			for k, v := range c {
				if k != field {
					without[k] = v
				}
			}
			fails := map[string]string{
				"repeated": one(strings.TrimSuffix(encode(c), "}") + `,"` + field + `":` + string(value) + `}`),
				"unknown":  one(strings.TrimSuffix(encode(c), "}") + `,"other":1}`),
			}
			if !optional[field] && field != "trigger_tool" {
				fails["missing"] = one(encode(without))
			}
			without[field] = json.RawMessage(`[[]]`)
			fails["wrong type"] = one(encode(without))
			for what, text := range fails {
				if _, err := manifest.Parse([]byte(text)); err == nil {
					t.Errorf("%s %s of %s was accepted", what, field, c["probe"])
				}
			}
		}
	}
}

func TestSelect(t *testing.T) {
	m, err := manifest.Parse(allKinds(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range manifest.Kinds() {
		cases, err := m.Select([]string{string(k)})
		if err != nil || len(cases) == 0 {
			t.Errorf("%s: %d cases, %v", k, len(cases), err)
		}
		for _, c := range cases {
			if c.Base().Probe != k {
				t.Errorf("%s selected a case of %s", k, c.Base().Probe)
			}
		}
	}
	if all, err := m.Select(nil); err != nil || len(all) != len(m.Cases) {
		t.Errorf("no kinds: %d cases, %v", len(all), err)
	}
	two, err := m.Select([]string{"workflow", "discovery-cost"})
	if err != nil || len(two) != 2 || two[0].Base().ID != "discovery" {
		t.Errorf("two kinds: %v, %v", two, err)
	}
	if _, err := m.Select([]string{"nonsense"}); err == nil {
		t.Error("an unknown kind was accepted")
	}
	m.Cases = m.Cases[:1]
	if _, err := m.Select([]string{"workflow"}); err == nil {
		t.Error("a kind without a case was accepted")
	}
}

func TestRefusals(t *testing.T) {
	m, err := manifest.Parse([]byte(`{"version":1,"sandboxes":{"s":{"description":"d"}},"probes":[
		{"id":"r","probe":"contention","access":"read_only","tool":"t","arguments":{}},
		{"id":"none","probe":"contention","access":"mutating","tool":"t","arguments":{}},
		{"id":"lost","probe":"contention","access":"mutating","sandbox":"x","tool":"t","arguments":{}},
		{"id":"good","probe":"contention","access":"mutating","sandbox":"s","tool":"t","arguments":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		cases []manifest.Case
		allow bool
		want  []manifest.Refusal
	}{
		{"flag not given", m.Cases, false, []manifest.Refusal{{"none", manifest.NoSandbox}, {"lost", manifest.UndeclaredSandbox}, {"good", manifest.MutationNotGiven}}},
		{"the flag does not lift the other gate", m.Cases, true, []manifest.Refusal{{"none", manifest.NoSandbox}, {"lost", manifest.UndeclaredSandbox}}},
		{"only what is selected counts", m.Cases[:1], false, nil},
		{"both open", m.Cases[3:], true, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, m.Refusals(tt.cases, tt.allow)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(string(allKinds(f)))
	f.Add(one(`{"id":"c1","probe":"contention","access":"read_only","tool":"CANARY","arguments":{"a":1}}`))
	f.Add(one(`{"id":"c1","probe":"pagination","access":"read_only","max_pages":"CANARY"}`))
	f.Fuzz(func(t *testing.T, text string) {
		m, err := manifest.Parse([]byte(text))
		if err != nil {
			// Paths hold names of members and a valid id; values never.
			if strings.Contains(text, `"CANARY`) && !strings.Contains(text, `CANARY":`) && strings.Contains(err.Error(), "CANARY") && !strings.Contains(text, `"id":"CANARY`) {
				t.Fatalf("the error quotes a value: %v", err)
			}
			return
		}
		first, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := manifest.Parse(first)
		if err != nil {
			t.Fatalf("what was encoded is refused: %v\n%s", err, first)
		}
		second, err := again.Encode()
		if err != nil || string(first) != string(second) {
			t.Fatalf("encoding is not stable: %v\n%s\n%s", err, first, second)
		}
	})
}
