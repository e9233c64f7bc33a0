package client_test

import (
	"context"
	"testing"

	"github.com/mcpeval/mcpeval/probes/client"
)

// BenchmarkCall is one small call and its answer.
func BenchmarkCall(b *testing.B) {
	p := newPeer(b, &peer{session: "s"})
	for name, to := range map[string]client.Target{"stdio": target(b, "plain"), "http": {URL: p.URL}} {
		b.Run(name, func(b *testing.B) {
			c := dial(b, to, nil)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Call(context.Background(), "tools/call", []byte(`{"name":"t","arguments":{}}`)); err != nil {
					if client.KindOf(err) == client.BudgetExceeded {
						c.Close()
						c = dial(b, to, nil)
						continue
					}
					b.Fatal(err)
				}
			}
		})
	}
}
