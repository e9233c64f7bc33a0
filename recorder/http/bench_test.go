package httpshim_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal"
)

// BenchmarkShimHTTP is the row "shim-http added p50 on loopback": exchanges with
// and without the shim take turns in one run. It reports the medians in
// microseconds, what the shim adds, and their ratio.
func BenchmarkShimHTTP(b *testing.B) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"message":"hi"}}}`
	answer := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hi"}]}}`
	for name, handler := range map[string]http.Handler{
		"json":   reply("application/json", answer),
		"stream": reply("text/event-stream", "event: message\ndata: "+answer+"\n\n"),
	} {
		b.Run(name, func(b *testing.B) {
			g := newRig(b, handler)
			direct := httptest.NewServer(handler)
			defer direct.Close()
			exchange := func(url string) time.Duration {
				r, err := http.NewRequest("POST", url, strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				from := time.Now()
				resp, err := g.client.Do(r)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
				return time.Since(from)
			}
			const warm = 200
			bare, shimmed := make([]time.Duration, 0, b.N), make([]time.Duration, 0, b.N)
			for i := range warm + b.N {
				d, s := exchange(direct.URL), exchange(g.url)
				if i == warm {
					b.ResetTimer()
				}
				if i >= warm {
					bare, shimmed = append(bare, d), append(shimmed, s)
				}
			}
			b.StopTimer()
			p50 := func(all []time.Duration) float64 {
				slices.Sort(all)
				return float64(all[len(all)/2].Nanoseconds()) / 1000
			}
			d, s := p50(bare), p50(shimmed)
			b.ReportMetric(d, "direct-p50-us")
			b.ReportMetric(s, "shim-p50-us")
			b.ReportMetric(s-d, "added-p50-us")
			b.ReportMetric(s/d, "ratio")
			for _, events := range g.captures() {
				for _, ev := range events {
					if _, ok := ev.Body.(*journal.Gap); ok {
						b.Error("not everything was recorded")
					}
				}
			}
		})
	}
}
