package journal_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/journaltest"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

// equal compares events by what they are: sanitize's types are comparable.
var equal = cmp.Comparer(func(a, b journal.Event) bool { return reflect.DeepEqual(a, b) })

func TestDecodeInvertsAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := journaltest.Event.Draw(t, "event")
		line := journal.AppendEvent(nil, &want)
		var got journal.Event
		if err := journal.NewDecoder().Decode(journal.FileCapture, line, &got); err != nil {
			t.Fatalf("decode of %s: %v", line, err)
		}
		if diff := cmp.Diff(want, got, equal); diff != "" {
			t.Fatalf("%s\n%s", line, diff)
		}
	})
}

// TestOnlyCanonicalDecodes damages lines: whatever still decodes must be its
// own encoding.
func TestOnlyCanonicalDecodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ev := journaltest.Event.Draw(t, "event")
		line := journal.AppendEvent(nil, &ev)
		at := rapid.IntRange(0, len(line)-1).Draw(t, "at")
		switch rapid.IntRange(0, 3).Draw(t, "damage") {
		case 0:
			line[at] = rapid.SampledFrom([]byte(` {}[],:"\019aZ-.tfn`+"\x00\xff")).Draw(t, "byte")
		case 1:
			line = append(line[:at], line[at+1:]...)
		case 2:
			line = append(line[:at], append([]byte{rapid.SampledFrom([]byte(` 0",:`)).Draw(t, "byte")}, line[at:]...)...)
		case 3:
			line = line[:at]
		}
		checkCanonical(t, line)
	})
}

func checkCanonical(t interface{ Fatalf(string, ...any) }, line []byte) {
	var ev journal.Event
	err := journal.NewDecoder().Decode(journal.FileCapture, line, &ev)
	if err != nil {
		return
	}
	if again := journal.AppendEvent(nil, &ev); !bytes.Equal(again, line) {
		t.Fatalf("decoded\n%s\nbut encodes as\n%s", line, again)
	}
}

func FuzzDecode(f *testing.F) {
	for _, line := range goldenLines(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		checkCanonical(t, line)
		checkQuiet(t, journal.FileCapture, line)
	})
}

// checkQuiet decodes a line and looks for pieces of it in the error.
func checkQuiet(t *testing.T, kind journal.FileKind, line []byte) {
	var ev journal.Event
	err := journal.NewDecoder().Decode(kind, line, &ev)
	if err == nil {
		return
	}
	var fe *journal.FieldError
	if errors.As(err, &fe) {
		return // a field name of ours and a number
	}
	for _, constant := range []error{journal.ErrLegacy, journal.ErrNoSchema, journal.ErrSchema, journal.ErrTooLong, journal.ErrSkip} {
		if err == constant {
			return
		}
	}
	t.Fatalf("error is neither a constant nor a field and offset: %v", err)
}

func TestDecodeErrors(t *testing.T) {
	good := string(goldenLines(t)[1])
	swap := func(old, repl string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("golden line has no %s", old)
		}
		return strings.Replace(good, old, repl, 1)
	}
	tests := []struct {
		name, line, field string
	}{
		{"space", swap(`,"seq"`, `, "seq"`), "seq"},
		{"unknown member", swap(`,"kind"`, `,"x":1,"kind"`), "kind"},
		{"repeated member", swap(`,"kind"`, `,"server":"demo","kind"`), "kind"},
		{"member in another case", swap(`"server"`, `"Server"`), "server"},
		{"long integer form", swap(`"request_bytes":`, `"request_bytes":0`), "request_bytes"},
		{"negative", swap(`"request_bytes":`, `"request_bytes":-`), "request_bytes"},
		{"integer beyond 64 bits", swap(`"request_bytes":`, `"request_bytes":92233720368547758089`), "request_bytes"},
		{"escape", swap(`"demo"`, `"d\u0065mo"`), "server"},
		{"raw session", swap(`"session":"session:`, `"session":"my secret `), "session"},
		{"method outside the specification", swap(`"tools/call"`, `"acme/private"`), "method"},
		{"upper-case UUID", swap(`0191e7a2-aaaa`, `0191E7A2-aaaa`), "identity"},
		{"capture ID of another version", swap(`-4e1b-8`, `-7e1b-8`), "identity"},
		{"milliseconds that are not the microseconds'", swap(`"latency_ms":1`, `"latency_ms":2`), "latency_ms"},
		{"February 30", swap(`2026-11-30`, `2026-02-30`), "ts"},
		{"a zero that should be absent", swap(`,"shim_self_us"`, `,"ambiguous_keys":0,"shim_self_us"`), "ambiguous_keys"},
		{"false that should be absent", swap(`,"shim_self_us"`, `,"task":false,"shim_self_us"`), "task"},
		{"raw argument", swap(`"path":"str8"`, `"path":"/etc/passwd"`), "args"},
		{"cut", good[:len(good)-9], "shim_self_us"},
		{"trailing", good + " ", "end of line"},
		{"seq 1 that is no capture", swap(`"seq":2`, `"seq":1`), "seq"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ev journal.Event
			err := journal.NewDecoder().Decode(journal.FileCapture, []byte(tt.line), &ev)
			var fe *journal.FieldError
			if !errors.As(err, &fe) {
				t.Fatalf("got %v, want a field error", err)
			}
			if fe.Field != tt.field {
				t.Errorf("field %q at %d, want %q", fe.Field, fe.Offset, tt.field)
			}
		})
	}
	for name, tt := range map[string]struct {
		line string
		kind journal.FileKind
		want error
	}{
		"no schema in a capture log":   {`{"ts":"2026-01-01T00:00:00Z"}`, journal.FileCapture, journal.ErrNoSchema},
		"another schema":               {`{"schema":"mcpeval.event/v2","identity":{}}`, journal.FileCapture, journal.ErrSchema},
		"another schema among legacy":  {`{"schema":"x","ts":"2026-01-01T00:00:00Z","session":"s","seq":1}`, journal.FileLegacyCalls, journal.ErrSchema},
		"history":                      {`anything`, journal.FileHistory, journal.ErrSkip},
		"longer than an event can be":  {good[:len(good)-1] + strings.Repeat(" ", journal.MaxLine) + "}", journal.FileCapture, journal.ErrTooLong},
		"legacy that is no object":     {`[1]`, journal.FileLegacyCalls, journal.ErrLegacy},
		"legacy that is no JSON":       {`{"ts":`, journal.FileLegacyCalls, journal.ErrLegacy},
		"legacy without ts":            {`{"session":"s","seq":1}`, journal.FileLegacyCalls, journal.ErrLegacy},
		"legacy with a ts of no form":  {`{"ts":"yesterday","session":"s","seq":1}`, journal.FileLegacyCalls, journal.ErrLegacy},
		"legacy with a broken seq":     {`{"ts":"2026-01-01T00:00:00Z","session":"s","seq":1.5}`, journal.FileLegacyCalls, journal.ErrLegacy},
		"legacy with a session number": {`{"ts":"2026-01-01T00:00:00Z","session":4,"seq":1}`, journal.FileLegacyCalls, journal.ErrLegacy},
	} {
		t.Run(name, func(t *testing.T) {
			var ev journal.Event
			if err := journal.NewDecoder().Decode(tt.kind, []byte(tt.line), &ev); err != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// goldenLines are frozen: one line of every type as this version wrote it.
// They must decode for ever.
func goldenLines(t testing.TB) [][]byte {
	data, err := os.ReadFile(filepath.Join("testdata", "event-v1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
}

func TestGolden(t *testing.T) {
	seen := map[journal.Type]bool{}
	for i, line := range goldenLines(t) {
		var ev journal.Event
		if err := journal.NewDecoder().Decode(journal.FileCapture, line, &ev); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		seen[ev.Body.Type()] = true
		checkCanonical(t, line)
	}
	for ty := journal.TypeCapture; ty <= journal.TypeEnd; ty++ {
		if !seen[ty] {
			t.Errorf("no frozen line of type %v", ty)
		}
	}
}

// TestEventHoldsNothingRaw walks the event's types: every leaf must be one of
// sanitize's, a closed enumeration, an integer, a bool, a time or a UUID.
func TestEventHoldsNothingRaw(t *testing.T) {
	bodies := []journal.Body{&journal.CaptureStart{}, &journal.Handshake{}, &journal.Call{}, &journal.Notification{}, &journal.Unparsed{}, &journal.Annotation{}, &journal.Verification{}, &journal.Readiness{}, &journal.Pending{}, &journal.Gap{}, &journal.End{}}
	const sanitizePath = "github.com/mcpeval/mcpeval/journal/sanitize"
	var walk func(ty reflect.Type, path string)
	walk = func(ty reflect.Type, path string) {
		switch {
		case ty.PkgPath() == sanitizePath:
			for i := range ty.NumField() {
				if ty.Field(i).IsExported() {
					t.Errorf("%s: %v has an exported field: anyone could fill it", path, ty)
				}
			}
		case ty == reflect.TypeFor[time.Time](), ty == reflect.TypeFor[uuid.UUID](), ty == reflect.TypeFor[journal.Prev]():
		case ty == reflect.TypeFor[journal.Body](): // walked below
		case ty.Kind() == reflect.Uint8 && ty.PkgPath() != "": // an enumeration of this package
		case ty.Kind() == reflect.Int64 && ty.PkgPath() == "", ty.Kind() == reflect.Bool:
		case ty.Kind() == reflect.Pointer:
			walk(ty.Elem(), path)
		case ty.Kind() == reflect.Struct:
			for i := range ty.NumField() {
				walk(ty.Field(i).Type, path+"."+ty.Field(i).Name)
			}
		default:
			t.Errorf("%s: %v could hold raw content", path, ty)
		}
	}
	walk(reflect.TypeFor[journal.Event](), "Event")
	for _, b := range bodies {
		walk(reflect.TypeOf(b), b.Type().String())
	}
}

func TestLegacy(t *testing.T) {
	const head = `{"ts":"2026-01-02T03:04:05.678912+01:00","session":"my raw session","seq":7,`
	tests := []struct {
		name, line string
		kind       journal.FileKind
		want       string // of the event, see describe
	}{
		{"plain", head + `"server":"demo","method":"tools/call","tool":"read_file","args":{"path":"str32"},"latency_ms":12,"outcome":"ok","shim_self_us":40,"kind":"real"}`, journal.FileLegacyCalls,
			`2026-01-02T02:04:05.678Z demo real call tools/call read_file {"path":"str32"} 12000 ok`},
		{"raw argument and tool", head + `"server":"my server!","method":"acme/secret","tool":"bad tool name","args":{"path":"/home/ann/plans.txt"},"outcome":"great"}`, journal.FileLegacyCalls,
			`2026-01-02T02:04:05.678Z unlisted real call unlisted unlisted {"path":"str32"} -1 unknown`},
		{"unparsed by kind", head + `"server":"demo","method":"unparsed/inbound","kind":"unparsed"}`, journal.FileLegacyCalls,
			`2026-01-02T02:04:05.678Z demo real unparsed inbound`},
		{"unparsed by outcome", head + `"server":"demo","method":"unparsed/outbound","outcome":"unparsed","kind":"synthetic"}`, journal.FileLegacyCalls,
			`2026-01-02T02:04:05.678Z demo synthetic unparsed outbound`},
		{"annotation", head + `"kind":"false-success","note":"looked fine, was not"}`, journal.FileLegacyAnnotations,
			`2026-01-02T02:04:05.678Z  real annotation false-success 7 looked fine, was not`},
		{"annotation with a control character", head + `"kind":"new-kind","note":"a\nb"}`, journal.FileLegacyAnnotations,
			`2026-01-02T02:04:05.678Z  real annotation undocumented-behavior 7 str8`},
		{"last of repeated members", head + `"seq":8,"server":"demo","method":"ping","outcome":"ok","outcome":"error"}`, journal.FileLegacyCalls,
			`2026-01-02T02:04:05.678Z demo real call ping   -1 error`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ev journal.Event
			if err := journal.NewDecoder().Decode(tt.kind, []byte(tt.line), &ev); err != nil {
				t.Fatal(err)
			}
			if got := describe(&ev); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if !ev.Legacy || ev.Capture != uuid.Nil || ev.ID != uuid.Nil {
				t.Errorf("identity was invented: %v %v", ev.Capture, ev.ID)
			}
			if s := ev.Session.String(); !strings.HasPrefix(s, "session:") || strings.Contains(s, "raw") {
				t.Errorf("session %q is not its token", s)
			}
		})
	}
	t.Run("identity", func(t *testing.T) {
		var ev journal.Event
		line := head + `"server":"demo","method":"ping","identity":{"capture_id":"8f14e45f-ceea-4e1b-8a3c-0123456789ab","event_id":"0191e7a2-aaaa-4bbb-8ccc-0123456789ab"}}`
		if err := journal.NewDecoder().Decode(journal.FileLegacyCalls, []byte(line), &ev); err != nil || ev.Capture == uuid.Nil || ev.ID == uuid.Nil {
			t.Errorf("identity is lost: %v %v %v", ev.Capture, ev.ID, err)
		}
	})
}

func describe(ev *journal.Event) string {
	parts := []string{ev.TS.Format("2006-01-02T15:04:05.000Z"), ev.Server.String(), ev.Kind.String(), ev.Body.Type().String()}
	switch b := ev.Body.(type) {
	case *journal.Call:
		parts = append(parts, b.Method.String(), b.Tool.String(), b.Args.String(), itoa(b.LatencyUS), b.Outcome.String())
	case *journal.Unparsed:
		parts = append(parts, b.Direction.String())
	case *journal.Annotation:
		parts = append(parts, b.Label.String(), itoa(b.LegacySeq), b.Note.String())
	}
	return strings.Join(parts, " ")
}

func FuzzLegacy(f *testing.F) {
	f.Add([]byte(`{"ts":"2026-01-02T03:04:05Z","session":"s","seq":7,"server":"demo","method":"tools/call","tool":"t","args":{"a":"str8","b":["x"]},"latency_ms":1,"outcome":"error","error":{"code":"E","retryable":true,"template":"x","template_id":"0123456789abcdef"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, kind := range []journal.FileKind{journal.FileLegacyCalls, journal.FileLegacyAnnotations} {
			checkQuiet(t, kind, line)
			var ev journal.Event
			if journal.NewDecoder().Decode(kind, line, &ev) != nil || !ev.Legacy {
				continue
			}
			// what was read must be inside the grammar: give it an identity and it is a line
			ev.Capture, ev.ID, ev.Seq = uuid.MustParse("8f14e45f-ceea-4e1b-8a3c-0123456789ab"), uuid.MustParse("0191e7a2-aaaa-7bbb-8ccc-0123456789ab"), max(ev.Seq, 2)
			if ev.Server.IsZero() {
				ev.Server = journaltest.Must(sanitize.ParseLabel, "demo")
			}
			if c, ok := ev.Body.(*journal.Call); ok {
				c.RequestBytes = 0
			}
			again := journal.AppendEvent(nil, &ev)
			var back journal.Event
			if err := journal.NewDecoder().Decode(journal.FileCapture, again, &back); err != nil && len(again) < journal.MaxLine {
				t.Fatalf("a legacy record left the grammar: %v\n%s", err, again)
			}
		}
	})
}
