package client_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/recorder"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// methods collects the methods and outcomes of recorded calls.
type methods []string

func (m *methods) Add(_ time.Time, b journal.Body) (uuid.UUID, error) {
	if call, ok := b.(*journal.Call); ok {
		*m = append(*m, call.Method.String()+" "+call.Outcome.String())
	}
	return uuid.Nil, nil
}

// TestTapFeedsTheCorrelator records a connection the way a probe run does.
func TestTapFeedsTheCorrelator(t *testing.T) {
	p := newPeer(t, &peer{session: "s"})
	for _, to := range []client.Target{target(t, "plain"), {URL: p.URL}} {
		var got methods
		correlator := recorder.NewCorrelator(&got, sanitize.New([32]byte{}))
		scanner := wire.NewScanner(nil)
		c := dial(t, to, &client.Options{Tap: func(dir journal.Direction, frame []byte, at time.Time) {
			correlator.Frame(recorder.Read{Channel: 1, Direction: dir, At: at}, scanner.ScanBody(frame))
		}})
		if _, err := c.Call(context.Background(), "tools/call", []byte(`{"name":"t","arguments":{}}`)); err != nil {
			t.Fatal(err)
		}
		c.Close()
		if diff := cmp.Diff("tools/call ok", got[len(got)-1]); diff != "" {
			t.Errorf("%v:\n%s", got, diff)
		}
	}
}
