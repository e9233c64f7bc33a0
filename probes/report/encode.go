package report

import (
	"slices"

	"github.com/mcpeval/mcpeval/probes/document"
	"github.com/mcpeval/mcpeval/probes/reason"
)

// Encode writes the document: members in their fixed order, measurements sorted,
// numbers exact, two spaces of indentation, a final newline. Hints are set from
// the table of reasons. The error is that of Validate.
func (d *Document) Encode() ([]byte, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	return document.Encode(d.hinted())
}

// hinted is a copy whose hints are those of the table and whose lists and maps
// are none of them nil.
func (d *Document) hinted() *Document {
	c := *d
	c.Cases = slices.Clone(d.Cases)
	if c.Cases == nil {
		c.Cases = []Case{}
	}
	for i := range c.Cases {
		c.Cases[i].Hint = hintOf(c.Cases[i].Reason)
		if c.Cases[i].Measurements == nil {
			c.Cases[i].Measurements = Measurements{}
		}
	}
	if d.Readiness != nil {
		r := *d.Readiness
		r.LostChecks = slices.Clone(r.LostChecks)
		if r.LostChecks == nil {
			r.LostChecks = []Check{}
		}
		for i := range r.LostChecks {
			r.LostChecks[i].Hint = hintOf(r.LostChecks[i].Reason)
		}
		c.Readiness = &r
	}
	return &c
}

func hintOf(l reason.Label) Hint { return Hint(reason.Fix(l)) }

// appendText appends a text of this program as a JSON string.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, c := range []byte(s) {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}
