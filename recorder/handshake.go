package recorder

import (
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// firstStateless is the first revision without a handshake.
const firstStateless = "2026-07-28"

// hello is what the client declares in a request that may open a session.
type hello struct {
	revision   sanitize.Revision // zero in an initialize: the server decides
	caps       sanitize.Capabilities
	capsOthers int64
}

// hands holds the last handshake that was recorded.
type hands struct {
	last journal.Handshake
	used journal.Handshake // scratch for the sink
}

// lifecycle is zero before the first handshake.
func (h *hands) lifecycle() journal.Lifecycle { return h.last.Lifecycle }

// meta is the part of a request's _meta that matters here.
type meta struct {
	progressToken   rawjson.Value
	protocolVersion rawjson.Value
	capabilities    rawjson.Value
}

func readMeta(v rawjson.Value) (m meta) {
	for key, value := range v.Members() {
		switch {
		case key.Is("progressToken"):
			m.progressToken = value
		case key.Is("io.modelcontextprotocol/protocolVersion"):
			m.protocolVersion = value
		case key.Is("io.modelcontextprotocol/clientCapabilities"):
			m.capabilities = value
		}
	}
	return m
}

// asked keeps what a request of the client declares, for as long as its
// response may make a handshake of it.
func (h *hands) asked(q *request, m *wire.Message, meta meta) {
	if q.key.by != journal.FromClient {
		return
	}
	if q.role == initialize {
		q.hello = new(hello)
		q.hello.caps, q.hello.capsOthers = sanitize.CapabilitiesOf(m.Params.Capabilities)
		return
	}
	if meta.protocolVersion.IsZero() || h.lifecycle() == journal.Stateless && q.role != discover {
		return
	}
	q.hello = &hello{revision: revisionOf(meta.protocolVersion)}
	q.hello.caps, q.hello.capsOthers = sanitize.CapabilitiesOf(meta.capabilities)
}

// shakeHands records what a result shows to be agreed, if it is news.
func (c *Correlator) shakeHands(q *request, at time.Time, r *wire.Result) {
	if r.Kind != rawjson.Object || q.key.by != journal.FromClient {
		return
	}
	var said hello
	if q.hello != nil {
		said = *q.hello
	}
	now := journal.Handshake{ClientCaps: said.caps, ClientCapsOthers: said.capsOthers}
	switch {
	case q.role == initialize:
		now.Lifecycle = journal.Stateful
		now.Protocol = revisionOf(r.ProtocolVersion)
	case q.role == discover:
		revision, ok := agreed(said.revision, r.SupportedVersions)
		if !ok {
			return
		}
		now.Lifecycle, now.Protocol = journal.Stateless, revision
	case q.hello == nil, c.hands.lifecycle() == journal.Stateless:
		return
	case c.hands.lifecycle() == journal.Stateful && r.Type.IsZero():
		return // the server goes on as agreed and ignores the request's _meta
	default:
		now.Lifecycle, now.Protocol = journal.Stateless, said.revision
	}
	now.ServerCaps, now.ServerCapsOthers = sanitize.CapabilitiesOf(r.Capabilities)
	c.counts.established = true
	if now == c.hands.last {
		return
	}
	c.hands.last, c.hands.used = now, now
	c.emit(at, &c.hands.used)
}

// agreed is the revision that a discovery settles: the one asked for when the
// server supports it, or without one the newest supported. A server may list
// only revisions that need a handshake: then nothing is settled.
func agreed(asked sanitize.Revision, supported rawjson.Value) (revision sanitize.Revision, ok bool) {
	for v := range supported.Elements() {
		s := revisionOf(v)
		switch {
		case !isDate(s) || s.String() < firstStateless:
		case asked.IsZero():
			if s.String() > revision.String() {
				revision = s
			}
		case s == asked:
			revision = s
		}
	}
	return revision, !revision.IsZero()
}

func revisionOf(v rawjson.Value) sanitize.Revision {
	return sanitize.RevisionOf(v.AppendText(nil))
}

// isDate tells a revision from "unlisted".
func isDate(r sanitize.Revision) bool {
	s := r.String()
	return s != "" && s[0] >= '0' && s[0] <= '9'
}
