package recorder_test

import (
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// FuzzCorrelator plays any bytes both ways, in turn: each request that the
// scanner finds is one call, and each event one canonical line.
func FuzzCorrelator(f *testing.F) {
	for _, x := range exchanges {
		f.Add([]byte(x.request+"\n"), []byte(x.response+"\n"))
	}
	f.Add([]byte("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},1]\n{\n"), []byte("[]\n\n{\"jsonrpc\":\"2.0\",\"id\":1}\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","requestState":{},"inputResponses":[{}],"_meta":[]}}`+"\n"),
		[]byte(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"a":1,"a":2}}}`+"\n"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"\ud800","method":"initialize","params":{"capabilities":{"tools":1}}}`+"\n"),
		[]byte(`{"jsonrpc":"2.0","id":"\udfff","result":{"protocolVersion":"2025-06-18","capabilities":[]}}`+"\n"))
	f.Fuzz(func(t *testing.T, outbound, inbound []byte) {
		sink := newMemorySink()
		c := recorder.NewCorrelator(sink, sanitize.New(sanitize.Salt{4}))
		requests := 0
		feed := func(d journal.Direction, data []byte, at time.Time) {
			scan := wire.NewScanner(nil)
			take := func(f *wire.Frame) {
				for i := range f.Messages {
					if f.Messages[i].Kind == wire.Request {
						requests++
					}
				}
				c.Frame(recorder.Read{Direction: d, At: at}, f)
			}
			scan.Feed(data, take)
			scan.Finish(take)
		}
		for i := range 2 {
			at := epoch.Add(time.Duration(i) * time.Minute)
			feed(journal.Outbound, outbound, at)
			c.Tick(at.Add(11 * time.Second))
			feed(journal.Inbound, inbound, at.Add(30*time.Second))
		}
		c.End(epoch.Add(time.Hour), recorder.Exit{})
		if got := sink.types["call"]; got != requests {
			t.Errorf("%d calls for %d requests", got, requests)
		}
		for i, line := range sink.lines {
			if err := decode(line, &journal.Event{}); err != nil {
				t.Errorf("event %d is not canonical: %v", i+1, err)
			}
		}
	})
}
