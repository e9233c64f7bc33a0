package index

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Interval is a closed range of numbers.
type Interval struct {
	Lo int64 `json:"from"`
	Hi int64 `json:"to"`
}

// Intervals is a set of numbers as sorted, disjoint, non-adjacent ranges. The
// sequence numbers of a capture are nearly always one range, the dead runs of a
// ledger none or a few.
type Intervals []Interval

var errIntervals = errors.New("not a list of intervals")

// Has reports whether n is in the set.
func (s Intervals) Has(n int64) bool {
	i := s.search(n)
	return i < len(s) && s[i].Lo <= n
}

// search is the index of the first range that ends at n or later.
func (s Intervals) search(n int64) int {
	if k := len(s); k > 0 && s[k-1].Hi < n {
		return k
	}
	i, _ := slices.BinarySearchFunc(s, n, func(v Interval, n int64) int {
		switch {
		case v.Hi < n:
			return -1
		case v.Hi > n:
			return 1
		}
		return 0
	})
	return i
}

// Add puts n into the set; false when it was there.
func (s *Intervals) Add(n int64) bool {
	if s.Has(n) {
		return false
	}
	s.AddRange(n, n)
	return true
}

// AddRange puts all of lo..hi into the set; an empty range adds nothing.
func (s *Intervals) AddRange(lo, hi int64) {
	if lo > hi {
		return
	}
	v := *s
	first := v.search(lo - 1) // the first range that lo touches or precedes
	last := first
	for last < len(v) && v[last].Lo <= hi+1 {
		lo, hi = min(lo, v[last].Lo), max(hi, v[last].Hi)
		last++
	}
	*s = slices.Replace(v, first, last, Interval{lo, hi})
}

// Max is the largest number, 0 for an empty set.
func (s Intervals) Max() int64 {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1].Hi
}

// Count is how many numbers are in the set.
func (s Intervals) Count() (n int64) {
	for _, v := range s {
		n += v.Hi - v.Lo + 1
	}
	return n
}

// Missing are the ranges between 1 and Max that are not in the set.
func (s Intervals) Missing() (gaps []Interval) {
	next := int64(1)
	for _, v := range s {
		if v.Lo > next {
			gaps = append(gaps, Interval{next, v.Lo - 1})
		}
		next = v.Hi + 1
	}
	return gaps
}

// String is "1-120,125".
func (s Intervals) String() string {
	var b []byte
	for i, v := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, v.Lo, 10)
		if v.Hi > v.Lo {
			b = append(b, '-')
			b = strconv.AppendInt(b, v.Hi, 10)
		}
	}
	return string(b)
}

// ParseIntervals reads what String wrote.
func ParseIntervals(text string) (s Intervals, err error) {
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		a, b, isRange := strings.Cut(part, "-")
		if !isRange {
			b = a
		}
		lo, err1 := strconv.ParseInt(a, 10, 64)
		hi, err2 := strconv.ParseInt(b, 10, 64)
		if err1 != nil || err2 != nil || lo > hi || len(s) > 0 && lo <= s[len(s)-1].Hi+1 {
			return nil, errIntervals
		}
		s = append(s, Interval{lo, hi})
	}
	return s, nil
}
