package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// asking is what a tool asks of its client, one time after the other.
type asking struct {
	method     string // sampling/createMessage or elicitation/create
	capability string // that the client must declare
	params     object
	usable     func(answer members) bool

	times  int  // 1, unless an aspect asks more often
	always bool // ask also a client that declares nothing
	stalls bool // never finish after the answers
}

// ask asks the client. answer is nil when the client cannot be asked or
// refused; when o is not nil, the call ends, or has to be made again, with it.
func (x *exchange) ask(ctx context.Context, c *toolCall, a *asking) (answer members, o *outcome) {
	a.times = 1
	if hook := x.server.aspect.asking; hook != nil {
		hook(a)
	}
	known := a.capability != "elicitation" || x.revision >= revision2025b
	if !a.always && (x.client[a.capability] == nil || !known) {
		return nil, nil
	}
	if x.modern() {
		answer, o = x.require(c, a)
	} else {
		answer, o = x.inquire(ctx, a)
	}
	if o == nil && a.stalls {
		o = &outcome{silent: true}
	}
	return answer, o
}

// inquire asks with requests of our own, as the revisions with a handshake do.
func (x *exchange) inquire(ctx context.Context, a *asking) (members, *outcome) {
	var last members
	for range a.times {
		id, answer := x.session.expect()
		x.send(line(&outgoing{Version: "2.0", ID: id, Method: a.method, Params: a.params}))
		select {
		case got := <-answer:
			if got.refused || !a.usable(got.result) {
				last = nil
				continue
			}
			last = got.result
		case <-ctx.Done():
			return nil, &outcome{cancel: true}
		case <-x.session.ctx.Done():
			return nil, &outcome{silent: true}
		case <-x.gone:
			return nil, &outcome{silent: true}
		}
	}
	return last, nil
}

// require asks as 2026-07-28 does: the result says what input is required, and
// the client makes the call again with it.
func (x *exchange) require(c *toolCall, a *asking) (members, *outcome) {
	round := 0
	if given := x.request.params["requestState"]; given != nil {
		var ok bool
		if round, ok = openState(c.key, text(x.request.params, "requestState")); !ok {
			o := refused(&failed{Code: codeInvalidParams, Message: "requestState is not what the server gave"})
			return nil, &o
		}
	}
	responses := child(x.request.params, "inputResponses")
	answer := child(responses, inputKey(round))
	if round > 0 && (answer == nil || !a.usable(answer)) {
		round-- // the answer is missing or makes no sense: ask again
	}
	if round >= a.times {
		return answer, nil
	}
	return nil, &outcome{needed: object{
		"inputRequests": object{inputKey(round + 1): object{"method": a.method, "params": a.params}},
		"requestState":  sealState(c.key, round+1),
	}}
}

func inputKey(round int) string { return "input-" + strconv.Itoa(round) }

// sealState is the state of a call of which round questions have been asked. It
// is bound to the call, so that it fits no other.
func sealState(key string, round int) string {
	sum := sha256.Sum256([]byte("mcpeval-demo " + strconv.Itoa(round) + " " + key))
	return strconv.Itoa(round) + "." + hex.EncodeToString(sum[:8])
}

func openState(key, state string) (round int, ok bool) {
	digits, _, _ := strings.Cut(state, ".")
	round, err := strconv.Atoi(digits)
	return round, err == nil && round > 0 && sealState(key, round) == state
}
