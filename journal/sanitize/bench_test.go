package sanitize_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/journal/sanitize"
)

func BenchmarkShapeOf(b *testing.B) {
	schema := sanitize.CompileSchema(parse(b, richSchema))
	for _, bb := range []struct {
		name, args string
		schema     *sanitize.Schema
	}{
		{"small", `{"path":"/srv/data/readme.txt","mode":"read"}`, schema},
		{"nested", `{"path":"/srv/data/readme.txt","mode":"read","opts":{"depth":3,"deep":{"name":"a","other":[1,2,3]}},"env":{"A":{"value":"on"},"B":{"value":"off"}},"tree":{"left":{"left":{"leaf":"green"}}}}`, schema},
		{"unknown schema", `{"path":"/srv/data/readme.txt","mode":"read","opts":{"depth":3,"deep":{"name":"a"}}}`, nil},
		{"1 MiB string", `{"path":"` + strings.Repeat("x", 1<<20) + `"}`, schema},
		{"1 MiB escaped", `{"path":"` + strings.Repeat(`\n`, 1<<19) + `"}`, schema},
		{"1 MiB of numbers", `{"list":[` + strings.Repeat("1,", 1<<19) + `1]}`, schema},
		{"1 MiB of nested arrays", `{"list":` + manyNested(1<<20) + `}`, schema},
		{"1 MiB of keys", manyKeys(1 << 20), nil},
		{"1 MiB of one key", "{" + strings.Repeat(`"abcdef":{"abcdef":1},`, 1<<20/22) + `"a":1}`, nil},
	} {
		b.Run(bb.name, func(b *testing.B) {
			v := parse(b, bb.args)
			b.SetBytes(int64(len(bb.args)))
			b.ReportAllocs()
			for b.Loop() {
				sanitize.ShapeOf(v, bb.schema)
			}
		})
	}
}

func manyNested(size int) string {
	one := strings.Repeat("[", 500) + "1" + strings.Repeat("]", 500)
	return "[" + strings.Repeat(one+",", size/len(one)) + "1]"
}

func manyKeys(size int) string {
	var b strings.Builder
	b.WriteString("{")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `"name_%d":1,`, i)
	}
	return b.String() + `"last":1}`
}

func BenchmarkScreen(b *testing.B) {
	name := []byte("create_pull_request_review_comment")
	b.ReportAllocs()
	for b.Loop() {
		sanitize.Screen(name)
	}
}

func BenchmarkSuspicious(b *testing.B) {
	line := []byte(`{"schema":"mcpeval.event/v1","identity":{"capture_id":"550e8400-e29b-41d4-a716-446655440000","event_id":"019ad6f0-1111-7123-8123-123456789012"},"prev":"0123456789abcdef0123456789abcdef","seq":12,"ts":"2026-11-30T12:00:00.123Z","session":"session:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","server":"demo","kind":"real","type":"call","origin":"client","method":"tools/call","tool":"read_file","args":{"path":"str128","opts":{"depth":"num:3"}},"latency_us":1234,"request_bytes":123,"response_bytes":4567,"outcome":"ok","shim_self_us":3}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, found := sanitize.Suspicious(line); found {
			b.Fatal("a clean line is a finding")
		}
	}
}
