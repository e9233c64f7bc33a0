package app

import "errors"

var errServer = errors.New("the server's label must be 1 to 128 of A-Z a-z 0-9 _ . : -")

// InputError is a mistake in what was asked for. Nothing was evaluated, and no
// tool was called.
type InputError struct {
	// Err says what is wrong and where.
	Err error
	// Next says what to do about it, "" when Err says it.
	Next string
}

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap gives Err.
func (e *InputError) Unwrap() error { return e.Err }
