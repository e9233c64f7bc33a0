package guidance

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMentions(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{name: "nothing", in: "use get_weather"},
		{name: "one", in: "use `get_weather`.", want: []string{"get_weather"}},
		{name: "each once, in order", in: "`b` `a` `b`", want: []string{"b", "a"}},
		{name: "a call", in: "`get_weather(city)` and `now()`", want: []string{"get_weather", "now"}},
		{name: "no call", in: "`(x)` `f(x) + 1`", want: []string{"(x)"}},
		{name: "two backticks", in: "``get_weather`` and `` `odd` ``", want: []string{"get_weather", "`odd`"}},
		{name: "blanks at the edges", in: "` a `", want: []string{"a"}},
		{name: "several words", in: "`get weather` `a\nb`"},
		{name: "a fenced block is one span", in: "```\nget_weather\nnow\n```\nthen `now`", want: []string{"now"}},
		{name: "a stray backtick opens no span", in: "it``s fine: `a` and `b`", want: []string{"a", "b"}},
		{name: "unclosed", in: "`a` and `b", want: []string{"a"}},
		{name: "empty", in: "`` ` `"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, mentions(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Runs of ever other lengths, none of which closes, cost one look each.
func TestMentionsBounded(t *testing.T) {
	var b strings.Builder
	for n := 1; n <= 1000; n++ {
		b.WriteString(strings.Repeat("`", n) + "x")
	}
	if got := mentions(b.String()); got != nil {
		t.Errorf("%d names", len(got))
	}
	if got := mentions(strings.Repeat("a", maxInstructions) + "`late`"); got != nil {
		t.Errorf("read beyond the bound: %v", got)
	}
}

func FuzzMentions(f *testing.F) {
	f.Add("use `get_weather(city)` or ``now``")
	f.Add("```\na\n``` `b`")
	f.Fuzz(func(t *testing.T, text string) {
		seen := map[string]bool{}
		for _, name := range mentions(text) {
			if name == "" || seen[name] || strings.ContainsAny(name, " \t\r\n") || !strings.Contains(text, name) {
				t.Errorf("%q in %q", name, text)
			}
			if utf8.ValidString(text) && !utf8.ValidString(name) {
				t.Errorf("%q is cut within a character", name)
			}
			seen[name] = true
		}
	})
}
