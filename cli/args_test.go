package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/server/app"
)

func TestSplitCommand(t *testing.T) {
	tests := []struct{ in, own, command []string }{
		{[]string{"shim", "--server", "x", "--", "npx", "--", "-y"}, []string{"shim", "--server", "x"}, []string{"npx", "--", "-y"}},
		{[]string{"shim", "--"}, []string{"shim"}, []string{}},
		{[]string{"calls"}, []string{"calls"}, nil},
		{nil, nil, nil},
	}
	for _, tt := range tests {
		own, command := splitCommand(tt.in)
		if !slices.Equal(own, tt.own) || !slices.Equal(command, tt.command) || (command == nil) != (tt.command == nil) {
			t.Errorf("%q: got %q %q", tt.in, own, command)
		}
	}
}

func TestFlagsFirst(t *testing.T) {
	tests := []struct{ in, want string }{
		{"journal cat ID --format json", "journal cat --format json ID"},
		{"journal cat --format json ID", "journal cat --format json ID"},
		{"journal cat ID --format=json", "journal cat --format=json ID"},
		{"index --watch --every 1s", "index --watch --every 1s"},
		{"doctor x --check-redaction y", "doctor --check-redaction x y"},
		{"journal cat - --format json", "journal cat --format json -"},
		{"journal ID --format json", "journal ID --format json"}, // no verb: left to the parser
		{"calls --limit", "calls --limit"},
		{"calls --unknown 1 x", "calls --unknown 1 x"},
		{"", ""},
	}
	verbs := newApp(System(), nil).Commands
	for _, tt := range tests {
		if got := strings.Join(flagsFirst(verbs, strings.Fields(tt.in)), " "); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestReport(t *testing.T) {
	tests := []struct {
		name string
		err  error
		code int
		text string
	}{
		{"nothing", nil, 0, ""},
		{"found", errFound, 1, ""},
		{"found and wrapped", fmt.Errorf("x: %w", errFound), 1, ""},
		{"usage", usagef("calls", "no %s", "good"), 2, "mcpeval: no good\nnext: mcpeval calls --help\n"},
		{"usage joined", errors.Join(errors.New("a"), usagef("calls", "b")), 2, "mcpeval: b\nnext: mcpeval calls --help\n"},
		{"problem", fmt.Errorf("x: %w", &app.Problem{Err: errors.New("y"), Next: "z"}), 3, "mcpeval: x: y\nnext: z\n"},
		{"other", errors.New("disk full"), 3, "mcpeval: disk full\n"},
		{"child", &childExit{42}, 42, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			if code := report(&b, tt.err); code != tt.code || b.String() != tt.text {
				t.Errorf("got %d %q, want %d %q", code, b.String(), tt.code, tt.text)
			}
		})
	}
}

// panicWriter stands for a bug anywhere below a verb.
type panicWriter struct{}

func (panicWriter) Write([]byte) (int, error) { panic("text that quotes traffic") }

func TestMainRecovers(t *testing.T) {
	var stderr strings.Builder
	std := System()
	std.Out, std.Err = panicWriter{}, &stderr
	if code := Main([]string{"mcpeval", "version"}, std); code != exitIncomplete {
		t.Errorf("exit %d", code)
	}
	want := "mcpeval: internal error; please report the command you ran\n"
	if diff := cmp.Diff(want, stderr.String()); diff != "" {
		t.Error(diff)
	}
}

// Every verb has a usage line, and every verb that reads has --format.
func TestEveryVerb(t *testing.T) {
	writes := []string{"shim", "shim-http", "demo-server", "tour", "completion", "help", "tail", "schema", "serve", "man"}
	list := newApp(System(), nil).Commands
	for len(list) > 0 {
		verb := list[0]
		list = append(list[1:], verb.Subcommands...)
		if verb.Usage == "" {
			t.Errorf("%s has no usage line", verb.Name)
		}
		if len(verb.Subcommands) == 0 && !slices.Contains(writes, verb.Name) && findFlag(verb.Flags, "--format") == nil {
			t.Errorf("%s has no --format", verb.Name)
		}
	}
}

func TestTable(t *testing.T) {
	table := &table{header: []string{"NAME", "N"}, right: map[int]bool{1: true}}
	table.add("é", "1")
	table.add("longer", "1000")
	got := table.line(table.header) + "\n" + table.line(table.rows[0]) + "\n" + table.line(table.rows[1])
	want := "NAME       N\né          1\nlonger  1000"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var b strings.Builder
	std := System()
	std.Out = &b
	if err := table.write(std); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("NAME\tN\né\t1\nlonger\t1000\n", b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 5 << 20: "5.0 MiB", 1 << 60: "1048576.0 TiB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
