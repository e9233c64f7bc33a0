package standard

import (
	"math"
	"time"

	"github.com/mcpeval/mcpeval/probes/report"
)

// The weights of the areas, in hundredths of the total.
const (
	weightProtocol     = 15
	weightCatalog      = 20
	weightContext      = 15
	weightReliability  = 20
	weightErrorHonesty = 15
	weightCoverage     = 15
)

// The parts of the areas context and reliability, in hundredths of the area.
const (
	shareTokens     = 75
	shareHeaviest   = 25
	shareTools      = 80
	shareContention = 10
	sharePayload    = 10
)

// The curves of tokens: up to full they give 100 points, from none on 0.
const (
	tokensFull, tokensNone     = 2000, 40000
	heaviestFull, heaviestNone = 500, 5000
)

// minDescription is how many characters a description has.
const minDescription = 40

// band is what a median latency of at most Upto gives.
type band struct {
	Upto   time.Duration
	Points int
}

// bands are those of latency; what is slower gives nothing.
func bands() []band {
	return []band{
		{100 * time.Millisecond, 100}, {300 * time.Millisecond, 80}, {time.Second, 50}, {3 * time.Second, 20},
	}
}

func latencyPoints(median time.Duration) float64 {
	for _, b := range bands() {
		if median <= b.Upto {
			return float64(b.Points)
		}
	}
	return 0
}

// falling is 100 up to full, 0 from none on, and between them falls by the same
// number of points each time n grows by the same factor.
func falling(n, full, none int) float64 {
	switch {
	case n <= full:
		return 100
	case n >= none:
		return 0
	}
	return 100 * math.Log(float64(none)/float64(n)) / math.Log(float64(none)/float64(full))
}

// score rounds points to hundredths.
func score(points float64) report.Score { return report.Score(math.Round(points * 100)) }

// total is the weighted mean of the areas, computed from what is shown of them.
func total(a report.Areas) report.Score {
	sum := weightProtocol*a.Protocol + weightCatalog*a.Catalog + weightContext*a.Context +
		weightReliability*a.Reliability + weightErrorHonesty*a.ErrorHonesty + weightCoverage*a.Coverage
	return (sum + 50) / 100
}
