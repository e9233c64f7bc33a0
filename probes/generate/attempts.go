package generate

import "math"

// The bounds of attempts. The largest are those of the manifest.
const (
	fewestAttempts   = 3
	mostAttempts     = 100
	mostErrorHonesty = 20
)

// missed is how often a case may pass although the failure is still there.
const missed = 0.05

// Attempts is how many calls show a failure of this rate with a probability of
// 95 %, between 3 and 100. A rate that is no probability above 0 asks for the
// most.
func Attempts(rate float64) int {
	switch {
	case rate >= 1:
		return fewestAttempts
	case !(rate > 0): // NaN, too
		return mostAttempts
	}
	n := math.Ceil(math.Log(missed) / math.Log1p(-rate))
	return int(min(max(n, fewestAttempts), mostAttempts))
}
