package battery_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/recorder"
)

// TestExpect compares answers with expectations.
func TestExpect(t *testing.T) {
	t.Parallel()
	structured := func(v string) string { return `{"content":[],"structuredContent":` + v + `}` }
	text := func(v string) string {
		quoted, _ := json.Marshal(v)
		return `{"content":[{"type":"image","data":""},{"type":"text","text":` + string(quoted) + `},{"type":"text","text":"{\"a\":2}"}]}`
	}
	failed := func(v string) string { return `{"isError":true,"content":[],"structuredContent":` + v + `}` }
	ok := func(members string) string { return `{"outcome":"ok"` + members + `}` }
	tests := []struct {
		name, answer, expect string
		want                 reason.Label
	}{
		{"ok", `{}`, ok(""), ""},
		{"error", `!{"code":1,"message":"m"}`, `{"outcome":"error"}`, ""},
		{"ok for error", `{}`, `{"outcome":"error"}`, reason.UnexpectedOutcome},
		{"error for ok", failed("{}"), ok(""), reason.UnexpectedOutcome},
		{"input is required", `{"resultType":"input_required"}`, ok(""), reason.UnexpectedOutcome},
		{"a task", `{"resultType":"task"}`, ok(""), reason.UnexpectedOutcome},
		{"isError is no boolean", `{"isError":"true"}`, ok(""), ""},

		{"field", structured(`{"a":null}`), ok(`,"required_result_fields":["a"]`), ""},
		{"no field", structured(`{"A":1}`), ok(`,"required_result_fields":["a"]`), reason.MissingField},
		{"no data", `{}`, ok(`,"required_result_fields":["a"]`), reason.MissingField},
		{"data is a list", structured(`[1]`), ok(`,"required_result_paths":["/0"]`), ""},
		{"data is a scalar", structured(`5`), ok(`,"equals_paths":{"":5}`), ""},
		{"text that is an object", text(`{"a":1}`), ok(`,"equals":{"a":1}`), ""},
		{"text that is none", text(`[1]`), ok(`,"required_result_paths":[""]`), reason.MissingField},
		{"text after one that is none", text(`done`), ok(`,"equals":{"a":2}`), reason.MissingField},
		{"structured before text", `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{}}`, ok(`,"required_result_fields":["a"]`), reason.MissingField},
		{"null before text", `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":null}`, ok(`,"required_result_fields":["a"]`), ""},
		{"the last of repeated members", structured(`{"a":1,"a":2}`), ok(`,"equals":{"a":2}`), ""},

		{"text equals", structured(`{"a":"\u0078é"}`), ok(`,"equals":{"a":"xé"}`), ""},
		{"text differs in case", structured(`{"a":"X"}`), ok(`,"equals":{"a":"x"}`), reason.ValueMismatch},
		{"number is no text", structured(`{"a":1}`), ok(`,"equals":{"a":"1"}`), reason.ValueMismatch},
		{"1.0 is 1", structured(`{"a":1.0}`), ok(`,"equals":{"a":1}`), ""},
		{"1e2 is 100", structured(`{"a":1e2}`), ok(`,"equals":{"a":100}`), ""},
		{"digits beyond 2^53", structured(`{"a":1915883588174806058}`), ok(`,"equals":{"a":1915883588174806059}`), reason.ValueMismatch},
		{"decimals are exact", structured(`{"a":0.1}`), ok(`,"equals":{"a":0.10000000000000000001}`), reason.ValueMismatch},
		{"null is not false", structured(`{"a":null}`), ok(`,"equals":{"a":false}`), reason.ValueMismatch},
		{"a list is no scalar", structured(`{"a":[1]}`), ok(`,"equals":{"a":1}`), reason.ValueMismatch},
		{"missing is said before different", structured(`{"a":1}`), ok(`,"equals":{"a":2,"b":1}`), reason.MissingField},
		{"paths missing and fields different", structured(`{"a":1}`), ok(`,"equals":{"a":2},"required_result_paths":["/b"]`), reason.MissingField},

		{"path", structured(`{"a":{"b/c":[{"~":7}]}}`), ok(`,"equals_paths":{"/a/b~1c/0/~0":7}`), ""},
		{"path of ~01", structured(`{"~1":7}`), ok(`,"equals_paths":{"/~01":7}`), ""},
		{"empty key", structured(`{"":{"":1}}`), ok(`,"required_result_paths":["//"]`), ""},
		{"leading zero", structured(`{"a":[1,2]}`), ok(`,"required_result_paths":["/a/01"]`), reason.MissingField},
		{"end of a list", structured(`{"a":[1]}`), ok(`,"required_result_paths":["/a/-"]`), reason.MissingField},
		{"index beyond", structured(`{"a":[1]}`), ok(`,"required_result_paths":["/a/1"]`), reason.MissingField},
		{"below a scalar", structured(`{"a":1}`), ok(`,"required_result_paths":["/a/0"]`), reason.MissingField},
		{"index as a key", structured(`{"0":1}`), ok(`,"equals_paths":{"/0":1}`), ""},

		{"code", `!{"code":404,"message":"m"}`, `{"outcome":"error","error_code":404}`, ""},
		{"another code", `!{"code":404,"message":"m"}`, `{"outcome":"error","error_code":405}`, reason.ErrorCodeMismatch},
		{"code of a text", `!{"code":404,"message":"m"}`, `{"outcome":"error","error_code":"404"}`, reason.ErrorCodeMismatch},
		{"code in the data", failed(`{"code":"gone"}`), `{"outcome":"error","error_code":"gone"}`, ""},
		{"code in an error in the data", failed(`{"error":{"code":410}}`), `{"outcome":"error","error_code":410}`, ""},
		{"no code", failed(`{}`), `{"outcome":"error","error_code":410}`, reason.ErrorCodeMismatch},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := &fake{answers: map[string]string{"tools/call": tt.answer}}
			m := parse(t, manifestOf(
				`"probe":"instruction-fidelity","tool":"t","arguments":{},"expect":`+tt.expect,
				`"probe":"workflow","repetitions":1,"steps":[{"tool":"t","arguments":{},"expect":`+tt.expect+`},{"tool":"t","arguments":{},"expect":`+tt.expect+`}]`,
			))
			want := map[string]reason.Label{}
			if tt.want != "" {
				want["c1"], want["c2"] = tt.want, tt.want
			}
			if diff := cmp.Diff(want, reasons(run(t, config(f.overHTTP(t), m)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func entry(t testing.TB, text string) rawjson.Value {
	t.Helper()
	v, err := rawjson.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCatalogSizes(t *testing.T) {
	tests := []struct{ name, in, as string }{
		{"spaces", "{ \"name\" :\t\"t\",\n\"a\": [ 1 , { } , [ ] ] }", `{"name":"t","a":[1,{},[]]}`},
		{"order and repeats", `{"b":1,"a":2,"b":3}`, `{"b":1,"a":2,"b":3}`},
		{"numbers", `{"a":1.50,"b":-0,"c":1E+2,"d":1915883588174806058}`, `{"a":1.50,"b":-0,"c":1E+2,"d":1915883588174806058}`},
		{"escapes that need not be", `{"\u0061\/":"\u003c\u00e9\ud83d\ude00"}`, `{"a/":"<é😀"}`},
		{"escapes that must be", `{"a":"\u0022\\\n\u0001\u000a\u0008\u007f"}`, "{\"a\":\"\\\"\\\\\\n\\u0001\\n\\b\u007f\"}"},
		{"half a pair", `{"a":"\ud800"}`, "{\"a\":\"\ufffd\"}"},
		{"words", `[true,false,null]`, `[true,false,null]`},
		{"a scalar", ` 7 `, `7`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := battery.NewCatalog([]rawjson.Value{entry(t, tt.in)})
			tokens := (len(tt.as) + 3) / 4
			if c.Bytes != len(tt.as) || c.Tokens != tokens || c.Heaviest != tokens {
				t.Errorf("%d bytes, %d tokens, heaviest %d; want %d and %d", c.Bytes, c.Tokens, c.Heaviest, len(tt.as), tokens)
			}
		})
	}
	c := battery.NewCatalog([]rawjson.Value{entry(t, `{"a":1}`), entry(t, `{}`)})
	if c.Bytes != 9 || c.Tokens != 3 || c.Heaviest != 2 {
		t.Errorf("rounding is not for each tool: %+v", c)
	}
}

// TestCatalogSizesDoNotVary shows that neither white space nor escapes count.
func TestCatalogSizesDoNotVary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOf(rapid.String()).Draw(t, "list")
		space := rapid.SampledFrom([]string{"", " ", "\r\n\t"}).Draw(t, "space")
		want := len("[]") + max(0, len(list)-1)
		var items []string
		for _, s := range list {
			want += len(`""`)
			var b strings.Builder
			for _, r := range s {
				switch {
				case strings.ContainsRune("\"\\\n\r\t\b\f", r):
					want += 2
				case r < ' ':
					want += len(`\u0000`)
				default:
					want += utf8.RuneLen(r)
				}
				for _, unit := range utf16.Encode([]rune{r}) {
					fmt.Fprintf(&b, `\u%04x`, unit)
				}
			}
			items = append(items, space+`"`+b.String()+`"`+space)
		}
		plain, err := json.Marshal(append([]string{}, list...))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{string(plain), space + "[" + space + strings.Join(items, ",") + "]" + space} {
			v, err := rawjson.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if c := battery.NewCatalog([]rawjson.Value{v}); c.Bytes != want {
				t.Fatalf("%q takes %d bytes, want %d", text, c.Bytes, want)
			}
		}
	})
}

// TestJournal records a run and reads what was kept: one capture, in which every
// tool call is a synthetic event.
func TestJournal(t *testing.T) {
	t.Parallel()
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			server, err := sanitize.NewLabel("demo")
			if err != nil {
				t.Fatal(err)
			}
			capture := recorder.NewCapture(&recorder.CaptureOptions{
				Open: func() (recorder.Store, error) {
					return recorder.OpenStore(func(name string) string {
						return map[string]string{"MCPEVAL_HOME": dir}[name]
					}, "linux")
				},
				Report: func(line string) { t.Error(line) },
				Server: server, Version: server, Recorder: journal.RecorderProbe, Kind: journal.Synthetic,
			})
			m := demoManifest(t)
			c := config(demoAt(t, p, ""), m)
			c.Cases = only(t, m, "schema-guessability", "degradation-over-n", "contention", "workflow")
			c.Journal = capture
			r := run(t, c)
			capture.End(time.Now(), recorder.NoExit)
			attempts := 0
			for _, one := range r.Document.Cases {
				attempts += int(one.Attempts)
			}
			captures, calls := kept(t, dir)
			if captures != 1 || calls != attempts {
				t.Errorf("%d captures with %d tool calls, want 1 with %d", captures, calls, attempts)
			}
		})
	}
}

// kept counts captures and tool calls in a journal.
func kept(t *testing.T, dir string) (captures, calls int) {
	t.Helper()
	ids := make(map[string]bool)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(data) {
			var e struct {
				Kind     string
				Identity struct {
					Capture string `json:"capture_id"`
				}
				Call *struct{ Tool string }
				Tool string
			}
			if err := json.Unmarshal(line, &e); err != nil {
				return err
			}
			ids[e.Identity.Capture] = true
			if e.Tool != "" || e.Call != nil && e.Call.Tool != "" {
				calls++
				if e.Kind != "synthetic" {
					t.Errorf("a call is %s", e.Kind)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return len(ids), calls
}
