package recorder_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/process"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

type discard struct{}

func (discard) Add(time.Time, journal.Body) (uuid.UUID, error) { return uuid.Nil, nil }

var exchanges = []struct{ name, request, response string }{
	{"ping", `{"jsonrpc":"2.0","id":12345,"method":"ping"}`, `{"jsonrpc":"2.0","id":12345,"result":{}}`},
	{
		"call",
		`{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"/srv/data/readme.txt","offset":0,"limit":100},"_meta":{"progressToken":12345}}}`,
		`{"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"hello world"}],"isError":false}}`,
	},
	{
		"call4K",
		`{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"write_file","arguments":{"path":"/srv/data/readme.txt","content":"` + strings.Repeat("lorem ipsum ", 330) + `"}}}`,
		`{"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"` + strings.Repeat("lorem ipsum ", 330) + `"}],"isError":false}}`,
	},
	{
		"error",
		`{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"/srv/data/none.txt"}}}`,
		`{"jsonrpc":"2.0","id":12345,"result":{"content":[{"type":"text","text":"ENOENT: no such file or directory, open '/srv/data/none.txt'"}],"isError":true}}`,
	},
}

// BenchmarkCorrelator measures pairing alone: frames are scanned, events
// thrown away.
func BenchmarkCorrelator(b *testing.B) {
	for _, x := range exchanges {
		b.Run(x.name, func(b *testing.B) {
			c := recorder.NewCorrelator(discard{}, sanitize.New(sanitize.Salt{1}))
			scan := wire.NewScanner(nil)
			request, response := []byte(x.request+"\n"), []byte(x.response+"\n")
			ask := recorder.Read{Direction: journal.Outbound, At: epoch}
			answer := recorder.Read{Direction: journal.Inbound, At: epoch.Add(time.Millisecond)}
			onAsk := func(f *wire.Frame) { c.Frame(ask, f) }
			onAnswer := func(f *wire.Frame) { c.Frame(answer, f) }
			b.SetBytes(int64(len(request) + len(response)))
			b.ReportAllocs()
			for b.Loop() {
				scan.Feed(request, onAsk)
				scan.Feed(response, onAnswer)
			}
			b.ReportMetric(2*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}

// BenchmarkLines measures all of it, from chunks to a log in a file, with a
// batch of calls in each chunk as a busy pipe gives them.
func BenchmarkLines(b *testing.B) {
	const perChunk = 16
	for _, x := range exchanges {
		b.Run(x.name, func(b *testing.B) {
			g := newRig(b)
			l := recorder.NewLines(recorder.NewCapture(&g.o))
			var requests, responses []byte
			for i := range perChunk {
				id := fmt.Sprintf(`"id":%d,`, 10_000+i)
				requests = append(requests, strings.Replace(x.request, `"id":12345,`, id, 1)+"\n"...)
				responses = append(responses, strings.Replace(x.response, `"id":12345,`, id, 1)+"\n"...)
			}
			b.SetBytes(int64(len(requests) + len(responses)))
			b.ReportAllocs()
			for b.Loop() {
				now := time.Now()
				l.Chunk(journal.Outbound, requests, now, now)
				l.Chunk(journal.Inbound, responses, now, now)
			}
			b.ReportMetric(2*perChunk*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
			l.Done(process.Exit{}, time.Now())
			if len(g.reported) != 0 {
				b.Fatal(g.reported)
			}
		})
	}
}
