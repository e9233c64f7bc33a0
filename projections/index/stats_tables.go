package index

func (*stats) Tables() []Table {
	return []Table{
		{Name: "totals", Schema: `
CREATE TABLE totals (         -- rows of calls by everything they are grouped by
  type TEXT NOT NULL, kind TEXT NOT NULL, origin TEXT NOT NULL,
  server TEXT NOT NULL, method TEXT NOT NULL, tool TEXT NOT NULL, outcome TEXT NOT NULL,
  rows INTEGER NOT NULL,
  PRIMARY KEY (server, tool, method, outcome, origin, kind, type)
) WITHOUT ROWID;`,
			Ordered: `SELECT type, kind, origin, server, method, tool, outcome, rows FROM totals WHERE rows <> 0 ORDER BY 4, 6, 5, 7, 3, 2, 1`},
		{Name: "event_types", Schema: `
CREATE TABLE event_types (
  type TEXT NOT NULL, legacy INTEGER NOT NULL,
  events INTEGER NOT NULL,
  bytes INTEGER NOT NULL,     -- of the lines
  PRIMARY KEY (type, legacy)
) WITHOUT ROWID;`,
			Ordered: `SELECT type, legacy, events, bytes FROM event_types ORDER BY 1, 2`},
		{Name: "session_stats", Schema: `
CREATE TABLE session_stats (  -- real requests of clients
  session TEXT NOT NULL, server TEXT NOT NULL,
  requests INTEGER NOT NULL,
  calls INTEGER NOT NULL, failures INTEGER NOT NULL,  -- of tools/call
  request_bytes INTEGER NOT NULL, response_bytes INTEGER NOT NULL,
  catalog_bytes INTEGER NOT NULL,                     -- of tools/list results, part of response_bytes
  waited_us INTEGER NOT NULL,
  first_ts TEXT NOT NULL, last_ts TEXT NOT NULL,
  PRIMARY KEY (session, server)
) WITHOUT ROWID;`,
			Ordered: `SELECT * FROM session_stats ORDER BY 1, 2`},
		{Name: "tool_stats", Schema: `
CREATE TABLE tool_stats (     -- real tools/call requests of clients
  server TEXT NOT NULL, tool TEXT NOT NULL,
  calls INTEGER NOT NULL,
  ok INTEGER NOT NULL, errors INTEGER NOT NULL, input_required INTEGER NOT NULL,
  cancelled INTEGER NOT NULL, unanswered INTEGER NOT NULL, unknown INTEGER NOT NULL,
  request_bytes INTEGER NOT NULL, response_bytes INTEGER NOT NULL, responses INTEGER NOT NULL,
  latencies INTEGER NOT NULL, latency_us_sum INTEGER NOT NULL, latency_us_max INTEGER NOT NULL,
  first_ts TEXT NOT NULL, last_ts TEXT NOT NULL,
  PRIMARY KEY (server, tool)
) WITHOUT ROWID;`,
			Ordered: `SELECT * FROM tool_stats ORDER BY 1, 2`},
		{Name: "tool_latency", Schema: histogram("tool_latency", "microseconds"),
			Ordered: `SELECT server, tool, bucket, n FROM tool_latency WHERE n <> 0 ORDER BY 1, 2, 3`},
		{Name: "tool_response", Schema: histogram("tool_response", "bytes"),
			Ordered: `SELECT server, tool, bucket, n FROM tool_response WHERE n <> 0 ORDER BY 1, 2, 3`},
		{Name: "tool_health", View: true, Schema: toolHealthView},
		{Name: "session_cost", View: true, Schema: sessionCostView},
	}
}

func histogram(name, unit string) string {
	return `
CREATE TABLE ` + name + ` (
  server TEXT NOT NULL, tool TEXT NOT NULL,
  bucket INTEGER NOT NULL,    -- log-linear, at most 1/64 wide, of ` + unit + `
  n INTEGER NOT NULL,
  PRIMARY KEY (server, tool, bucket)
) WITHOUT ROWID;`
}

// quantiles is a common table expression over one of the histograms: the value
// at each of two ranks, by nearest rank.
func quantiles(name, table string) string {
	return name + ` AS (
  SELECT server, tool,
    min(CASE WHEN below * 100 >= total * 50 THEN value END) AS p50,
    min(CASE WHEN below * 100 >= total * 95 THEN value END) AS p95
  FROM (SELECT server, tool, ` + bucketValue + ` AS value,
      sum(n) OVER (PARTITION BY server, tool ORDER BY bucket) AS below,
      sum(n) OVER (PARTITION BY server, tool) AS total
    FROM ` + table + ` WHERE n > 0)
  GROUP BY server, tool)`
}

// A token is taken as four bytes: an estimate, the same for every model.
var toolHealthView = `
CREATE VIEW tool_health(server, tool, calls, failures, failure_rate, p50_ms, p95_ms, max_ms,
  median_response_bytes, median_response_tokens, errors, cancelled, unanswered, unknown, first_ts, last_ts) AS
WITH ` + quantiles("latency", "tool_latency") + `, ` + quantiles("size", "tool_response") + `
SELECT t.server, t.tool, t.calls, t.errors + t.cancelled + t.unanswered,
  round(1.0 * (t.errors + t.cancelled + t.unanswered) / t.calls, 4),
  round(min(l.p50, t.latency_us_max) / 1000.0, 3), round(min(l.p95, t.latency_us_max) / 1000.0, 3),
  CASE WHEN t.latencies > 0 THEN round(t.latency_us_max / 1000.0, 3) END,
  z.p50, (z.p50 + 3) / 4, t.errors, t.cancelled, t.unanswered, t.unknown, t.first_ts, t.last_ts
FROM tool_stats t
LEFT JOIN latency l ON l.server = t.server AND l.tool = t.tool
LEFT JOIN size z ON z.server = t.server AND z.tool = t.tool
WHERE t.calls > 0;`

const sessionCostView = `
CREATE VIEW session_cost(session, server, calls, failures, requests, request_bytes, response_bytes, catalog_bytes,
  estimated_tokens, waited_ms, first_ts, last_ts) AS
SELECT session, server, calls, failures, requests, request_bytes, response_bytes, catalog_bytes,
  (request_bytes + response_bytes + 3) / 4, round(waited_us / 1000.0, 3), first_ts, last_ts
FROM session_stats;`

// Finish writes the counters kept since the last time.
func (w *stats) Finish() error {
	for k, v := range w.totals {
		s := w.putTotal
		s.value(k.typ.String())
		s.value(k.kind.String())
		s.value(k.origin.String())
		s.value(k.server)
		s.value(k.method)
		s.value(k.tool)
		s.value(k.outcome)
		s.int(v.rows)
		if err := s.exec(); err != nil {
			return err
		}
	}
	for k, v := range w.types {
		s := w.putType
		s.value(k.typ.String())
		s.bool(k.legacy)
		s.int(v.events)
		s.int(v.bytes)
		if err := s.exec(); err != nil {
			return err
		}
	}
	for k, v := range w.sessions {
		if err := w.writeSession(k, v); err != nil {
			return err
		}
	}
	for k, v := range w.tools {
		if err := w.writeTool(k, v); err != nil {
			return err
		}
	}
	w.reset()
	return nil
}

func (w *stats) writeSession(k sessionKey, v *sessionTotal) error {
	s := w.putSession
	s.value(k.session)
	s.value(k.server)
	for _, n := range []int64{v.requests, v.calls, v.failures, v.requestBytes, v.responseBytes, v.listsBytes, v.waitedUS} {
		s.int(n)
	}
	s.value(v.first)
	s.value(v.last)
	return s.exec()
}

func (w *stats) writeTool(k toolKey, v *toolTotal) error {
	s := w.putTool
	s.value(k.server)
	s.value(k.tool)
	for _, n := range []int64{
		v.calls, v.ok, v.errors, v.inputRequired, v.cancelled, v.unanswered, v.unknown,
		v.requestBytes, v.responseBytes, v.responses, v.latencies, v.latencySum, v.latencyMax,
	} {
		s.int(n)
	}
	s.value(v.first)
	s.value(v.last)
	if err := s.exec(); err != nil {
		return err
	}
	for put, buckets := range map[*statement]map[int64]int64{w.putLatency: v.latency, w.putSize: v.sizes} {
		for bucket, n := range buckets {
			put.value(k.server)
			put.value(k.tool)
			put.int(bucket)
			put.int(n)
			if err := put.exec(); err != nil {
				return err
			}
		}
	}
	return nil
}
