package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcpeval/mcpeval/server/app"
)

// The exit codes of every verb but shim, which ends as its child does.
const (
	exitOK         = 0
	exitFound      = 1 // it completed and found something wrong
	exitUsage      = 2 // usage error, nothing was done
	exitIncomplete = 3 // it could not complete
)

// errFound is returned when a verb completed and found something wrong, which
// its output has already told.
var errFound = errors.New("something wrong was found")

// usageError is a mistake in how a verb was called.
type usageError struct {
	what string // what was wrong, and where
	next string // what to type instead
}

func (e *usageError) Error() string { return e.what }

// usagef makes a usageError that points to the verb's help.
func usagef(verb, format string, args ...any) error {
	return &usageError{what: fmt.Sprintf(format, args...), next: "mcpeval " + verb + " --help"}
}

// childExit is the status of a shim's child, to be ended with.
type childExit struct{ code int }

func (e *childExit) Error() string { return fmt.Sprintf("the server ended with status %d", e.code) }

// report prints err to w, unless its output was already made, and returns the
// code to exit with. It is the one place that knows which error means what.
func report(w io.Writer, err error) int {
	// Errors that came together stand on one line.
	text := func(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
	var (
		usage   *usageError
		child   *childExit
		problem *app.Problem
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &child):
		return child.code
	case errors.Is(err, errFound):
		return exitFound
	case errors.As(err, &usage):
		fmt.Fprintf(w, "mcpeval: %s\nnext: %s\n", usage.what, usage.next)
		return exitUsage
	case errors.As(err, &problem):
		fmt.Fprintf(w, "mcpeval: %s\nnext: %s\n", text(err), problem.Next)
		return exitIncomplete
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(w, "mcpeval: interrupted")
		return exitIncomplete
	}
	fmt.Fprintf(w, "mcpeval: %s\n", text(err))
	return exitIncomplete
}
