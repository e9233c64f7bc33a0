package rawjson_test

import (
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

func samples() map[string][]byte {
	long := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 90)
	tool := `{"name":"tool_x","description":"Does a thing","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer","minimum":0}},"required":["a"]}}`
	return map[string][]byte{
		"text":       []byte(`{"content":[{"type":"text","text":"` + long + `"}],"isError":false}`),
		"structural": []byte(`{"tools":[` + tool + strings.Repeat(","+tool, 40) + `]}`),
	}
}

func BenchmarkValid(b *testing.B) {
	for name, in := range samples() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if !rawjson.Valid(in) {
					b.Fatal("invalid")
				}
			}
		})
	}
}

func BenchmarkWalk(b *testing.B) {
	for name, in := range samples() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			var w rawjson.Walker
			for b.Loop() {
				w.Reset(rawjson.Trusted(in))
				for w.Next().Kind != rawjson.End {
				}
			}
		})
	}
}
