package demo

import (
	"fmt"
	"strings"
	"time"
)

// Aspect is one way in which the server can be broken. The zero value is the
// clean server. A hook that is nil changes nothing; call numbers count the
// tools/call requests of the session from 1.
type Aspect struct {
	// Name is what --broken takes.
	Name string
	// Text says in one line what the server then does.
	Text string

	banner      string                              // written before anything else
	noise       func(call int) string               // written before the answer to a call
	fail        func(call int, tool string) *failed // a JSON-RPC error in place of a call's result
	hang        func(tool string) bool              // the call is never answered
	exit        func(call int) bool                 // the server ends instead of answering
	unknownTool bool                                // an unknown tool looks like success
	isError     func(failed bool) any               // the value of isError in every result
	delay       time.Duration                       // before the answer to a call
}

// Aspects are all aspects, by name.
func Aspects() []Aspect {
	return []Aspect{
		{
			Name: "exit-mid-call",
			Text: "the process ends in the middle of the third tool call",
			exit: func(call int) bool { return call == 3 },
		},
		{
			Name: "flaky",
			Text: "every third tool call fails with an error that says it can be retried",
			fail: func(call int, _ string) *failed {
				if call%3 != 0 {
					return nil
				}
				return &failed{
					Code:    503,
					Message: "the station did not answer in time; try again",
					Data:    map[string]any{"retryable": true},
				}
			},
		},
		{
			Name: "hung-call",
			Text: "calls of search_notes are never answered",
			hang: func(tool string) bool { return tool == "search_notes" },
		},
		{
			Name:    "is-error-non-boolean",
			Text:    "isError is the string \"true\" or \"false\"",
			isError: func(failed bool) any { return fmt.Sprint(failed) },
		},
		{
			Name:  "slow",
			Text:  "every tool call takes two seconds",
			delay: 2 * time.Second,
		},
		{
			Name:   "stdout-noise",
			Text:   "log lines stand between the messages on stdout, a banner before the first",
			banner: "Demo server 1.0 is ready\n",
			noise:  func(call int) string { return fmt.Sprintf("[info] answering call %d\n", call) },
		},
		{
			Name:        "unknown-tool-success",
			Text:        "a call of a tool that does not exist looks like a success",
			unknownTool: true,
		},
	}
}

// FindAspect returns the aspect of that name; "" is the clean server.
func FindAspect(name string) (Aspect, bool) {
	if name == "" {
		return Aspect{}, true
	}
	for _, a := range Aspects() {
		if a.Name == name {
			return a, true
		}
	}
	return Aspect{}, false
}

// AspectNames are the names of all aspects, for messages.
func AspectNames() string {
	var names []string
	for _, a := range Aspects() {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}
