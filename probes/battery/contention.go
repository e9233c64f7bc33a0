package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
)

// contention makes the same call from two clients at once. Which of them fails
// is chance, so that the verdict does not say.
type contention struct{ *manifest.Contention }

func (p contention) run(ctx context.Context, e *env) (verdict, error) {
	first, err := e.fresh(ctx, nil)
	if err != nil {
		return verdict{}, err
	}
	second, err := e.fresh(ctx, nil)
	if client.KindOf(err) == client.ServerNotStarted {
		// What the first client holds keeps the second one out.
		return because(reason.ContendedClientFailed), nil
	}
	if err != nil {
		return verdict{}, err
	}
	q := client.Request{Method: "tools/call", Params: toolParams(p.Call)}
	e.attempts, e.together = 2, true
	var fault error
	failed := false
	for _, call := range []*client.Pending{first.Start(ctx, q), second.Start(ctx, q)} {
		<-call.Done()
		var a *answer
		response, err := call.Result()
		if err == nil {
			a, err = answerOf(response)
		}
		if err != nil {
			fault = err
			continue
		}
		failed = failed || !a.ok
	}
	switch {
	case fault != nil:
		return verdict{}, fault
	case failed:
		return because(reason.ContendedClientFailed), nil
	}
	return verdict{}, nil
}
