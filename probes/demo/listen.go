package demo

import (
	"context"
	"encoding/json"
	"slices"
)

// listener is one subscriptions/listen of 2026-07-28.
type listener struct {
	id      json.RawMessage
	uris    []string
	updates chan string
}

// update notes an update of a resource; one that the client is too slow for is
// dropped.
func (l *listener) update(uri string) {
	if !slices.Contains(l.uris, uri) {
		return
	}
	select {
	case l.updates <- uri:
	default:
	}
}

func (l *listener) meta() object { return object{metaSubscription: l.id} }

// listen answers subscriptions/listen: an acknowledgement at once, then updates
// until the client cancels or the server ends. Of what can be listened to, only
// resources ever change.
func (x *exchange) listen() reply {
	filter := child(x.request.params, "notifications")
	if filter == nil {
		return refusal(codeInvalidParams, "subscriptions/listen needs the notifications to listen for")
	}
	var asked []string
	if raw := filter["resourceSubscriptions"]; raw != nil && json.Unmarshal(raw, &asked) != nil {
		return refusal(codeInvalidParams, "resourceSubscriptions must be a list of URIs")
	}
	l := &listener{id: x.request.id, updates: make(chan string, outboxSize)}
	for _, uri := range asked {
		if _, ok := contents(uri); ok {
			l.uris = append(l.uris, uri)
		}
	}
	if hook := x.server.aspect.listening; hook != nil {
		hook(l)
	}
	s := x.server
	s.mu.Lock()
	s.listeners[l] = true
	s.mu.Unlock()
	x.send(line(notification("notifications/subscriptions/acknowledged", object{"_meta": l.meta(), "notifications": l.honoured()})))
	return reply{later: func(ctx context.Context) reply {
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.listeners, l)
		}()
		return x.follow(ctx, l)
	}}
}

func (l *listener) honoured() object {
	if len(l.uris) == 0 {
		return object{}
	}
	return object{"resourceSubscriptions": l.uris}
}

// follow sends updates until the end. Those that came before the server's end
// are still sent.
func (x *exchange) follow(ctx context.Context, l *listener) reply {
	for {
		select {
		case uri := <-l.updates:
			x.send(l.line(uri))
		case <-ctx.Done():
			return silence()
		case <-x.gone:
			return silence()
		case <-x.session.ctx.Done():
			for range len(l.updates) {
				x.send(l.line(<-l.updates))
			}
			return reply{result: object{"resultType": "complete", "_meta": l.meta()}}
		}
	}
}

func (l *listener) line(uri string) []byte {
	return line(notification("notifications/resources/updated", object{"_meta": l.meta(), "uri": uri}))
}
