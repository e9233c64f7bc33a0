package journal_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal"
)

func TestShown(t *testing.T) {
	tests := []struct{ name, path, want string }{
		{"a log", "captures/2026-11-30/8f14e45f-ceea-4e1b-8a3c-0123456789ab.jsonl", "captures/2026-11-30/8f14e45f-ceea-4e1b-8a3c-0123456789ab.jsonl"},
		{"letters of any language", "日本/über_1,2=3+4@5%6:7.jsonl", "日本/über_1,2=3+4@5%6:7.jsonl"},
		{"a space", "my log.jsonl", `"my log.jsonl"`},
		{"what a terminal obeys", "a\x1b[31m\n.jsonl", `"a\x1b\x5b31m\x0a.jsonl"`},
		{"what a shell obeys", "$(x)`y`!.jsonl", `"\x24\x28x\x29\x60y\x60\x21.jsonl"`},
		{"its own escapes", `a"\x41.jsonl`, `"a\x22\x5cx41.jsonl"`},
		{"no UTF-8", "a\xff\xc3.jsonl", `"a\xff\xc3.jsonl"`},
		{"the replacement character", "\uFFFD\uFFFD", `"\xef\xbf\xbd\xef\xbf\xbd"`},
		{"right to left", "a\u202eb", `"a\xe2\x80\xaeb"`},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := journal.Shown(tt.path); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Whatever the path, its shown form is harmless and leads back to it, whether a
// shell has taken the quotes away or not.
func TestShownLeadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := string(rapid.SliceOf(rapid.Byte()).Draw(t, "path"))
		if rapid.Bool().Draw(t, "text") {
			path = rapid.String().Draw(t, "path")
		}
		shown := journal.Shown(path)
		if !utf8.ValidString(shown) || strings.ContainsFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) || strings.ContainsRune("$`!;&|<>()*?'", r) }) {
			t.Fatalf("%q is not harmless", shown)
		}
		for _, form := range []string{shown, strings.Trim(shown, `"`)} {
			if got, ok := journal.Unshown(form); !ok || got != path {
				t.Fatalf("%q leads to %q (%v), not to %q", form, got, ok, path)
			}
		}
	})
}
