package battery

import (
	"context"
	"errors"
	"slices"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// protocolNegotiation asks for the version in use, for one that does not exist,
// and for every version that the server claims. Each initialize has a connection
// of its own.
type protocolNegotiation struct{ *manifest.ProtocolNegotiation }

const codeUnsupportedVersion = -32022

func (p protocolNegotiation) run(ctx context.Context, e *env) (verdict, error) {
	if slices.Contains(client.Revisions(), p.BogusVersion) {
		return because(reason.Unobservable), nil // the manifest's version exists
	}
	if n, ok := report.RevisionOf(e.revision).Number(); ok {
		e.measured[report.ProtocolRevision] = n
	}
	if e.revision == client.Revision2026 {
		return p.stateless(ctx, e)
	}
	answered, refused, err := p.initialize(ctx, e, p.BogusVersion)
	if err != nil {
		return verdict{}, err
	}
	switch {
	case refused:
	case !dated(answered):
		return because(reason.NegotiationInvalid), nil
	case answered == p.BogusVersion:
		return because(reason.NegotiationEchoedUnknown), nil
	default:
		if v, err := p.granted(ctx, e, answered); err != nil || v.reason != "" {
			return v, err
		}
	}
	answered, refused, err = p.initialize(ctx, e, e.revision)
	switch {
	case err != nil:
		return verdict{}, err
	case !refused && !dated(answered):
		return because(reason.NegotiationInvalid), nil
	case refused, answered > e.revision:
		return because(reason.NegotiationInconsistent), nil
	}
	return verdict{}, nil
}

// granted asks for a version that the server claims. One that nobody here speaks
// is asked for all the same: the server does.
func (p protocolNegotiation) granted(ctx context.Context, e *env, version string) (verdict, error) {
	answered, refused, err := p.initialize(ctx, e, version)
	switch {
	case err != nil:
		return verdict{}, err
	case !refused && !dated(answered):
		return because(reason.NegotiationInvalid), nil
	case refused, answered != version:
		return because(reason.NegotiationInconsistent), nil
	}
	return verdict{}, nil
}

// initialize offers a version on a fresh connection and returns what the server
// answers with, "" for no text. refused tells that it answered with an error.
func (p protocolNegotiation) initialize(ctx context.Context, e *env, version string) (answered string, refused bool, err error) {
	conn, err := e.fresh(ctx, func(o *client.Options) { o.NoHandshake = true })
	if err != nil {
		return "", false, err
	}
	defer e.release(conn)
	e.attempts++
	response, err := conn.Initialize(ctx, version)
	if f, ok := errors.AsType[*client.Fault](err); ok && 400 <= f.Status && f.Status < 500 {
		return "", true, nil
	}
	if err != nil {
		return "", false, err
	}
	if response.Error != nil {
		return "", true, nil
	}
	v, _ := response.Result.Get("protocolVersion")
	answered, _ = v.Text()
	return answered, false, nil
}

// stateless judges a server of 2026-07-28, which names its versions and takes
// one with every request.
func (p protocolNegotiation) stateless(ctx context.Context, e *env) (verdict, error) {
	conn, err := e.common(ctx)
	if err != nil {
		return verdict{}, err
	}
	e.attempts = 1
	response, err := conn.Discover(ctx, client.Revision2026)
	if err != nil {
		return verdict{}, err
	}
	listed, ok := datedList(response.Result, "supportedVersions")
	if response.Error != nil || !ok {
		return because(reason.NegotiationInvalid), nil
	}
	e.count(report.Versions, len(listed))
	if !slices.Contains(listed, client.Revision2026) {
		return because(reason.NegotiationInconsistent), nil
	}

	e.attempts = 2
	response, err = conn.Discover(ctx, p.BogusVersion)
	var refusal *client.RPCError
	if f, ok := errors.AsType[*client.Fault](err); ok {
		// Over HTTP the error may come without the request's id.
		if refusal = f.RPC; refusal == nil {
			return verdict{}, err
		}
	} else if refusal = response.Error; refusal == nil {
		return because(reason.NegotiationEchoedUnknown), nil
	}
	supported, ok := datedList(refusal.Data, "supported")
	if refusal.Code != codeUnsupportedVersion || !ok {
		return because(reason.NegotiationInvalid), nil
	}
	if !slices.Equal(supported, listed) {
		return because(reason.NegotiationInconsistent), nil
	}
	for _, version := range listed {
		if version == client.Revision2026 || !slices.Contains(client.Revisions(), version) {
			continue
		}
		if v, err := p.granted(ctx, e, version); err != nil || v.reason != "" {
			return v, err
		}
	}
	return verdict{}, nil
}

// datedList is a list of versions, sorted and each once; ok is false unless it
// has at least one and all are dates.
func datedList(v rawjson.Value, name string) (list []string, ok bool) {
	versions, _ := v.Get(name)
	for element := range versions.Elements() {
		text, _ := element.Text()
		if !dated(text) {
			return nil, false
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return slices.Compact(list), len(list) > 0
}

// dated reports whether a version has the form YYYY-MM-DD.
func dated(version string) bool {
	_, ok := report.RevisionOf(version).Number()
	return ok
}
