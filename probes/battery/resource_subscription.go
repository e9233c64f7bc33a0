package battery

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// resourceSubscription reads a resource, subscribes to it, pulls the trigger,
// waits for an update and unsubscribes.
type resourceSubscription struct{ *manifest.ResourceSubscription }

// watch sees what a subscription brings.
type watch struct {
	uri     string
	updated chan struct{} // closed at the first update
	agreed  chan struct{} // closed when a stateless server has acknowledged

	mu       sync.Mutex // guards what follows
	updates  int
	agreeing bool
	honoured bool // the acknowledgement names the resource
}

// see is a client.Options.OnNotification.
func (w *watch) see(method string, params rawjson.Value) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch method {
	case "notifications/resources/updated":
		v, _ := params.Get("uri")
		if uri, _ := v.Text(); partOf(uri, w.uri) {
			if w.updates++; w.updates == 1 {
				close(w.updated)
			}
		}
	case "notifications/subscriptions/acknowledged":
		filter, _ := params.Get("notifications")
		list, _ := filter.Get("resourceSubscriptions")
		for v := range list.Elements() {
			uri, _ := v.Text()
			w.honoured = w.honoured || uri == w.uri
		}
		if !w.agreeing {
			w.agreeing = true
			close(w.agreed)
		}
	}
}

// partOf reports whether a URI is that of a resource or of a part of it.
func partOf(uri, of string) bool {
	rest, ok := strings.CutPrefix(uri, of)
	return ok && (rest == "" || strings.HasSuffix(of, "/") || strings.ContainsRune("/?#", rune(rest[0])))
}

func (p resourceSubscription) run(ctx context.Context, e *env) (verdict, error) {
	w := &watch{uri: p.URI, updated: make(chan struct{}), agreed: make(chan struct{})}
	conn, err := e.fresh(ctx, func(o *client.Options) { o.OnNotification = w.see })
	if err != nil {
		return verdict{}, err
	}
	facts := conn.Facts()
	if !facts.Declares("resources", "subscribe") {
		return because(reason.CapabilityAbsent), nil
	}
	response, err := conn.Call(ctx, "resources/read", p.params())
	if err != nil {
		return verdict{}, err
	}
	e.attempts = 1
	contents, _ := response.Result.Get("contents")
	if response.Error != nil || contents.Kind() != rawjson.Array || contents.Len() == 0 {
		return because(reason.ResourceUnreadable), nil
	}

	end, l, err := p.subscribe(ctx, e, conn, w, facts.Lifecycle)
	if err != nil || l != "" {
		return because(l), err
	}
	for _, trigger := range p.Calls() {
		a, err := e.call(ctx, trigger)
		if err != nil {
			return verdict{}, err
		}
		if !a.ok {
			return e.failed(reason.UnexpectedOutcome), nil
		}
	}
	came, err := e.wait(ctx, w.updated, time.Duration(p.MaxWaitSeconds)*time.Second)
	if err != nil {
		return verdict{}, err
	}
	e.count(report.Notifications, 0)
	if !came {
		return over(reason.SubscriptionMissing, report.MaxWaitSeconds, p.MaxWaitSeconds, 0), nil
	}
	e.count(report.Notifications, 1) // how many more come is chance
	return end()
}

func (p resourceSubscription) params() []byte {
	return append(appendText([]byte(`{"uri":`), p.URI), '}')
}

// subscribe subscribes as the lifecycle wants it. end unsubscribes.
func (p resourceSubscription) subscribe(ctx context.Context, e *env, conn *client.Conn, w *watch, life client.Lifecycle) (end func() (verdict, error), _ reason.Label, err error) {
	if life == client.Stateless {
		return p.listen(ctx, e, conn, w)
	}
	stream, err := conn.Listen(ctx, nil)
	if err != nil {
		return nil, "", err
	}
	response, err := conn.Call(ctx, "resources/subscribe", p.params())
	if err != nil {
		return nil, "", err
	}
	if response.Error != nil {
		return nil, reason.SubscriptionRejected, nil
	}
	return func() (verdict, error) {
		response, err := conn.Call(ctx, "resources/unsubscribe", p.params())
		_ = stream.Close() // what is wrong with it would have shown before
		if err != nil {
			return verdict{}, err
		}
		if response.Error != nil {
			return because(reason.SubscriptionRejected), nil
		}
		return verdict{}, nil
	}, "", nil
}

// listen subscribes to a stateless server, which has to acknowledge it.
func (p resourceSubscription) listen(ctx context.Context, e *env, conn *client.Conn, w *watch) (end func() (verdict, error), _ reason.Label, err error) {
	filter := append(appendText([]byte(`{"resourceSubscriptions":[`), p.URI), ']', '}')
	stream, err := conn.Listen(ctx, filter)
	if err != nil {
		return nil, "", err
	}
	either := make(chan struct{})
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-w.agreed:
		case <-stream.Done():
		case <-stop:
			return
		}
		close(either)
	}()
	came, err := e.wait(ctx, either, time.Duration(p.MaxWaitSeconds)*time.Second)
	if err != nil {
		return nil, "", err
	}
	w.mu.Lock()
	honoured := w.honoured
	w.mu.Unlock()
	if came && honoured {
		return func() (verdict, error) { return verdict{}, stream.Close() }, "", nil
	}
	err = stream.Close()
	if f, ok := errors.AsType[*client.Fault](err); ok && f.RPC == nil {
		return nil, "", f
	}
	return nil, reason.SubscriptionRejected, nil
}
