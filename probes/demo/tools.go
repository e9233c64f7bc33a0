package demo

import (
	"context"
	"slices"
)

// tool is one entry of tools/list with what it does. run and slow get arguments
// that the schema accepts; one of them is set. slow may take time and ends early
// with its context.
type tool struct {
	name, title, description string
	input, output            *schema
	writes                   bool
	run                      func(x *exchange, c *toolCall) outcome
	slow                     func(ctx context.Context, x *exchange, c *toolCall) outcome
}

// plain makes the run of a tool that needs its arguments only.
func plain(f func(args object) outcome) func(*exchange, *toolCall) outcome {
	return func(_ *exchange, c *toolCall) outcome { return f(c.args) }
}

// tools are all tools of the clean server, in catalog order.
func tools() []tool {
	return slices.Concat(weatherTools(), noteTools(), stationTools(), askTools(), otherTools())
}
