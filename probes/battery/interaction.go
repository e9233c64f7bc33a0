package battery

import (
	"context"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// labels are the failures of a call during which the server asks something.
type labels struct{ invalid, flood, stalled reason.Label }

// interact makes the one call of a case, on the connection that it took last, and
// judges what the server asked meanwhile. A server that asked nothing has shown
// nothing.
func (e *env) interact(ctx context.Context, call manifest.Call, r *requests, l labels) (verdict, error) {
	a, err := e.attempt(ctx, client.Request{
		Method: "tools/call", Params: toolParams(call), MaxServerRequests: r.most + spare,
	})
	asked, invalid := r.seen()
	// Beyond the bound it is chance, and the server's patience, how many come.
	e.count(report.ServerRequests, min(asked, r.most+1))
	switch {
	case client.KindOf(err) == client.BudgetExceeded:
		return verdict{}, err
	case invalid:
		return e.failed(l.invalid), nil
	case asked > r.most:
		v := over(l.flood, report.MaxRequests, r.most, r.most+1)
		v.first = e.attempts
		return v, nil
	case client.KindOf(err) == client.TransportTimeout && asked > 0:
		return e.failed(l.stalled), nil
	case err != nil:
		return verdict{}, err
	case !a.ok:
		return e.failed(reason.UnexpectedOutcome), nil
	case asked == 0:
		return because(reason.Unobservable), nil
	}
	return verdict{}, nil
}
