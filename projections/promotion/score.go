package promotion

import (
	"math"
	"time"
)

// DefaultThreshold is what a score has to reach when nothing else is set: the
// midpoint between the lowest blocker and the highest annoyance of
// testdata/seeds.json, to two decimals.
const DefaultThreshold = 0.16

// MinSessions is from how many distinct sessions the evidence has to come.
const MinSessions = 2

// z is the normal quantile of a two-sided 95%.
const z = 1.959963984540054

// halfLife is after how many days without a failure a score has halved.
const halfLife = 14

// Neighbourhoods counts failures by how many real calls their window has.
type Neighbourhoods [9]int64

// Issue is what is counted of one group of failures.
type Issue struct {
	Group     Group
	Failures  int64
	Calls     int64 // of the tool; of stdout-noise, runs of the server over stdio
	Sessions  int64 // distinct
	LastSeen  time.Time
	Cost      float64 // median over failures of 1 + real calls near it
	Blast     int64   // distinct tools near them, the group's own included
	Codes     int64   // distinct
	Retryable *bool   // true: all were; false: none was; nil: some, or not known
	Recovered bool    // an ok call of the tool came later in some window
	Annotated Annotations
	Probed    bool // it was verified at least once
}

// Annotations says which remarks about the failures change their class.
type Annotations struct{ FalseSuccess, BlockedPath bool }

// Wilson is the lower bound of the 95% score interval of failures / calls; 0
// without calls.
func Wilson(failures, calls int64) float64 {
	if failures <= 0 || calls <= 0 {
		return 0
	}
	n := float64(calls)
	p := min(float64(failures)/n, 1)
	center := p + z*z/(2*n)
	spread := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max((center-spread)/(1+z*z/n), 0)
}

// Recency halves every 14 days from 1; an age below zero is none.
func Recency(age time.Duration) float64 {
	return math.Pow(0.5, max(age, 0).Hours()/24/halfLife)
}

// Cost is the median of 1 + neighbours; 0 without failures.
func (n Neighbourhoods) Cost() float64 {
	var total int64
	for _, k := range n {
		total += k
	}
	if total == 0 {
		return 0
	}
	return 1 + float64(n.at((total-1)/2)+n.at(total/2))/2
}

// at is the rank-th smallest number of neighbours, from 0.
func (n Neighbourhoods) at(rank int64) int64 {
	for i, k := range n {
		if rank < k {
			return int64(i)
		}
		rank -= k
	}
	return int64(len(n) - 1)
}

// Score ranks an issue as of a time.
func (i *Issue) Score(asOf time.Time) float64 {
	return Wilson(i.Failures, i.Calls) *
		Recency(asOf.Sub(i.LastSeen)) *
		math.Log2(1+i.Cost) *
		(1 + math.Log2(float64(max(i.Blast, 1))))
}

// Verdict says whether an issue is a finding.
type Verdict uint8

// The verdicts.
const (
	Promoted Verdict = iota
	OneSession
	BelowThreshold
)

// Judge applies the rule of two sessions, then the threshold.
func (i *Issue) Judge(asOf time.Time, threshold float64) Verdict {
	switch {
	case i.Sessions < MinSessions:
		return OneSession
	case i.Score(asOf) < threshold:
		return BelowThreshold
	}
	return Promoted
}
