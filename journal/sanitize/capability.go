package sanitize

import "github.com/mcpeval/mcpeval/journal/rawjson"

// capabilityNames is the closed set of the specification, sorted. A name's
// index is its bit; bits are never stored, so the order may change.
var capabilityNames = [...]string{
	"completions", "elicitation", "experimental", "extensions", "logging",
	"prompts", "resources", "roots", "sampling", "tasks", "tools",
}

// Names lists the set in sorted order.
func (v Capabilities) Names() []string {
	var names []string
	for i, s := range capabilityNames {
		if v.bits&(1<<i) != 0 {
			names = append(names, s)
		}
	}
	return names
}

// AddName adds a name that sorts behind every name of the set, and reports
// whether b is one: reading a list with it accepts only what Names writes.
func (v *Capabilities) AddName(b []byte) bool {
	i := capabilityBit(b)
	if i < 0 || v.bits>>i != 0 {
		return false
	}
	v.bits |= 1 << i
	return true
}

func capabilityBit(b []byte) int {
	for i, s := range capabilityNames {
		if s == string(b) {
			return i
		}
	}
	return -1
}

// CapabilitiesOf reads the names of a capabilities object. Members outside the
// specification, and repeats, are only counted.
func CapabilitiesOf(v rawjson.Value) (set Capabilities, others int64) {
	var scratch []byte
	for key := range v.Members() {
		text, _ := decode(key.Raw(), &scratch)
		i := capabilityBit(text)
		if i < 0 || set.bits&(1<<i) != 0 {
			others++
			continue
		}
		set.bits |= 1 << i
	}
	return set, others
}
