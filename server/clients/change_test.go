package clients_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/server/clients"
)

const program = `C:\Program Files\mcpeval.exe`

func wrap(t *testing.T, client, source string, names ...string) *clients.Change {
	t.Helper()
	c, err := clients.Wrap([]byte(source), &clients.WrapOptions{Client: client, Program: program, Names: names})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const quoted = `"C:\\Program Files\\mcpeval.exe"`

// What each client writes, and what is made of it. Taking the change back gives
// the text as it was.
func TestWrap(t *testing.T) {
	for _, tt := range []struct{ name, client, in, want string }{
		{
			"Claude Desktop", clients.ClaudeDesktop,
			"{\n  \"mcpServers\": {\n    \"fs\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \"fs\"\n      ]\n    }\n  }\n}\n",
			"{\n  \"mcpServers\": {\n    \"fs\": {\n      \"command\": " + quoted + ",\n      \"args\": [\n        \"shim\",\n        \"--server\",\n        \"fs\",\n        \"--\",\n        \"npx\",\n        \"-y\",\n        \"fs\"\n      ]\n    }\n  }\n}\n",
		},
		{
			"Claude Code, of the user and of a project", clients.ClaudeCode,
			`{"mcpServers":{"a":{"type":"stdio","command":"a","args":[],"env":{}}},"projects":{"/x":{"mcpServers":{"b":{"command":"b","args":["1"]}}}}}`,
			`{"mcpServers":{"a":{"type":"stdio","command":` + quoted + `,"args":["shim", "--server", "a", "--", "a"],"env":{}}},"projects":{"/x":{"mcpServers":{"b":{"command":` + quoted + `,"args":["shim", "--server", "b", "--", "b", "1"]}}}}}`,
		},
		{
			"Cursor on Windows, CRLF and tabs", clients.Cursor,
			"\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": \"npx.cmd\"\r\n\t\t}\r\n\t}\r\n}",
			"\ufeff{\r\n\t\"mcpServers\": {\r\n\t\t\"a\": {\r\n\t\t\t\"command\": " + quoted + ",\r\n\t\t\t\"args\": [\"shim\", \"--server=a\", \"--\", \"npx.cmd\"]\r\n\t\t}\r\n\t}\r\n}",
		},
		{
			"VS Code, comments and trailing commas", clients.VSCode,
			"{\n\t// mine\n\t\"inputs\": [],\n\t\"servers\": {\n\t\t\"a\": { \"args\": [ /* none */ \"${workspaceFolder}\", ], \"command\": \"C:\\\\x\\\\server.exe\", },\n\t},\n}",
			"{\n\t// mine\n\t\"inputs\": [],\n\t\"servers\": {\n\t\t\"a\": { \"args\": [ /* none */ \"shim\", \"--server\", \"a\", \"--\", \"C:\\\\x\\\\server.exe\", \"${workspaceFolder}\", ], \"command\": " + quoted + ", },\n\t},\n}",
		},
		{
			"VS Code settings", clients.VSCode,
			`{"servers": 5, "mcp": {"servers": {"a": {"command": "x"}}}}`,
			`{"servers": 5, "mcp": {"servers": {"a": {"command": ` + quoted + `, "args": ["shim", "--server=a", "--", "x"]}}}}`,
		},
		{
			"Windsurf, cmd /c", clients.Windsurf,
			`{"mcpServers": {"a": {"command": "cmd", "args": ["/c", "npx", "a&b"]}}}`,
			`{"mcpServers": {"a": {"command": ` + quoted + `, "args": ["shim", "--server", "a", "--", "cmd", "/c", "npx", "a&b"]}}}`,
		},
		{
			"Zed", clients.Zed,
			`{"context_servers": {"a": {"source": "custom", "command": "x", "args": []}, "b": {"command": {"path": "y", "args": ["z"]}, "settings": {}}}}`,
			`{"context_servers": {"a": {"source": "custom", "command": ` + quoted + `, "args": ["shim", "--server", "a", "--", "x"]}, "b": {"command": {"path": ` + quoted + `, "args": ["shim", "--server", "b", "--", "y", "z"]}, "settings": {}}}}`,
		},
		{
			"escapes move as they are", "",
			`{"servers": {"a": {"command": "n\u0070x\/", "args":["-y"]}}}`,
			`{"servers": {"a": {"command": ` + quoted + `, "args":["shim", "--server", "a", "--", "n\u0070x\/", "-y"]}}}`,
		},
		{
			"a name twice", "",
			`{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}`,
			`{"mcpServers": {"a": {"command": ` + quoted + `, "args": ["shim", "--server=a", "--", "x"]}, "a": {"command": ` + quoted + `, "args": ["shim", "--server=a", "--", "y"]}}}`,
		},
		{
			"names that are no labels", "",
			`{"mcpServers": {"a b": {"command": "x"}, "a\tb": {"command": "y"}, "日本": {"command": "z"}}}`,
			`{"mcpServers": {"a b": {"command": ` + quoted + `, "args": ["shim", "--server=a-b", "--", "x"]}, "a\tb": {"command": ` + quoted + `, "args": ["shim", "--server=a-b-2", "--", "y"]}, "日本": {"command": ` + quoted + `, "args": ["shim", "--server=server", "--", "z"]}}}`,
		},
		{
			"a comment behind the command", "",
			"{\"servers\": {\"a\": {\n  \"command\" : \"x\" // it\n  , \"env\": {}}}}",
			"{\"servers\": {\"a\": {\n  \"command\" : " + quoted + ",\n  \"args\" : [\"shim\", \"--server=a\", \"--\", \"x\"] // it\n  , \"env\": {}}}}",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := wrap(t, tt.client, tt.in)
			if diff := cmp.Diff(tt.want, string(c.Text)); diff != "" {
				t.Error(diff)
			}
			if again := wrap(t, tt.client, string(c.Text)); again.Changed() || !bytes.Equal(again.Text, c.Text) {
				t.Errorf("wrapped again: %s", again.Text)
			}
			back, err := clients.Unwrap(c.Text, tt.client, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.in, string(back.Text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStates(t *testing.T) {
	const source = `{"mcpServers": {
		"a": {"command": "x"},
		"b": {"command": "/opt/MCPEVAL.exe", "args": ["shim", "--sync", "always", "--server", "b", "--", "y"]},
		"c": {"url": "https://example.com/s/token"},
		"d": {"serverUrl": "http://localhost/mcp"},
		"e": {"source": "extension"},
		"f": {"command": "x", "command": "y"},
		"g": {"command": ["x"]},
		"h": {"command": "x", "args": "y"},
		"i": 5,
		"j": {"command": ""},
		"k": {"command": "other", "args": ["shim", "--server=k", "--", "y"]},
		"l": {"command": "mcpeval", "args": ["shim"]}
	}}`
	want := []clients.Server{
		{Name: "a", Label: "a", State: clients.Wrapped},
		{Name: "b", Label: "b", State: clients.Already},
		{Name: "c", Label: "c", State: clients.Remote, Address: "https://example.com/s/token"},
		{Name: "d", Label: "d", State: clients.Remote, Address: "http://localhost/mcp"},
		{Name: "e", Label: "e", State: clients.Skipped, Why: "it has no command"},
		{Name: "f", Label: "f", State: clients.Skipped, Why: "it has command or args twice"},
		{Name: "g", Label: "g", State: clients.Skipped, Why: "its command is no text"},
		{Name: "h", Label: "h", State: clients.Skipped, Why: "its args are no list"},
		{Name: "i", Label: "i", State: clients.Skipped, Why: "it has no command"},
		{Name: "j", Label: "j", State: clients.Skipped, Why: "its command is no text"},
		{Name: "k", Label: "k", State: clients.Already},
		{Name: "l", Label: "l", State: clients.Already},
	}
	if diff := cmp.Diff(want, wrap(t, "", source).Servers); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[1:2], wrap(t, "", source, "b").Servers); diff != "" {
		t.Error(diff)
	}

	back, err := clients.Unwrap([]byte(source), "", []string{"b", "l"})
	if err != nil {
		t.Fatal(err)
	}
	want = []clients.Server{
		{Name: "b", Label: "b", State: clients.Unwrapped},
		{Name: "l", Label: "l", State: clients.Skipped, Why: `its args name no command after "--"`},
	}
	if diff := cmp.Diff(want, back.Servers); diff != "" {
		t.Error(diff)
	}
	if s := string(back.Text); !strings.Contains(s, `"b": {"command": "y", "args": []}`) {
		t.Error(s)
	}
}

// What a person did to a wrapped configuration does not keep it from being
// unwrapped.
func TestUnwrapOfWhatWasEdited(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{
			"args first", `{"servers":{"a":{"args":["shim","--server=a","--","x"],"command":"mcpeval"}}}`,
			`{"servers":{"a":{"command":"x"}}}`,
		},
		{
			"only a comma more", `{"servers":{"a":{"command":"mcpeval","args":["shim","--server","a","--","x" ,]}}}`,
			`{"servers":{"a":{"command":"x","args":[]}}}`,
		},
		{
			"a comment before args", "{\"servers\":{\"a\":{\"command\":\"mcpeval\", /* c */ \"args\":[\"shim\",\"--server=a\",\"--\",\"x\"]}}}",
			"{\"servers\":{\"a\":{\"command\":\"x\", /* c */ }}}",
		},
		{
			"an argument more", `{"servers":{"a":{"command":"mcpeval","args":["shim","--server=a","--","x","y"]}}}`,
			`{"servers":{"a":{"command":"x","args":["y"]}}}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := clients.Unwrap([]byte(tt.in), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(c.Text)); diff != "" {
				t.Error(diff)
			}
			if err := clients.Parse(c.Text); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"empty", "", "line 1, column 1: a value was expected"},
		{"two documents", "{}\n {}", "line 2, column 2: something follows the document"},
		{"an open object", `{"a": 1`, "line 1, column 8: a comma or a closing bracket was expected"},
		{"an open text", "{\n\"sekret\n", "line 2, column 8: a text does not end on its line"},
		{"an open text at the end", `"sekret`, "line 1, column 8: a text does not end"},
		{"an escape at the end", `"sekret\`, "line 1, column 9: a text does not end"},
		{"an escape", `{"é": "\q"}`, "line 1, column 7: this text has an escape or a control character that JSON has not"},
		{"an open comment", "/* sekret", "line 1, column 1: a comment does not end"},
		{"half a comment", "/*/", "line 1, column 1: a comment does not end"},
		{"a slash", "/ {}", "line 1, column 1: a value was expected"},
		{"a key without quotes", "{a: 1}", "line 1, column 2: a key in quotes was expected"},
		{"no colon", `{"a" 1}`, "line 1, column 6: a colon was expected"},
		{"a comma alone", `[,]`, "line 1, column 2: a value was expected"},
		{"a number", `[01]`, "line 1, column 2: a value was expected"},
		{"deep", strings.Repeat("[", 600), "line 1, column 502: this is nested too deeply"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "line 1, column 1: this is UTF-16, which clients do not read"},
		{"Latin-1", "{\"a\": \"\xe9\"}", "line 1, column 8: this is not UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := clients.Wrap([]byte(tt.in), &clients.WrapOptions{Program: program})
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// A diff holds what changes, and no value besides.
func TestDiff(t *testing.T) {
	const source = "\ufeff{\r\n  \"mcpServers\": {\r\n    /* sekret\r\n */ \"a\": {\"command\": \"x\", \"env\": {\"KEY\": \"sekret\", \"N\": 12345}}, // sekret\r\n" +
		"    \"b\": {\r\n      \"env\": {\"KEY\": \"sekret\"},\r\n      \"command\": \"y\",\r\n      \"args\": [\r\n        \"--key=sekret\"\r\n      ]\r\n    }\r\n  }\r\n}"
	c := wrap(t, "", source)
	const want = `--- name
+++ name
@@ -4,1 +4,1 @@
-*/ "a": {"command": "x", "env": {"KEY": "…", "N": "…"}}, //…
+*/ "a": {"command": ` + quoted + `, "args": ["shim", "--server=a", "--", "x"], "env": {"KEY": "…", "N": "…"}}, //…
@@ -7,1 +7,1 @@
-      "command": "y",
+      "command": ` + quoted + `,
@@ -9,1 +9,6 @@
-        "…"
+        "shim",
+        "--server",
+        "b",
+        "--",
+        "y",
+        "…"
`
	if diff := cmp.Diff(want, c.Diff("name")); diff != "" {
		t.Error(diff)
	}
	if got := wrap(t, "", string(c.Text)).Diff("name"); got != "" {
		t.Errorf("nothing changes, but %s", got)
	}
	back, err := clients.Unwrap(c.Text, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := back.Diff("name"); strings.Contains(d, "sekret") || strings.Contains(d, "12345") || !strings.Contains(d, "-        \"shim\",\n") {
		t.Error(d)
	}
}

// FuzzWrap holds what is true of every text: a change parses, is taken back byte
// for byte, and is not made twice; JSON stays JSON.
func FuzzWrap(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":"x","args":["y",],"env":{}}}}`))
	f.Add([]byte("\ufeff{// c\r\n\"servers\":{\"a\":{\"command\":\"x\"/**/,},\"a\":{\"args\":[],\"command\":\"\\u0000\"}}}"))
	f.Add([]byte(`{"context_servers":{"":{"command":{"path":"x"}}},"mcp":{"servers":{"b":{"url":"u"}}}}`))
	f.Add([]byte(`{"projects":{"p":{"mcpServers":{"a":{"command":"mcpeval","args":["shim","--","x"]}}}}}`))
	f.Fuzz(func(t *testing.T, source []byte) {
		o := &clients.WrapOptions{Program: program}
		c, err := clients.Wrap(source, o)
		if err != nil {
			if depth := bytes.Count(source, []byte("[")) + bytes.Count(source, []byte("{")); json.Valid(source) && depth < 400 && !bytes.Contains([]byte(err.Error()), []byte("UTF-8")) {
				t.Fatalf("%v, but it is JSON", err)
			}
			return
		}
		if json.Valid(source) && !json.Valid(c.Text) {
			t.Fatalf("this is no JSON any more: %q", c.Text)
		}
		again, err := clients.Wrap(c.Text, o)
		if err != nil || again.Changed() {
			t.Fatalf("wrapped again (%v): %q", err, again.Text)
		}
		c.Diff("name")
		var ours []string
		for _, s := range c.Servers {
			if s.State == clients.Already {
				return // unwrapping takes that back too
			}
			ours = append(ours, s.Name)
		}
		if len(ours) == 0 {
			return
		}
		back, err := clients.Unwrap(c.Text, "", ours)
		if err != nil || !bytes.Equal(back.Text, source) {
			t.Fatalf("unwrapped (%v): %q, was %q", err, back.Text, source)
		}
	})
}
