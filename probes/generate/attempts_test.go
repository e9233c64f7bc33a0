package generate_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/probes/generate"
)

func TestAttempts(t *testing.T) {
	tests := []struct {
		name string
		rate float64
		want int
	}{
		{"one in a thousand", 0.001, 100},
		{"0.17", 0.17, 17},
		{"a third", 1.0 / 3, 8},
		{"a half", 0.5, 5},
		{"0.89", 0.89, 3},
		{"always", 1, 3},
		{"the last that needs more than three", 0.63, 4},
		{"the first that needs three", 0.64, 3},
		{"more than always", 1.5, 3},
		{"never", 0, 100},
		{"less than never", -0.5, 100},
		{"nothing", math.NaN(), 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := generate.Attempts(tt.rate); got != tt.want {
				t.Errorf("Attempts(%v) = %d, want %d", tt.rate, got, tt.want)
			}
		})
	}
}

// So many attempts miss the failure with a probability of 5 % at most, one fewer
// with more.
func TestAttemptsSuffice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Float64Range(0.03, 0.63).Draw(t, "rate")
		n := float64(generate.Attempts(rate))
		if now, before := math.Pow(1-rate, n), math.Pow(1-rate, n-1); now > 0.05+1e-9 || before < 0.05-1e-9 {
			t.Errorf("%v attempts at %v miss it with %v, one fewer with %v", n, rate, now, before)
		}
	})
}
