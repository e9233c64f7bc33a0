package client_test

import (
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/probes/client"
)

// A stopped run ends its server without the patience of an ordinary end: TERM at
// once, KILL after StopGrace, though the grace is longer than the test may take.
func TestStopIsShort(t *testing.T) {
	const never = time.Hour
	t.Run("TERM at once", func(t *testing.T) {
		stop := make(chan struct{})
		c := dial(t, target(t, "ignores-eof-politely"), &client.Options{Clock: newClock(), Grace: never, Stop: stop})
		close(stop)
		c.Close() // no timer goes off
	})
	t.Run("KILL after the grace of a stop", func(t *testing.T) {
		stop := make(chan struct{})
		clock := newClock()
		c := dial(t, target(t, "ignores-eof"), &client.Options{Clock: clock, Grace: never, Stop: stop})
		closed := make(chan struct{})
		go func() { c.Close(); close(closed) }() // an ordinary end, which is then hastened
		close(stop)
		clock.fire(t, client.StopGrace)
		<-closed
	})
	t.Run("not stopped", func(t *testing.T) {
		c := dial(t, target(t, "plain"), &client.Options{Clock: newClock(), Stop: make(chan struct{})})
		c.Close()
	})
}
