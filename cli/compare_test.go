package cli

import (
	"slices"
	"testing"
)

func TestCommandWords(t *testing.T) {
	tests := []struct {
		in   string
		want []string
		err  string
	}{
		{"npx -y server@1", []string{"npx", "-y", "server@1"}, ""},
		{"  a \t b\n", []string{"a", "b"}, ""},
		{`a "b c" 'd "e"' f"g h"i ''`, []string{"a", "b c", `d "e"`, "fg hi", ""}, ""},
		{`C:\tools\server.exe $HOME *`, []string{`C:\tools\server.exe`, "$HOME", "*"}, ""},
		{`["a b", "c\"d", ""]`, []string{"a b", `c"d`, ""}, ""},
		{"", nil, ""},
		{"[]", nil, ""},
		{`"a`, nil, "a quote is not closed"},
		{"it's", nil, "a quote is not closed"},
		{`["a", 1]`, nil, "the command is no JSON array of strings"},
		{`["a"`, nil, "the command is no JSON array of strings"},
	}
	for _, tt := range tests {
		got, err := commandWords(tt.in)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != tt.err || !slices.Equal(got, tt.want) {
			t.Errorf("%q: got %q, %q, want %q, %q", tt.in, got, text, tt.want, tt.err)
		}
	}
}
