package app

// Problem is an error whose remedy is known.
type Problem struct {
	// Err says what was wrong and where.
	Err error
	// Next says what to do about it, as a person would type it where that is a
	// command.
	Next string
}

func (p *Problem) Error() string { return p.Err.Error() }

// Unwrap gives Err.
func (p *Problem) Unwrap() error { return p.Err }
