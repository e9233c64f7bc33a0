package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/server/clients"
)

// server is a server of a configuration that is written for a test.
type server struct {
	Command string
	Args    []string // nil writes none
}

// writer writes configurations as people do: white space, line ends and comments
// anywhere, keys in any order, values that nothing here knows.
type writer struct {
	*rapid.T
	strings.Builder
	strict bool // without comments and trailing commas, so that encoding/json can read it
	secret string
}

func (w *writer) gap() {
	gaps := []string{"", "", " ", "\n", "\r\n  ", "\t", "   \n\n\t "}
	if !w.strict {
		gaps = append(gaps, "/* "+w.secret+" */", "// "+w.secret+"\n", " /*\r\n*/\t", "//\r\n")
	}
	w.WriteString(rapid.SampledFrom(gaps).Draw(w.T, "gap"))
}

// text writes a string as JSON, its first character perhaps in the long form.
func (w *writer) text(s string) {
	first := ""
	if s != "" && s[0] < 128 && rapid.Bool().Draw(w.T, "escaped") {
		first, s = fmt.Sprintf(`\u%04x`, s[0]), s[1:]
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		w.Fatal(err)
	}
	w.WriteString(`"` + first + string(quoted[1:]))
}

// list writes items between brackets, in an order of its own for an object.
func (w *writer) list(open, end byte, items ...func()) {
	if open == '{' {
		items = rapid.Permutation(items).Draw(w.T, "order")
	}
	w.WriteByte(open)
	for i, item := range items {
		w.gap()
		item()
		w.gap()
		if i < len(items)-1 || !w.strict && rapid.Bool().Draw(w.T, "trailing") {
			w.WriteByte(',')
		}
	}
	w.gap()
	w.WriteByte(end)
}

func (w *writer) member(key string, value func()) func() {
	return func() {
		w.text(key)
		w.gap()
		w.WriteByte(':')
		w.gap()
		value()
	}
}

func (w *writer) noise() func() {
	key := rapid.SampledFrom([]string{"env", "type", "disabled", "cwd", "日本"}).Draw(w.T, "noise")
	return w.member(key, func() {
		w.list('{', '}', w.member("KEY", func() { w.text(w.secret) }), w.member("n", func() { w.WriteString(rapid.SampledFrom([]string{"1e5", "null", "true", "-0.5"}).Draw(w.T, "word")) }))
	})
}

func (w *writer) server(s server) {
	members := []func(){w.member("command", func() { w.text(s.Command) })}
	if s.Args != nil {
		members = append(members, w.member("args", func() {
			var items []func()
			for _, a := range s.Args {
				items = append(items, func() { w.text(a) })
			}
			w.list('[', ']', items...)
		}))
	}
	if rapid.Bool().Draw(w.T, "noisy") {
		members = append(members, w.noise())
	}
	w.list('{', '}', members...)
}

// Every configuration comes back as it was, and what clients start below the shim
// is what they started.
func TestRoundTripProperty(t *testing.T) {
	word := rapid.StringMatching(`[a-zA-Z0-9 &%^"\\/:.é日-]{1,12}`)
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{T: t, strict: rapid.Bool().Draw(t, "strict"), secret: "pl4nted"}
		model := map[string]server{}
		var entries []func()
		for i := range rapid.IntRange(0, 4).Draw(t, "servers") {
			name := fmt.Sprint("s", i)
			s := server{Command: word.Draw(t, "command")}
			if rapid.Bool().Draw(t, "with args") {
				s.Args = append([]string{}, rapid.SliceOfN(word, 0, 3).Draw(t, "args")...)
			}
			model[name] = s
			entries = append(entries, w.member(name, func() { w.server(s) }))
		}
		if rapid.Bool().Draw(t, "bom") {
			w.WriteString("\ufeff")
		}
		w.gap()
		w.list('{', '}', w.member("mcpServers", func() { w.list('{', '}', entries...) }), w.noise())
		w.gap()
		source := w.String()

		c, err := clients.Wrap([]byte(source), &clients.WrapOptions{Client: clients.Cursor, Program: program})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(c.Diff("name"), w.secret) {
			t.Fatal("a diff holds a secret")
		}
		again, err := clients.Wrap(c.Text, &clients.WrapOptions{Client: clients.Cursor, Program: program})
		if err != nil || again.Changed() {
			t.Fatalf("wrapped again (%v): %q", err, again.Text)
		}
		if w.strict {
			var got struct{ MCPServers map[string]server }
			if err := json.Unmarshal(bytes.TrimPrefix(c.Text, []byte("\ufeff")), &got); err != nil {
				t.Fatal(err)
			}
			for name, s := range model {
				args := []string{"shim", "--server", name, "--", s.Command}
				if s.Args == nil {
					args = []string{"shim", "--server=" + name, "--", s.Command}
				}
				want := server{program, append(args, s.Args...)}
				if diff := cmp.Diff(want, got.MCPServers[name]); diff != "" {
					t.Fatal(diff)
				}
			}
		}
		// One by one, in any order.
		text := c.Text
		names := []string{}
		for name := range model {
			names = append(names, name)
		}
		slices.Sort(names)
		if len(names) > 0 {
			names = rapid.Permutation(names).Draw(t, "unwrapped")
		}
		for _, name := range names {
			back, err := clients.Unwrap(text, clients.Cursor, []string{name})
			if err != nil {
				t.Fatal(err)
			}
			text = back.Text
		}
		if string(text) != source {
			t.Fatalf("unwrapped: %q, was %q", text, source)
		}
	})
}
