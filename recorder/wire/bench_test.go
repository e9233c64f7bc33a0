package wire_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/recorder/wire"
)

// benchFrames are lines as they occur: a result and a call of about 4 KiB, small
// messages, and a catalogue, which is nearly all structure.
func benchFrames() map[string]string {
	prose := strings.Repeat("The quick brown fox jumps over the lazy dog.\\n", 82)
	code := strings.Repeat(`if (x < 10) {\n\treturn \"ok\" + y;\n}\n`, 95)
	foreign := strings.Repeat("Größe und Gewicht, 日本語のテキスト. ", 80)
	var tools []string
	for i := range 40 {
		tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","title":"Tool %d","description":"Does thing number %d with great care.","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"path":{"type":"string","description":"Where"},"count":{"type":"integer","minimum":0,"default":10},"deep":{"type":"array","items":{"type":"object","properties":{"a":{"type":"boolean"}}}}},"required":["path"],"additionalProperties":false},"annotations":{"readOnlyHint":true}}`, i, i, i))
	}
	return map[string]string{
		"call4k":    `{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"/home/user/project/notes.txt","content":"` + prose + `"},"_meta":{"progressToken":17}}}` + "\n",
		"result4k":  `{"result":{"content":[{"type":"text","text":"` + prose + `"}],"isError":false},"jsonrpc":"2.0","id":17}` + "\n",
		"code4k":    `{"jsonrpc":"2.0","id":18,"result":{"content":[{"type":"text","text":"` + code + `"}]}}` + "\n",
		"foreign4k": `{"jsonrpc":"2.0","id":19,"result":{"content":[{"type":"text","text":"` + foreign + `"}]}}` + "\n",
		"small":     `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}` + "\n" + `{"result":{"content":[{"type":"text","text":"hi"}]},"jsonrpc":"2.0","id":1}` + "\n",
		"catalogue": `{"jsonrpc":"2.0","id":2,"result":{"tools":[` + strings.Join(tools, ",") + `]}}` + "\n",
	}
}

func BenchmarkFeed(b *testing.B) {
	for name, line := range benchFrames() {
		for _, chunk := range []int{64 << 10, 1000} {
			stream := bytes.Repeat([]byte(line), max(1, (256<<10)/len(line)))
			b.Run(fmt.Sprintf("%s/chunk%d", name, chunk), func(b *testing.B) {
				b.SetBytes(int64(len(stream)))
				b.ReportAllocs()
				s := wire.NewScanner(nil)
				frames := 0
				emit := func(f *wire.Frame) {
					if f.Class != wire.RPC {
						b.Fatal("not an RPC frame")
					}
					frames++
				}
				for b.Loop() {
					for rest := stream; len(rest) > 0; {
						n := min(chunk, len(rest))
						s.Feed(rest[:n], emit)
						rest = rest[n:]
					}
				}
			})
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	stream := bytes.Repeat([]byte("event: message\nid: 7\ndata: "+benchFrames()["result4k"]+"\n"), 32)
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	e := wire.NewEvents(nil)
	s := wire.NewScanner(nil)
	for b.Loop() {
		e.Feed(stream, func(event *wire.Event) {
			if s.ScanBody(event.Data).Class != wire.RPC {
				b.Fatal("not an RPC frame")
			}
		})
	}
}
