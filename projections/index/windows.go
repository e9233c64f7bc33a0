package index

// The views over calls and annotations. A record without identity is addressed
// by session and sequence number, which counts only where exactly one row has
// that address.

const annotatedView = `
CREATE VIEW annotated(call_id, annotation_id) AS
SELECT c.id, a.id FROM annotations a JOIN calls c ON c.event_id = a.target_event_id
UNION ALL
SELECT c.id, a.id
FROM annotations a
JOIN groups g ON g.capture_id IS NULL AND g.session = a.target_session
JOIN calls c ON c.grp = g.id AND c.seq = a.target_seq AND c.event_id IS NULL
WHERE a.target_event_id IS NULL
AND (SELECT count(*) FROM groups h JOIN calls d ON d.grp = h.id AND d.seq = a.target_seq AND d.event_id IS NULL
     WHERE h.capture_id IS NULL AND h.session = a.target_session) = 1;`

// failures are the real tools/call rows that count as a failure in some group.
const failuresView = `
CREATE VIEW failures(call_id) AS
SELECT id FROM calls WHERE real_call AND outcome IN ('error', 'unanswered', 'cancelled')
UNION
SELECT c.id FROM annotated a JOIN calls c ON c.id = a.call_id WHERE c.real_call;`

// windows gives each failure up to five real tools/call rows before it and
// three after it in its group. A neighbour is found by its rank, each with one
// short walk along calls_window, so that asking for one failure costs eight
// seeks and late events need no repair.
const windowsView = `
CREATE VIEW windows(failure_id, neighbour_id, offset) AS
SELECT failure_id, neighbour_id, offset FROM (
  SELECT f.id AS failure_id, o.column1 AS offset,
    CASE WHEN o.column1 < 0
    THEN (SELECT n.id FROM calls n WHERE n.real_call AND n.grp = f.grp AND n.seq < f.seq
          ORDER BY n.seq DESC LIMIT 1 OFFSET -1 - o.column1)
    ELSE (SELECT n.id FROM calls n WHERE n.real_call AND n.grp = f.grp AND n.seq > f.seq
          ORDER BY n.seq LIMIT 1 OFFSET o.column1 - 1)
    END AS neighbour_id
  FROM failures x JOIN calls f ON f.id = x.call_id
  JOIN (VALUES (-5), (-4), (-3), (-2), (-1), (1), (2), (3)) o
  WHERE NOT EXISTS (SELECT 1 FROM legacy_repeats r WHERE r.grp = f.grp))
WHERE neighbour_id IS NOT NULL;`
