package report

import (
	"maps"
	"slices"
)

// Digest is the SHA-256 of the document without what time decides: every
// latency_ms is 0, and of readiness the points of the latency band are taken out.
// Those points are part of the reliability score and of the total, so that both
// are 0 too; every other point that was lost still shows, as its check.
func (d *Document) Digest() (SHA256, error) {
	c := *d
	c.Cases = slices.Clone(d.Cases)
	for i := range c.Cases {
		if _, ok := c.Cases[i].Measurements[LatencyMS]; ok {
			c.Cases[i].Measurements = maps.Clone(c.Cases[i].Measurements)
			c.Cases[i].Measurements[LatencyMS] = Int(0)
		}
	}
	if d.Readiness != nil {
		r := *d.Readiness
		r.Total, r.Areas.Reliability = 0, 0
		r.LostChecks = slices.DeleteFunc(slices.Clone(r.LostChecks), func(k Check) bool { return k.ID == CheckLatency })
		c.Readiness = &r
	}
	data, err := c.Encode()
	if err != nil {
		return SHA256{}, err
	}
	return SHA256Of(data), nil
}
