package standard

// What the tests of curves and violations look at.
var (
	LatencyPoints = latencyPoints
	Falling       = falling
	Violation     = violation
	Total         = total
)
