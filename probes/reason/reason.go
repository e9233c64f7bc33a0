package reason

import (
	"slices"
	"strings"
	"sync"
)

// Label names a reason. The zero value means that there is none; it is null in
// JSON.
type Label string

// MarshalJSON writes null for the zero value. A label is made of letters, digits,
// hyphens and underscores, so that nothing needs escaping; any other is written
// as null.
func (l Label) MarshalJSON() ([]byte, error) {
	if !l.Known() {
		return []byte("null"), nil
	}
	return []byte(`"` + string(l) + `"`), nil
}

// Known reports whether the table has l.
func (l Label) Known() bool {
	_, ok := byLabel()[l]
	return ok
}

// Class says what a reason does to a case or a run.
type Class uint8

// The classes.
const (
	// Failure: the case was judged and failed.
	Failure Class = iota + 1
	// Fault: the case could not be judged to its end, so it did not pass and the
	// run could not complete.
	Fault
	// NotApplicable: the case does not apply to this server, so it neither passed
	// nor failed.
	NotApplicable
	// NotRun: the case was never begun.
	NotRun
	// Unmeasured: the readiness battery has no result.
	Unmeasured
	// Gate: the gate fails although no case need have.
	Gate
	// Points: a check of readiness lost points; no case has the reason.
	Points
)

func (c Class) String() string {
	return [...]string{"", "failure", "fault", "not applicable", "not run", "readiness unmeasured", "gate", "readiness points"}[c]
}

// Reason is one row of the table.
type Reason struct {
	Label   Label
	Class   Class
	Meaning string // one line: what was seen
	Fix     string // one line: what to change, in the server unless it says otherwise
	Explain string // some sentences: how it is judged, why it matters
	Kinds   []Kind // that may give it, in the order of Kinds
}

// All is the whole table: failures by the kind that gives them, then faults,
// then the rest.
func All() []Reason {
	return slices.Concat(callReasons(), catalogReasons(), interactionReasons(), runReasons(), pointsReasons())
}

// byLabel is the table for lookups, built when it is first asked for. What it
// holds is never changed and never given away.
var byLabel = sync.OnceValue(func() map[Label]Reason {
	m := make(map[Label]Reason)
	for _, r := range All() {
		m[r.Label] = r
	}
	return m
})

// Of finds a reason by its label.
func Of(l Label) (Reason, bool) {
	r, ok := byLabel()[l]
	r.Kinds = slices.Clone(r.Kinds)
	return r, ok
}

// ClassOf is the class of a label, or 0.
func ClassOf(l Label) Class { return byLabel()[l].Class }

// Fix is the one-line remedy of a label, or "".
func Fix(l Label) string { return byLabel()[l].Fix }

// Gives reports whether a case of this kind may have the reason.
func (r Reason) Gives(k Kind) bool { return slices.Contains(r.Kinds, k) }

// Labels are the labels of all reasons, in the order of All.
func Labels() []Label {
	var list []Label
	for _, r := range All() {
		list = append(list, r.Label)
	}
	return list
}

// Nearest is the label that looks most like text, for a message about an unknown
// one; "" when none does.
func Nearest(text string) Label {
	const most = 64 // bytes of text that are looked at
	text = fold(text[:min(len(text), most)])
	var best Label
	length := 3 // a shared run of fewer characters is chance
	for _, l := range Labels() {
		for i := range len(text) {
			for j := len(text); j-i > length; j-- {
				if strings.Contains(fold(string(l)), text[i:j]) {
					best, length = l, j-i
				}
			}
		}
	}
	return best
}

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }
