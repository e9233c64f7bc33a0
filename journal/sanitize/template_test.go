package sanitize_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

func TestTemplateIDGroups(t *testing.T) {
	s := sanitize.New(sanitize.Salt{1})
	groups := []struct {
		name  string
		texts []string
	}{
		{"numbers", []string{"line 3, column 14", "Line 333,  column 4", " line 0,\tcolumn 1\n", "line -3, column 1.5", "line 1,234, column 9"}},
		{"units", []string{"timed out after 30s", "timed out after 1.5s", "timed out after 1500s"}},
		{"uuid", []string{"no record 550e8400-e29b-41d4-a716-446655440000", "no record 7D444840-9DC0-11D1-B245-5FFDCE74FAD2"}},
		{"uuid in a name", []string{"no user_550e8400-e29b-41d4-a716-446655440000", "no user_7d444840-9dc0-11d1-b245-5ffdce74fad2"}},
		{"hexadecimal", []string{"commit 9f86d08", "commit 0xFF", "commit a1b2c3d4e5f6", "commit 12345678"}},
		{"identifier", []string{"request req7f3Kx9Lm2 failed", "request a9B8c7D6e5F4 failed"}},
		{"quoted", []string{`no file "a.txt"`, `no file "quarterly \"merger\".doc"`, `no file ""`}},
		{"quoted once", []string{`no folder 'a.txt'`, `no folder 'it is'`}},
		{"typographic", []string{"no drive “a”", "no drive “b c”"}},
		{"quotes without spaces", []string{"找不到文件“a.txt”不存在", "找不到文件“b 7.txt”不存在"}},
		{"apostrophes are no quotes", []string{"can't open, won't try 1", "can't open, won't try 2"}},
		{"URL", []string{"GET https://a.example/x?y=1 failed", "GET http://[::1]:8080/z failed"}},
		{"Unix path", []string{"open /etc/passwd: denied", "open /home/ann/a-b_c.txt: denied", "open ~/x: denied", "open /x: denied"}},
		{"Windows path", []string{`read C:\Users\ann\x.txt: denied`, `read d:/y: denied`, `read \\host\share\z: denied`}},
		{"case", []string{"Not Found", "NOT FOUND", "not found"}},
		{"case beyond ASCII", []string{"ÉCHEC TOTAL", "échec total"}},
		{"timestamps", []string{"[2026-01-02T03:04:05Z] down", "[2025-11-30T13:14:15Z] down"}},
		{"spaces", []string{"a b", "a \u00a0\r\n b "}},
		{"only the start counts", []string{strings.Repeat("x y", 64<<10), strings.Repeat("x y", 64<<10) + " more"}},
	}
	seen := make(map[sanitize.TemplateID]string)
	for _, g := range groups {
		id := s.TemplateID([]byte(g.texts[0]))
		for _, text := range g.texts[1:] {
			if s.TemplateID([]byte(text)) != id {
				t.Errorf("%s: %q is not of the template of %q", g.name, text, g.texts[0])
			}
		}
		if other, ok := seen[id]; ok {
			t.Errorf("%s and %s share a template", g.name, other)
		}
		seen[id] = g.name
	}
}

func TestTemplateIDSeparates(t *testing.T) {
	s := sanitize.New(sanitize.Salt{1})
	texts := []string{"", "not found", "no such file", "permission denied", "and/or", "and or", "user deleted", "user created",
		`"x" missing`, "x missing", "/x missing", "1 missing", "http://x missing", "application/json", "application /json", "facade", "added"}
	seen := make(map[sanitize.TemplateID]string)
	for _, text := range texts {
		id := s.TemplateID([]byte(text))
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q share a template", text, other)
		}
		seen[id] = text
	}
	if s.TemplateID([]byte("x")) == sanitize.New(sanitize.Salt{2}).TemplateID([]byte("x")) {
		t.Error("the template ID does not depend on the salt")
	}
}

func TestTemplateIDProperties(t *testing.T) {
	s := sanitize.New(sanitize.Salt{1})
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(rapid.StringOf(rapid.SampledFrom([]rune(`ab9 "'`+"`"+`/\:.-_~“”@`+"\x00\n\u00e9\u4e0d"))).Draw(t, "text"))
		if rapid.Bool().Draw(t, "broken") {
			text = append(text, 0xff, 0xe2, 0x80)
		}
		before := bytes.Clone(text)
		id := s.TemplateID(text)
		if _, ok := sanitize.ParseTemplateID([]byte(id.String())); !ok {
			t.Fatalf("template ID outside the grammar")
		}
		if !bytes.Equal(before, text) {
			t.Fatal("the text was changed")
		}
		if s.TemplateID(append([]byte("  "), text...)) != id || s.TemplateID(append(before, ' ', '\n')) != id {
			t.Fatalf("space around %q makes another template", text)
		}
	})
}

func TestDigest(t *testing.T) {
	s := sanitize.New(sanitize.Salt{1})
	seen := make(map[sanitize.Digest]string)
	for name, d := range map[string]sanitize.Digest{
		"base":            s.Digest("definition", []byte("ab"), []byte("c")),
		"other label":     s.Digest("note", []byte("ab"), []byte("c")),
		"other division":  s.Digest("definition", []byte("a"), []byte("bc")),
		"one part":        s.Digest("definition", []byte("abc")),
		"an empty part":   s.Digest("definition", []byte("ab"), []byte("c"), nil),
		"label and parts": s.Digest("definitionab", []byte("c")),
		"other salt":      sanitize.New(sanitize.Salt{2}).Digest("definition", []byte("ab"), []byte("c")),
	} {
		if other, ok := seen[d]; ok {
			t.Errorf("%s and %s are equal", name, other)
		}
		seen[d] = name
		if _, ok := sanitize.ParseDigest([]byte(d.String())); !ok {
			t.Errorf("%s: outside the grammar", name)
		}
	}
	// SHA-256 of "salt id" and 32 zero bytes, computed elsewhere.
	if got := sanitize.New(sanitize.Salt{}).SaltID().String(); got != "8f10d300" {
		t.Errorf("SaltID = %s", got)
	}
}

func BenchmarkTemplateID(b *testing.B) {
	s := sanitize.New(sanitize.Salt{1})
	text := []byte(`Error: ENOENT: no such file or directory, open '/srv/data/quarterly/2026-01-02.csv' (request 550e8400-e29b-41d4-a716-446655440000, attempt 3)`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.TemplateID(text)
	}
}

// The worst texts for a scanner that looks ahead.
func BenchmarkTemplateIDWorst(b *testing.B) {
	s := sanitize.New(sanitize.Salt{1})
	for name, text := range map[string]string{
		"quotes": ` "a`, "closing refused": `"a"b`, "slashes": `/ /`, "words": "a1b2 ", "hyphens": "1-",
	} {
		b.Run(name, func(b *testing.B) {
			in := []byte(strings.Repeat(text, 64<<10/len(text)))
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				s.TemplateID(in)
			}
		})
	}
}
