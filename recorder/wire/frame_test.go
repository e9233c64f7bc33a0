package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

const ok1 = `{"jsonrpc":"2.0","id":1,"result":{}}`

// classes are lines and what they are, nothing more.
var classes = []struct {
	name, line string
	want       wire.Class
}{
	// Banners and log text on stdout.
	{"banner", "🖥️ Server mode: STDIO", wire.NotJSON},
	{"log line like an array", "[02/11/26 06:14:35] INFO Starting server", wire.NotJSON},
	{"log line like an object", "{not json}", wire.NotJSON},
	{"log line in JSON", `{"level":"info","msg":"ready"}`, wire.NotRPC},
	{"log line in JSON with an id", `{"level":30,"time":1700000000,"pid":7,"id":1,"method":"GET","msg":"x"}`, wire.NotRPC},
	{"array of numbers", `[1,2,3]`, wire.NotRPC},
	{"date like number", "2026-07-28", wire.NotJSON},

	{"empty", "", wire.Blank},
	{"blanks", "   \t ", wire.Blank},
	{"carriage return", "\r", wire.Blank},
	{"byte order mark alone", "\ufeff", wire.Blank},

	{"carriage return behind", ok1 + "\r", wire.RPC},
	{"carriage return in front", "\r" + ok1, wire.RPC},
	{"blanks around", "  " + ok1 + " \t", wire.RPC},
	{"byte order mark", "\ufeff" + ok1, wire.RPC},
	{"byte order mark and blanks", "\ufeff  " + ok1, wire.RPC},
	{"byte order mark behind blanks", " \ufeff" + ok1, wire.NotJSON},
	{"two byte order marks", "\ufeff\ufeff" + ok1, wire.NotJSON},
	{"half a byte order mark", "\xef\xbb" + ok1, wire.NotJSON},
	{"byte order mark behind", ok1 + "\ufeff", wire.NotJSON},

	{"cp1252", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"Messger\xe4t\"}}", wire.NotJSON},
	{"gbk", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\xc4\xe3\xba\xc3\"}}", wire.NotJSON},
	{"encoded surrogate", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\xed\xa0\x80\"}}", wire.NotJSON},
	{"overlong", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\xc0\xaf\"}}", wire.NotJSON},
	{"cut character at the end of a string", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":\"\xf0\x9f\x98\"}}", wire.NotJSON},
	{"cut character at the end of a line", "\"\xe2\x82", wire.NotJSON},
	{"valid but replaced", `{"jsonrpc":"2.0","id":1,"result":{"x":"Messger�t"}}`, wire.RPC},
	{"lone surrogate escape", `{"jsonrpc":"2.0","id":1,"result":{"x":"\ud83d"}}`, wire.RPC},

	{"null", "null", wire.NotRPC},
	{"string", `"ready"`, wire.NotRPC},
	{"number", "42", wire.NotRPC},
	{"number and blanks", "-4.2e1 ", wire.NotRPC},
	{"cut number", "4.", wire.NotJSON},
	{"word", "true", wire.NotRPC},
	{"cut word", "tru", wire.NotJSON},
	{"two values", ok1 + ok1, wire.NotJSON},
	{"cut object", `{"jsonrpc":"2.0","id":1,"result":{}`, wire.NotJSON},
	{"cut string", `{"jsonrpc":"2.0`, wire.NotJSON},
	{"raw tab in a string", "{\"jsonrpc\":\"2.0\",\"id\":\"\t\",\"result\":{}}", wire.NotJSON},
	{"NaN", `{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}`, wire.NotJSON},
	{"trailing comma", `{"jsonrpc":"2.0","id":1,"result":{},}`, wire.NotJSON},
	{"deepest", deep(rawjson.MaxDepth), wire.RPC},
	{"too deep", deep(rawjson.MaxDepth + 1), wire.NotJSON},

	// The shape of a message.
	{"no version", `{"id":1,"method":"ping"}`, wire.NotRPC},
	{"version 1", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, wire.NotRPC},
	{"version as a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, wire.NotRPC},
	{"version escaped", `{"jsonrpc":"\u0032.0","id":1,"method":"ping"}`, wire.RPC},
	{"last version counts", `{"jsonrpc":"2.0","jsonrpc":"2.1","id":1,"method":"ping"}`, wire.NotRPC},
	{"version only", `{"jsonrpc":"2.0"}`, wire.NotRPC},
	{"empty object", `{}`, wire.NotRPC},
	{"method is no string", `{"jsonrpc":"2.0","id":1,"method":5}`, wire.NotRPC},
	{"method null with a result", `{"jsonrpc":"2.0","id":1,"method":null,"result":{}}`, wire.NotRPC},
	{"null id alone", `{"jsonrpc":"2.0","id":null}`, wire.NotRPC},
	{"params alone", `{"jsonrpc":"2.0","params":{}}`, wire.NotRPC},
	{"upper case names", `{"JSONRPC":"2.0","ID":1,"METHOD":"ping"}`, wire.NotRPC},
	{"names below", `{"a":{"jsonrpc":"2.0","id":1,"method":"ping"}}`, wire.NotRPC},

	{"empty batch", `[]`, wire.NotRPC},
	{"empty batch with blanks", `[ ]`, wire.NotRPC},
	{"batch in a batch", `[[` + ok1 + `]]`, wire.NotRPC},
	{"batch without an end", `[` + ok1, wire.NotJSON},
}

// deep is a message whose innermost array is at depth levels.
func deep(levels int) string {
	n := levels - 2
	return `{"jsonrpc":"2.0","id":1,"result":{"content":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}}`
}

func TestClass(t *testing.T) {
	for _, test := range classes {
		t.Run(test.name, func(t *testing.T) {
			got := scan(nil, []byte(test.line+"\n"+ok1+"\n"))
			if len(got) != 2 {
				t.Fatalf("%d frames", len(got))
			}
			if got[0].Class != test.want {
				t.Errorf("class %d, want %d", got[0].Class, test.want)
			}
			if want := int64(len(strings.TrimSuffix(test.line, "\r"))); got[0].Bytes != want {
				t.Errorf("%d bytes, want %d", got[0].Bytes, want)
			}
			if (got[0].Class == wire.RPC) != (len(got[0].Messages) > 0) {
				t.Errorf("%d messages in class %d", len(got[0].Messages), got[0].Class)
			}
			if got[1].Class != wire.RPC {
				t.Errorf("the line after it is class %d", got[1].Class)
			}
		})
	}
}

func TestLastLineWithoutNewline(t *testing.T) {
	for _, test := range []struct {
		stream string
		want   []wire.Class
	}{
		{"", nil},
		{"\n", []wire.Class{wire.Blank}},
		{" ", []wire.Class{wire.Blank}},
		{ok1, []wire.Class{wire.RPC}},
		{ok1 + "\n", []wire.Class{wire.RPC}},
		{ok1 + "\n12", []wire.Class{wire.RPC, wire.NotRPC}},
		{ok1 + "\n1e", []wire.Class{wire.RPC, wire.NotJSON}},
		{ok1 + "\n{", []wire.Class{wire.RPC, wire.NotJSON}},
		{ok1 + "\nx\nfal", []wire.Class{wire.RPC, wire.NotJSON, wire.NotJSON}},
	} {
		var got []wire.Class
		for _, f := range scan(nil, []byte(test.stream)) {
			got = append(got, f.Class)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.stream, diff)
		}
	}
}

// one is the only message of a line.
func one(t *testing.T, line string) message {
	t.Helper()
	got := scan(nil, []byte(line+"\n"))
	if len(got) != 1 || got[0].Class != wire.RPC || len(got[0].Messages) != 1 || got[0].Batch {
		t.Fatalf("not one message: %+v", got)
	}
	return got[0].Messages[0]
}

func TestMessages(t *testing.T) {
	const (
		object = rawjson.Object
		none   = rawjson.Invalid
	)
	for _, test := range []struct {
		name, line string
		want       message
	}{
		{
			"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			message{Kind: wire.Request, ID: "n:1", Method: "ping"},
		},
		{
			"string id", `{"method":"ping","id":"1","jsonrpc":"2.0"}`,
			message{Kind: wire.Request, ID: "s:1", Method: "ping"},
		},
		{
			"id zero", `{"jsonrpc":"2.0","id":0,"method":"ping"}`,
			message{Kind: wire.Request, ID: "n:0", Method: "ping"},
		},
		{
			"fraction as id", `{"jsonrpc":"2.0","id":1.50,"method":"ping"}`,
			message{Kind: wire.Request, ID: "n:15e-1", Method: "ping"},
		},
		{
			"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			message{Kind: wire.Notification, Method: "notifications/initialized"},
		},
		{
			"null id with a method", `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
			message{Kind: wire.Notification, Method: "ping"},
		},
		{
			"other id with a method", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`,
			message{Kind: wire.Notification, Method: "ping"},
		},
		{
			"last id counts", `{"jsonrpc":"2.0","id":1,"id":null,"method":"ping"}`,
			message{Kind: wire.Notification, Method: "ping", Ambiguous: 1},
		},
		{
			"empty method", `{"jsonrpc":"2.0","id":1,"method":""}`,
			message{Kind: wire.Request, ID: "n:1"},
		},
		{
			"method and result", `{"jsonrpc":"2.0","id":1,"method":"a","result":1}`,
			message{Kind: wire.Request, ID: "n:1", Method: "a", Has: "r", Kinds: [3]rawjson.Kind{none, rawjson.Number, none}},
		},
		{
			"params array", `{"jsonrpc":"2.0","id":1,"method":"ping","params":["name",{"name":1}]}`,
			message{Kind: wire.Request, ID: "n:1", Method: "ping", Has: "p", Kinds: [3]rawjson.Kind{rawjson.Array, none, none}},
		},
		{
			"tool call",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"id":7960607143101464576,"name":"x"},"_meta":{"progressToken":"t"},"x":[{"name":"no"}]}}`,
			message{
				Kind: wire.Request, ID: "n:1", Method: "tools/call", Has: "p", Kinds: [3]rawjson.Kind{object, none, none},
				Values: map[string]string{
					"Params.Name": `"greet"`, "Params.Arguments": `{"id":7960607143101464576,"name":"x"}`,
					"Params.Meta": `{"progressToken":"t"}`,
				},
			},
		},
		{
			"numbers stay text", `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"id":1915883588174806058},"isError":false}}`,
			message{
				Kind: wire.Response, ID: "n:1", Has: "r", Kinds: [3]rawjson.Kind{none, object, none},
				Values: map[string]string{"Result.Structured": `{"id":1915883588174806058}`, "Result.IsError": "false"},
			},
		},
		{
			"content stays as it came", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\" : [ \"<a>&\u2028\\u003c\" ] }}",
			message{
				Kind: wire.Response, ID: "n:1", Has: "r", Kinds: [3]rawjson.Kind{none, object, none},
				Values: map[string]string{"Result.Content": "[ \"<a>&\u2028\\u003c\" ]"},
			},
		},
		{
			"error", `{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"m","data":[1]}}`,
			message{
				Kind: wire.Response, ID: "s:a", Has: "e", Kinds: [3]rawjson.Kind{none, none, object},
				Values: map[string]string{"Error.Code": "-32601", "Error.Message": `"m"`, "Error.Data": "[1]"},
			},
		},
		{
			"error with a null id", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`,
			message{
				Kind: wire.Response, Has: "e", Kinds: [3]rawjson.Kind{none, none, object},
				Values: map[string]string{"Error.Code": "-32700"},
			},
		},
		{
			"error without an id", `{"jsonrpc":"2.0","error":{"code":-32600}}`,
			message{
				Kind: wire.Response, Has: "e", Kinds: [3]rawjson.Kind{none, none, object},
				Values: map[string]string{"Error.Code": "-32600"},
			},
		},
		{
			"string as error", `{"jsonrpc":"2.0","id":3,"error":"boom"}`,
			message{Kind: wire.Response, ID: "n:3", Has: "e", Kinds: [3]rawjson.Kind{none, none, rawjson.String}},
		},
		{
			"null result", `{"jsonrpc":"2.0","id":3,"result":null}`,
			message{Kind: wire.Response, ID: "n:3", Has: "r", Kinds: [3]rawjson.Kind{none, rawjson.Null, none}},
		},
		{
			"neither result nor error", `{"jsonrpc":"2.0","id":3}`,
			message{Kind: wire.Response, ID: "n:3"},
		},
		{
			"both result and error", `{"jsonrpc":"2.0","id":3,"result":{},"error":{}}`,
			message{Kind: wire.Response, ID: "n:3", Has: "re", Kinds: [3]rawjson.Kind{none, object, object}},
		},
		{
			"escaped keys", `{"jsonrpc":"2.0","\u0069d":1,"m\u0065thod":"tools\/call","params":{"n\u0061me":"x"}}`,
			message{
				Kind: wire.Request, ID: "n:1", Method: "tools/call", Has: "p", Kinds: [3]rawjson.Kind{object, none, none},
				Values: map[string]string{"Params.Name": `"x"`},
			},
		},
		{
			"case variants", `{"jsonrpc":"2.0","Id":9,"id":1,"method":"tools/call","Method":"x","params":{"name":"greet","Name":"secretTool","NAME":1}}`,
			message{
				Kind: wire.Request, ID: "n:1", Method: "tools/call", Has: "p", Kinds: [3]rawjson.Kind{object, none, none},
				Ambiguous: 4, Values: map[string]string{"Params.Name": `"greet"`},
			},
		},
		{
			"long s and kelvin sign", `{"jsonrpc":"2.0","id":1,"method":"x","paramſ":{"name":"n"},"params":{"progressTo` + "\u212a" + `en":1,"reque\u017ftId":2}}`,
			message{
				Kind: wire.Request, ID: "n:1", Method: "x", Has: "p", Kinds: [3]rawjson.Kind{object, none, none},
				Ambiguous: 3,
			},
		},
		{
			"repeats", `{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b","params":{"name":"n","name":"m"}}`,
			message{
				Kind: wire.Request, ID: "n:2", Method: "b", Has: "p", Kinds: [3]rawjson.Kind{object, none, none},
				Ambiguous: 3, Values: map[string]string{"Params.Name": `"m"`},
			},
		},
		{
			"a repeated object replaces the first", `{"jsonrpc":"2.0","id":1,"method":"a","params":{"name":"n","uri":"u"},"params":{"name":"m"}}`,
			message{
				Kind: wire.Request, ID: "n:1", Method: "a", Has: "p", Kinds: [3]rawjson.Kind{object, none, none},
				Ambiguous: 1, Values: map[string]string{"Params.Name": `"m"`},
			},
		},
		{
			"a repeated object that is none", `{"jsonrpc":"2.0","id":1,"result":{"isError":true},"result":[{"isError":true}]}`,
			message{Kind: wire.Response, ID: "n:1", Has: "r", Ambiguous: 1, Kinds: [3]rawjson.Kind{none, rawjson.Array, none}},
		},
		{
			"repeats of other keys are nobody's business", `{"jsonrpc":"2.0","id":1,"x":1,"x":2,"X":3,"result":{"y":{"isError":1,"isError":2},"Y":1}}`,
			message{Kind: wire.Response, ID: "n:1", Has: "r", Kinds: [3]rawjson.Kind{none, object, none}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.want.Bytes = int64(len(test.line))
			if diff := cmp.Diff(test.want, one(t, test.line)); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEveryMember has every member that is looked at in one line.
func TestEveryMember(t *testing.T) {
	line := func(section string, names ...string) string {
		var members []string
		for i, name := range names {
			members = append(members, fmt.Sprintf(`%q:%d`, name, i))
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,%q:{%s}`, section, strings.Join(members, ","))
	}
	for _, test := range []struct {
		line string
		want map[string]string
	}{
		{
			line("params", "name", "arguments", "_meta", "cursor", "requestId", "progressToken", "protocolVersion", "capabilities", "requestState", "inputResponses", "task", "uri") + `,"method":"x"}`,
			map[string]string{
				"Params.Name": "0", "Params.Arguments": "1", "Params.Meta": "2", "Params.Cursor": "3", "Params.RequestID": "4",
				"Params.ProgressToken": "5", "Params.ProtocolVersion": "6", "Params.Capabilities": "7", "Params.RequestState": "8",
				"Params.InputResponses": "9", "Params.Task": "10", "Params.URI": "11",
			},
		},
		{
			line("result", "isError", "resultType", "content", "structuredContent", "tools", "nextCursor", "protocolVersion", "capabilities", "supportedVersions", "requestState", "inputRequests", "task", "_meta") + `}`,
			map[string]string{
				"Result.IsError": "0", "Result.Type": "1", "Result.Content": "2", "Result.Structured": "3", "Result.Tools": "4",
				"Result.NextCursor": "5", "Result.ProtocolVersion": "6", "Result.Capabilities": "7", "Result.SupportedVersions": "8",
				"Result.RequestState": "9", "Result.InputRequests": "10", "Result.Task": "11", "Result.Meta": "12",
			},
		},
		{
			line("error", "code", "message", "data") + `}`,
			map[string]string{"Error.Code": "0", "Error.Message": "1", "Error.Data": "2"},
		},
	} {
		if diff := cmp.Diff(test.want, one(t, test.line).Values); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	}
}

func TestBatch(t *testing.T) {
	ping := func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }
	for _, test := range []struct {
		name, line string
		want       frame
	}{
		{"requests", "[" + ping(1) + ", " + ping(2) + " ]", frame{Messages: []message{
			{Kind: wire.Request, ID: "n:1", Method: "ping", Bytes: 40},
			{Kind: wire.Request, ID: "n:2", Method: "ping", Bytes: 40},
		}}},
		{
			"members that are no messages",
			`[1,"x",{"id":1},[` + ping(3) + `],` + ping(1) + `,{"x":{"jsonrpc":"2.0"}},null]`,
			frame{Unparsed: 6, Messages: []message{{Kind: wire.Request, ID: "n:1", Method: "ping", Bytes: 40}}},
		},
		{"one that is none between two", `[` + ping(1) + `,{"params":{"name":"x"}},` + ping(2) + `]`, frame{Unparsed: 1, Messages: []message{
			{Kind: wire.Request, ID: "n:1", Method: "ping", Bytes: 40},
			{Kind: wire.Request, ID: "n:2", Method: "ping", Bytes: 40},
		}}},
		{"reply", `[{"jsonrpc":"2.0","id":1,"result":{"isError":true}},{"jsonrpc":"2.0","method":"a\nb"}]`, frame{Messages: []message{
			{
				Kind: wire.Response, ID: "n:1", Has: "r", Bytes: 50, Kinds: [3]rawjson.Kind{0, rawjson.Object, 0},
				Values: map[string]string{"Result.IsError": "true"},
			},
			{Kind: wire.Notification, Method: "a\nb", Bytes: 33},
		}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.want.Class, test.want.Batch, test.want.Bytes = wire.RPC, true, int64(len(test.line))
			got := scan(nil, []byte(test.line+"\n"))
			if diff := cmp.Diff([]frame{test.want}, got); diff != "" {
				t.Errorf("frames (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBatchKeepsTheFirstMessages(t *testing.T) {
	const extra = 5
	var b strings.Builder
	b.WriteString("[1")
	for i := range wire.MaxBatch + extra {
		fmt.Fprintf(&b, `,{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)
	}
	b.WriteString(`,{"id":1}]`)
	for _, cut := range []int{0, 300_000, 500_000} {
		got := scan(nil, []byte(b.String()), cut)
		if len(got) != 1 || len(got[0].Messages) != wire.MaxBatch || got[0].Dropped != extra || got[0].Unparsed != 2 || !got[0].Truncated {
			t.Fatalf("cut %d: %d frames", cut, len(got))
		}
		last := got[0].Messages[wire.MaxBatch-1]
		if last.ID != fmt.Sprintf("n:%d", wire.MaxBatch-1) || last.Method != "ping" {
			t.Errorf("cut %d: the last message is %+v", cut, last)
		}
	}
}

func TestScanBody(t *testing.T) {
	s := wire.NewScanner(nil)
	s.Feed([]byte(`{"jsonrpc":"2.0",`), func(*wire.Frame) { t.Error("a frame without a line") })
	body := "\ufeff{\n \"jsonrpc\": \"2.0\",\r\n \"id\": 2,\n \"result\": {\n  \"content\": [\n1,\n2]\n}\n}\n"
	got := view(s.ScanBody([]byte(body)))
	want := frame{Class: wire.RPC, Bytes: int64(len(body)), Messages: []message{{
		Kind: wire.Response, ID: "n:2", Bytes: int64(len(body)) - 4, Has: "r", Kinds: [3]rawjson.Kind{0, rawjson.Object, 0},
		Values: map[string]string{"Result.Content": "[\n1,\n2]"},
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("frame (-want +got):\n%s", diff)
	}
	for body, want := range map[string]wire.Class{
		"": wire.Blank, "\n\n": wire.Blank, "x\n" + ok1: wire.NotJSON, ok1 + "\n" + ok1: wire.NotJSON, "\"a\nb\"": wire.NotJSON,
		"<html>": wire.NotJSON, "{}": wire.NotRPC, "7": wire.NotRPC, "[\n" + ok1 + "\n]": wire.RPC,
	} {
		if got := s.ScanBody([]byte(body)); got.Class != want {
			t.Errorf("%q: class %d, want %d", body, got.Class, want)
		}
	}
	// Lines work again afterwards.
	frames := 0
	s.Feed([]byte(ok1+"\n"), func(f *wire.Frame) {
		frames++
		if f.Class != wire.RPC {
			t.Errorf("class %d", f.Class)
		}
	})
	if frames != 1 {
		t.Errorf("%d frames", frames)
	}
}

func TestReset(t *testing.T) {
	s := wire.NewScanner(nil)
	emit := func(f *wire.Frame) {
		if f.Class != wire.RPC || f.Bytes != int64(len(ok1)) {
			t.Errorf("class %d, %d bytes", f.Class, f.Bytes)
		}
	}
	s.Feed([]byte(ok1+"\n"+`{"jsonrpc":"1.0","x`), emit)
	s.Reset()
	s.Feed([]byte(ok1+"\nnot JSON"), emit)
	s.Reset()
	s.Finish(func(*wire.Frame) { t.Error("a frame after Reset") })
}
