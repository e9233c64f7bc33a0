// Package lifecycle folds the verifications of one finding into its state.
//
//	          red                  green             2 greens more
//	open ------------> fix-claimed ------> verifying -------------> closed
//	 ^  \_________________________green_______^ |                      |
//	 |__________________________________________|______________________|
//	                  red; or, once closed, a later failure
//
// Invariants: a function of the verifications and failures alone, by their own
// times and never by their arrival. A streak belongs to one definition (case,
// timeout and target): a green one under another definition starts a new
// streak. Green never reopens what is closed.
//
// Non-goals: deciding what a verification is, and storing anything.
package lifecycle

// Closing is how many consecutive green verifications close a finding.
const Closing = 3

// The states.
const (
	Open       = "open"
	FixClaimed = "fix-claimed"
	Verifying  = "verifying"
	Closed     = "closed"
)

// Verification is one result of `verify`.
type Verification struct {
	TS         string // fixed width, so that text order is time order
	Event      string
	Passed     bool
	Definition string
}

// Failure is a captured failure of the finding.
type Failure struct {
	TS    string
	Event string // empty for a record without identity
}

// State is where a finding stands.
type State struct {
	Name        string
	Passes      int64  // consecutive, under Definition
	Definition  string // of the last verification
	ClosedTS    string // when it was closed last, empty if never
	ClosedEvent string
	Regressed   bool // a failure after it was closed reopened it, and it was not closed again
	RegressedBy string
}

// Fold takes the verifications in order of time and event. next gives the first
// failure after a time and not after another one, nil when there is none; an
// empty upTo has no end.
func Fold(verifications []Verification, next func(after, upTo string) (*Failure, error)) (State, error) {
	s := State{Name: Open}
	for _, v := range verifications {
		if err := s.regress(v.TS, next); err != nil {
			return s, err
		}
		s.take(v)
	}
	return s, s.regress("", next)
}

// regress reopens what a failure up to a time shows not to be closed.
func (s *State) regress(upTo string, next func(after, upTo string) (*Failure, error)) error {
	if s.Name != Closed {
		return nil
	}
	f, err := next(s.ClosedTS, upTo)
	if err != nil || f == nil {
		return err
	}
	s.Name, s.Passes, s.Regressed, s.RegressedBy = Open, 0, true, f.Event
	return nil
}

func (s *State) take(v Verification) {
	same := s.Definition == v.Definition
	s.Definition = v.Definition
	switch {
	case !v.Passed && (s.Name == Open || s.Name == FixClaimed):
		s.Name, s.Passes = FixClaimed, 0
	case !v.Passed:
		s.Name, s.Passes = Open, 0
	case !same:
		s.Passes = 1
	default:
		s.Passes++
	}
	if !v.Passed || s.Name == Closed {
		return
	}
	s.Name = Verifying
	if s.Passes >= Closing {
		s.Name, s.ClosedTS, s.ClosedEvent = Closed, v.TS, v.Event
		s.Regressed, s.RegressedBy = false, ""
	}
}
