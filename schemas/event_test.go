package schemas_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/journaltest"
	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// TestEventAcceptsTheCodec: whatever the codec writes is valid.
func TestEventAcceptsTheCodec(t *testing.T) {
	s := schemaOf(t, "event")
	seen := map[journal.Type]int{}
	rapid.Check(t, func(t *rapid.T) {
		ev := journaltest.Event.Draw(t, "event")
		seen[ev.Body.Type()]++
		line := journal.AppendEvent(nil, &ev)
		if !accepts(s, line) {
			t.Fatalf("refused: %s", line)
		}
	})
	data, err := os.ReadFile(filepath.Join("..", "journal", "testdata", "event-v1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if !accepts(s, line) {
			t.Errorf("a frozen line is refused: %s", line)
		}
	}
	if len(seen) != int(journal.TypeEnd) {
		t.Logf("the random events are of %d types", len(seen)) // the frozen lines are of all
	}
}

// TestEventAgreesWithTheDecoder changes one thing of a line, keeping the canonical
// form, and asks both whether it is an event.
func TestEventAgreesWithTheDecoder(t *testing.T) {
	s := schemaOf(t, "event")
	rapid.Check(t, func(t *rapid.T) {
		ev := journaltest.Event.Draw(t, "event")
		line := journal.AppendEvent(nil, &ev)
		spans := spansOf(line)
		at := rapid.SampledFrom(spans).Draw(t, "at")
		var changed string
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0, 1:
			value := rapid.OneOf(rapid.SampledFrom(pool), rapid.Map(rapid.SampledFrom(spans), func(s span) string { return string(line[s.value:s.end]) })).Draw(t, "value")
			changed = string(line[:at.value]) + value + string(line[at.end:])
		case 2: // without the member, and without one of the commas around it
			before, after := string(line[:at.key]), string(line[at.end:])
			if strings.HasSuffix(before, ",") {
				before = before[:len(before)-1]
			} else {
				after = strings.TrimPrefix(after, ",")
			}
			changed = before + after
		case 3:
			changed = string(line[:at.end]) + `,"extra":` + rapid.SampledFrom(pool).Draw(t, "value") + string(line[at.end:])
		}
		checkVerdicts(t, s, changed)
	})
}

// TestEventNearMisses spells the ones that matter most.
func TestEventNearMisses(t *testing.T) {
	s := schemaOf(t, "event")
	const head = `{"schema":"mcpeval.event/v1","identity":{"capture_id":"8f14e45f-ceea-4e1b-8a3c-0123456789ab","event_id":"0191e7a2-aaaa-7bbb-8ccc-0123456789ab"},"prev":"00112233445566778899aabbccddeeff","seq":2,"ts":"2026-11-30T10:00:00.000Z","session":"session:0000000000000000000000000000000000000000000000000000000000000000","server":"demo","kind":"real","type":`
	const call = head + `"call","origin":"client","method":"tools/call","tool":"read_file","args":{"path":"str8"},"latency_us":1500,"latency_ms":1,"request_bytes":9,"response_bytes":9,"outcome":"error","error":{"code":"tool-error","layer":"tool","retryable":true,"kind":"str8","template":"{message}","template_id":"0123456789abcdef"},"cancelled":true,"shim_self_us":4}`
	edit := func(old, repl string) string {
		if !strings.Contains(call, old) {
			t.Fatalf("the line has no %s", old)
		}
		return strings.Replace(call, old, repl, 1)
	}
	tests := []struct {
		name, line string
		want       bool
	}{
		{"fine", call, true},
		{"another schema", edit("event/v1", "event/v2"), false},
		{"capture id of version 7", edit("-4e1b-", "-7e1b-"), false},
		{"event id of version 4", edit("-7bbb-", "-4bbb-"), false},
		{"another variant", edit("-8ccc-", "-cccc-"), false},
		{"upper-case digits", edit("aabbcc", "AABBCC"), false},
		{"seq 1 that is no capture", edit(`"seq":2`, `"seq":1`), false},
		{"seq as text", edit(`"seq":2`, `"seq":"2"`), false},
		{"February 30", edit("2026-11-30", "2026-02-30"), false},
		{"February 29", edit("2026-11-30", "2026-02-29"), false},
		{"February 29 of a leap year", edit("2026-11-30", "2024-02-29"), true},
		{"a century that is none", edit("2026-11-30", "2100-02-29"), false},
		{"hour 24", edit("T10:", "T24:"), false},
		{"no milliseconds", edit(".000Z", "Z"), false},
		{"raw session", edit(`"session:0`, `"my session 0`), false},
		{"label with a space", edit(`"demo"`, `"my demo"`), false},
		{"method outside the specification", edit(`tools/call`, `acme/secret`), false},
		{"raw argument", edit(`"str8"},"lat`, `"/etc/passwd"},"lat`), false},
		{"a member of an enumeration", edit(`"str8"},"lat`, `"enum:/etc/passwd"},"lat`), true},
		{"key bucket", edit(`"path"`, `"key8"`), true},
		{"key that is no name", edit(`"path"`, `"my key"`), false},
		{"array", edit(`"str8"},"lat`, `{"array":2,"items":"num:1.5"}},"lat`), true},
		{"empty array", edit(`"str8"},"lat`, `{"array":0,"items":"empty"}},"lat`), true},
		{"empty array with items", edit(`"str8"},"lat`, `{"array":0,"items":"str8"}},"lat`), false},
		{"array of none", edit(`"str8"},"lat`, `{"array":2,"items":"empty"}},"lat`), false},
		{"an argument named array", edit(`"str8"},"lat`, `{"array":"num:2"}},"lat`), true},
		{"long number", edit(`"str8"},"lat`, `"num:1234567"},"lat`), false},
		{"trailing zero", edit(`"str8"},"lat`, `"num:1.50"},"lat`), false},
		{"negative zero", edit(`"str8"},"lat`, `"num:-0"},"lat`), false},
		{"thirteen characters", edit(`"str8"},"lat`, `"num:-100000000000"},"lat`), false},
		{"milliseconds alone", edit(`"latency_us":1500,`, ``), false},
		{"unknown outcome", edit(`"outcome":"error"`, `"outcome":"failed"`), false},
		{"template alone", edit(`,"template_id":"0123456789abcdef"`, ``), false},
		{"error text", edit(`{message}`, `no such file`), false},
		{"code with a space", edit(`"tool-error"`, `"tool error"`), false},
		{"false that should be absent", edit(`"cancelled":true`, `"cancelled":false`), false},
		{"zero that should be absent", edit(`,"shim_self_us"`, `,"ambiguous_keys":0,"shim_self_us"`), false},
		{"unknown member", edit(`,"shim_self_us"`, `,"note":"x","shim_self_us"`), false},
		{"missing member", edit(`,"shim_self_us":4`, ``), false},
		{"beyond 64 bits", edit(`"shim_self_us":4`, `"shim_self_us":9223372036854775808`), false},
		{"at 64 bits", edit(`"shim_self_us":4`, `"shim_self_us":9223372036854775807`), true},
		{"annotation of nothing", head + `"annotation","label":"workaround","note":"x"}`, false},
		{"annotation", head + `"annotation","target":"0191e7a2-aaaa-7bbb-8ccc-0123456789ab","label":"workaround","note":"it said \"no\""}`, true},
		{"annotation of both", head + `"annotation","target":"0191e7a2-aaaa-7bbb-8ccc-0123456789ab","target_session":"session:0000000000000000000000000000000000000000000000000000000000000000","target_seq":1,"label":"workaround","note":"x"}`, false},
		{"note of 240 characters", head + `"annotation","target":"0191e7a2-aaaa-7bbb-8ccc-0123456789ab","label":"workaround","note":"` + strings.Repeat("é", 240) + `"}`, true},
		{"note of 241 characters", head + `"annotation","target":"0191e7a2-aaaa-7bbb-8ccc-0123456789ab","label":"workaround","note":"` + strings.Repeat("é", 241) + `"}`, false},
		{"empty note", head + `"annotation","target":"0191e7a2-aaaa-7bbb-8ccc-0123456789ab","label":"workaround","note":""}`, false},
		{"note with a control character", head + `"annotation","target":"0191e7a2-aaaa-7bbb-8ccc-0123456789ab","label":"workaround","note":"a` + "\u0085" + `b"}`, false},
		{"capability unknown", head + `"handshake","protocol":"2025-11-25","lifecycle":"stateful","client_capabilities":["acme"],"client_other":0,"server_capabilities":["tools"],"server_other":0}`, false},
		{"capability", head + `"handshake","protocol":"unlisted","lifecycle":"stateful","client_capabilities":[],"client_other":0,"server_capabilities":["tools"],"server_other":0}`, true},
		{"a type of nothing", head + `"raw","text":"x"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := accepts(s, []byte(tt.line)); got != tt.want {
				t.Errorf("schema says %v, want %v: %s", got, tt.want, tt.line)
			}
			var ev journal.Event
			if err := journal.NewDecoder().Decode(journal.FileCapture, []byte(tt.line), &ev); (err == nil) != tt.want {
				t.Errorf("decoder says %v, want %v", err, tt.want)
			}
		})
	}
}

// pool are values in canonical form that may take another's place.
var pool = []string{
	`null`, `true`, `false`, `0`, `1`, `2`, `7`, `9223372036854775807`, `""`, `"x"`, `"unlisted"`, `"tools/call"`, `"acme/secret"`, `"/etc/passwd"`,
	`"client"`, `"server"`, `"real"`, `"call"`, `"end"`, `"ok"`, `"str8"`, `"num:1.5"`, `"num:1234567"`, `"enum:a+b"`, `"tool-error"`, `"num+"`, `"deep"`,
	`"2025-11-25"`, `"2026-11-30T10:00:00.000Z"`, `"00000000000000000000000000000000"`, `"0123456789abcdef"`, `"01234567"`,
	`"0191e7a2-aaaa-7bbb-8ccc-0123456789ab"`, `"8f14e45f-ceea-4e1b-8a3c-0123456789ab"`, `"finding-0123456789abcdef"`,
	`{}`, `[]`, `["tools"]`, `{"a":"str8"}`, `{"array":1,"items":"null"}`, `{"array":0,"items":"empty"}`, `{"array":1,"items":"empty"}`, `{"key8":"deep"}`, `{"my key":"str8"}`, `{"code":"x"}`,
}

// span is where a member of a line stands: its key, its value, its end.
type span struct{ key, value, end int }

// spansOf are the members of a line at any depth.
func spansOf(line []byte) []span {
	var list []span
	// A Value aliases the line.
	offset := func(part []byte) int {
		return int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(line))))
	}
	var walk func(v rawjson.Value)
	walk = func(v rawjson.Value) {
		for key, member := range v.Members() {
			start := offset(member.Raw())
			list = append(list, span{offset(key.Raw()), start, start + len(member.Raw())})
			walk(member)
		}
	}
	root, err := rawjson.Parse(line)
	if err != nil {
		panic(err)
	}
	walk(root)
	return list
}

// checkVerdicts holds the schema's verdict against the decoder's. What is no
// canonical text any more, or breaks a rule that JSON Schema cannot hold, is not
// compared.
func checkVerdicts(t *rapid.T, s interface{ Validate(any) error }, line string) {
	root, err := rawjson.Parse([]byte(line))
	if err != nil {
		t.Skip("no JSON any more")
	}
	if why := beyondSchema(root); why != "" {
		t.Skip(why)
	}
	var ev journal.Event
	decodes := journal.NewDecoder().Decode(journal.FileCapture, []byte(line), &ev)
	schema := schemaVerdict(s, line)
	if (decodes == nil) != (schema == nil) {
		t.Fatalf("decoder: %v\nschema: %v\n%s", decodes, schema, line)
	}
}

func schemaVerdict(s interface{ Validate(any) error }, line string) error {
	doc, err := unmarshal([]byte(line))
	if err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	return s.Validate(doc)
}

// beyondSchema names a rule that the line may break and JSON Schema cannot hold.
func beyondSchema(root rawjson.Value) string {
	us, hasUS := root.Get("latency_us")
	ms, hasMS := root.Get("latency_ms")
	a, okA := us.Int()
	b, okB := ms.Int()
	if hasUS && hasMS && okA && okB && a/1000 != b {
		return "latency_ms is not latency_us / 1000"
	}
	var repeated func(v rawjson.Value) bool
	repeated = func(v rawjson.Value) bool {
		seen := map[string]bool{}
		for key, member := range v.Members() {
			name := key.Text()
			if seen[name] || repeated(member) {
				return true
			}
			seen[name] = true
			if bucket, _, ok := strings.Cut(name, "#"); ok && !seen[bucket] {
				return true
			}
		}
		return false
	}
	if repeated(root) {
		return "a member is repeated, or a second key comes without the first"
	}
	if e, ok := root.Get("error"); ok {
		if code, ok := e.Get("code"); ok && code.Kind() == rawjson.Number && len(code.Raw()) > 6 {
			return "a code is a long number"
		}
	}
	return ""
}
