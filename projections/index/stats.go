package index

import (
	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal"
)

// stats keeps the counters behind the everyday questions, by deltas: what they
// cost does not grow with the history. Counts follow the rows of calls, which
// may go again; first and last times are over events, which never do.
type stats struct {
	totals   map[totalKey]*total
	types    map[typeKey]*typeTotal
	sessions map[sessionKey]*sessionTotal
	tools    map[toolKey]*toolTotal
	last     *sessionTotal // of the record before, mostly the same
	lastKey  sessionKey

	putTotal, putType, putSession, putTool, putLatency, putSize *statement
}

type (
	totalKey struct {
		server, tool, method, outcome string
		origin                        journal.Origin
		kind                          journal.Kind
		typ                           journal.Type
	}
	typeKey struct {
		typ    journal.Type
		legacy bool
	}
	sessionKey struct{ session, server string }
	toolKey    struct{ server, tool string }
)

type total struct {
	rows int64
	tool *toolTotal // nil unless the row is a real tools/call of a client
}

type typeTotal struct{ events, bytes int64 }

type sessionTotal struct {
	requests, calls, failures               int64
	requestBytes, responseBytes, listsBytes int64
	waitedUS                                int64
	first, last                             string
}

type toolTotal struct {
	calls, ok, errors, inputRequired, cancelled, unanswered, unknown int64
	requestBytes, responseBytes, responses                           int64
	latencies, latencySum, latencyMax                                int64
	first, last                                                      string
	latency, sizes                                                   map[int64]int64
}

// maxKeptStats bounds the counters in memory.
const maxKeptStats = 1 << 15

func (*stats) Name() string { return "stats" }
func (*stats) Version() int { return 1 }

func (w *stats) Start(conn *sqlite.Conn) (err error) {
	w.reset()
	for _, s := range []struct {
		to    **statement
		query string
	}{
		{&w.putTotal, `INSERT INTO totals(type, kind, origin, server, method, tool, outcome, rows) VALUES (?,?,?,?,?,?,?,?)
			ON CONFLICT DO UPDATE SET rows = rows + excluded.rows`},
		{&w.putType, `INSERT INTO event_types(type, legacy, events, bytes) VALUES (?,?,?,?)
			ON CONFLICT DO UPDATE SET events = events + excluded.events, bytes = bytes + excluded.bytes`},
		{&w.putSession, `INSERT INTO session_stats(session, server, requests, calls, failures, request_bytes, response_bytes,
			catalog_bytes, waited_us, first_ts, last_ts) VALUES (?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, calls = calls + excluded.calls,
			failures = failures + excluded.failures, request_bytes = request_bytes + excluded.request_bytes,
			response_bytes = response_bytes + excluded.response_bytes, catalog_bytes = catalog_bytes + excluded.catalog_bytes,
			waited_us = waited_us + excluded.waited_us,
			first_ts = CASE excluded.first_ts WHEN '' THEN first_ts ELSE min(first_ts, excluded.first_ts) END, last_ts = max(last_ts, excluded.last_ts)`},
		{&w.putTool, `INSERT INTO tool_stats(server, tool, calls, ok, errors, input_required, cancelled, unanswered, unknown,
			request_bytes, response_bytes, responses, latencies, latency_us_sum, latency_us_max, first_ts, last_ts)
			VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, ok = ok + excluded.ok, errors = errors + excluded.errors,
			input_required = input_required + excluded.input_required, cancelled = cancelled + excluded.cancelled,
			unanswered = unanswered + excluded.unanswered, unknown = unknown + excluded.unknown,
			request_bytes = request_bytes + excluded.request_bytes, response_bytes = response_bytes + excluded.response_bytes,
			responses = responses + excluded.responses, latencies = latencies + excluded.latencies,
			latency_us_sum = latency_us_sum + excluded.latency_us_sum, latency_us_max = max(latency_us_max, excluded.latency_us_max),
			first_ts = CASE excluded.first_ts WHEN '' THEN first_ts ELSE min(first_ts, excluded.first_ts) END, last_ts = max(last_ts, excluded.last_ts)`},
		{&w.putLatency, `INSERT INTO tool_latency(server, tool, bucket, n) VALUES (?,?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n`},
		{&w.putSize, `INSERT INTO tool_response(server, tool, bucket, n) VALUES (?,?,?,?) ON CONFLICT DO UPDATE SET n = n + excluded.n`},
	} {
		if *s.to, err = prepare(conn, s.query); err != nil {
			return err
		}
	}
	return nil
}

func (w *stats) reset() {
	w.totals, w.types = map[totalKey]*total{}, map[typeKey]*typeTotal{}
	w.sessions, w.tools = map[sessionKey]*sessionTotal{}, map[toolKey]*toolTotal{}
	w.last = nil
}

func (w *stats) Apply(b *Batch) error {
	for i := range b.Records {
		w.seen(&b.Records[i])
	}
	for _, r := range b.Added {
		w.count(r, 1)
	}
	for _, r := range b.Removed {
		w.count(r, -1)
	}
	if len(w.totals)+len(w.sessions)+len(w.tools) > maxKeptStats {
		return w.Finish()
	}
	return nil
}

// seen counts the event itself and widens first and last times.
func (w *stats) seen(r *Record) {
	key := typeKey{r.Body.Type(), r.Legacy}
	t := w.types[key]
	if t == nil {
		t = &typeTotal{}
		w.types[key] = t
	}
	t.events++
	t.bytes += r.Bytes
	if r.Kind != journal.Real {
		return
	}
	row, ok := r.Row()
	if !ok {
		return
	}
	s := w.session(r)
	s.first, s.last = earlier(s.first, r.Time), max(s.last, r.Time)
	if row.ToolCall() {
		t := w.tool(toolKey{r.Server.String(), row.Tool})
		t.first, t.last = earlier(t.first, r.Time), max(t.last, r.Time)
	}
}

func earlier(a, b string) string {
	if a == "" {
		return b
	}
	return min(a, b)
}

func (w *stats) session(r *Record) *sessionTotal {
	key := sessionKey{r.Session.String(), r.Server.String()}
	if w.last != nil && w.lastKey == key {
		return w.last
	}
	s := w.sessions[key]
	if s == nil {
		s = &sessionTotal{}
		w.sessions[key] = s
	}
	w.last, w.lastKey = s, key
	return s
}

func (w *stats) tool(key toolKey) *toolTotal {
	t := w.tools[key]
	if t == nil {
		t = &toolTotal{latency: map[int64]int64{}, sizes: map[int64]int64{}}
		w.tools[key] = t
	}
	return t
}

// count adds a row of calls, or takes one back.
func (w *stats) count(r *Record, sign int64) {
	row, _ := r.Row()
	key := totalKey{
		server: r.Server.String(), tool: row.Tool, method: row.Method, outcome: row.Outcome,
		origin: row.Origin, kind: r.Kind, typ: r.Body.Type(),
	}
	t := w.totals[key]
	if t == nil {
		t = &total{}
		if row.ToolCall() && r.Kind == journal.Real {
			t.tool = w.tool(toolKey{key.server, key.tool})
		}
		w.totals[key] = t
	}
	t.rows += sign
	if !row.Request || row.Origin != journal.FromClient || r.Kind != journal.Real {
		return
	}
	s := w.session(r)
	s.requests += sign
	s.requestBytes += sign * max(row.RequestBytes, 0)
	s.responseBytes += sign * max(row.ResponseBytes, 0)
	if row.Method == "tools/list" {
		s.listsBytes += sign * max(row.ResponseBytes, 0)
	}
	if row.Method != streamMethod {
		s.waitedUS += sign * max(row.LatencyUS, 0)
	}
	if t.tool != nil {
		s.calls += sign
		if row.Failed() {
			s.failures += sign
		}
		t.tool.count(row, sign)
	}
}

// streamMethod is answered when its stream ends: how long that takes says
// nothing about the server.
const streamMethod = "subscriptions/listen"

func (t *toolTotal) count(row Row, sign int64) {
	t.calls += sign
	switch row.Outcome {
	case "ok":
		t.ok += sign
	case "error":
		t.errors += sign
	case "input_required":
		t.inputRequired += sign
	case "cancelled":
		t.cancelled += sign
	case "unanswered":
		t.unanswered += sign
	default:
		t.unknown += sign
	}
	t.requestBytes += sign * max(row.RequestBytes, 0)
	if row.ResponseBytes >= 0 {
		t.responses += sign
		t.responseBytes += sign * row.ResponseBytes
		t.sizes[Bucket(row.ResponseBytes)] += sign
	}
	if row.LatencyUS >= 0 {
		t.latencies += sign
		t.latencySum += sign * row.LatencyUS
		t.latencyMax = max(t.latencyMax, row.LatencyUS) // a row that goes has no latency
		t.latency[Bucket(row.LatencyUS)] += sign
	}
}
