package index

import (
	"fmt"
	"strings"
)

// The views over calls and annotations. A record without identity is addressed
// by session and sequence number, which counts only where exactly one row has
// that address. A remark about a call that was still open then is about the call
// that ended it.

// The joins are CROSS JOINs because SQLite has no statistics here and would
// walk through all calls to find the few that are meant.
const annotatedView = `
CREATE VIEW annotated(call_id, annotation_id) AS
SELECT c.id, a.id FROM annotations a CROSS JOIN calls c ON c.event_id = a.target_event_id
UNION ALL
SELECT c.id, a.id FROM annotations a CROSS JOIN calls c ON c.pending_id = a.target_event_id
UNION ALL
SELECT c.id, a.id
FROM annotations a
CROSS JOIN groups g ON g.capture_id IS NULL AND g.session = a.target_session
CROSS JOIN calls c ON c.grp = g.id AND c.seq = a.target_seq AND c.event_id IS NULL
WHERE a.target_event_id IS NULL
AND (SELECT count(*) FROM groups h CROSS JOIN calls d ON d.grp = h.id AND d.seq = a.target_seq AND d.event_id IS NULL
     WHERE h.capture_id IS NULL AND h.session = a.target_session) = 1;`

// failures are the real tools/call rows that count as a failure in some group.
const failuresView = `
CREATE VIEW failures(call_id) AS
SELECT id FROM calls WHERE real_call AND outcome IN ('error', 'unanswered', 'cancelled')
UNION ALL
SELECT id FROM calls WHERE real_call AND outcome NOT IN ('error', 'unanswered', 'cancelled')
AND id IN (SELECT call_id FROM annotated);`

// How far a window reaches.
const (
	windowBefore = 5
	windowAfter  = 3
)

// windowsView gives each failure up to five real tools/call rows before it and
// three after it in its group. A neighbour is found by its rank, each with one
// short walk along calls_window, so that asking for one failure costs eight
// seeks and late events need no repair. (An OFFSET may not refer to a column,
// so every rank has its own branch.)
func windowsView() string {
	var offsets, branches []string
	rank := func(offset, skip int, compare, order string) {
		offsets = append(offsets, fmt.Sprintf("(%d)", offset))
		branches = append(branches, fmt.Sprintf(`    WHEN %d THEN (SELECT n.id FROM calls n WHERE n.real_call AND n.grp = f.grp AND n.seq %s f.seq ORDER BY n.seq%s LIMIT 1 OFFSET %d)`,
			offset, compare, order, skip))
	}
	for i := windowBefore; i >= 1; i-- {
		rank(-i, i-1, "<", " DESC")
	}
	for i := 1; i <= windowAfter; i++ {
		rank(i, i-1, ">", "")
	}
	return `
CREATE VIEW windows(failure_id, neighbour_id, offset) AS
WITH offsets(n) AS (VALUES ` + strings.Join(offsets, ", ") + `)
SELECT failure_id, neighbour_id, offset FROM (
  SELECT f.id AS failure_id, o.n AS offset, CASE o.n
` + strings.Join(branches, "\n") + `
    END AS neighbour_id
  FROM failures x CROSS JOIN calls f ON f.id = x.call_id CROSS JOIN offsets o
  WHERE NOT EXISTS (SELECT 1 FROM legacy_repeats r WHERE r.grp = f.grp))
WHERE neighbour_id IS NOT NULL;`
}
