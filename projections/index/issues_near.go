package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/mcpeval/mcpeval/journal"
)

// span is what a batch touches of one group.
type span struct {
	session, server string
	rows            []callRow // that appear
	lo, hi          int64     // of the sequence numbers touched
	any             bool
	mixed           bool // rows alone do not say what is between lo and hi
	whole           bool // the whole group is derived again: a legacy pair
}

func (s *span) touch(seq int64) *span {
	if !s.any {
		s.lo, s.hi, s.any = seq, seq, true
	}
	s.lo, s.hi = min(s.lo, seq), max(s.hi, seq)
	return s
}

func (w *issues) span(group int64, session, server string) *span {
	s := w.batch[group]
	if s == nil {
		s = &span{session: session, server: server}
		w.batch[group] = s
	}
	return s
}

// How many calls around what is touched have to be known: a failure whose
// window reaches into it, and that failure's own window.
const around = windowBefore + windowAfter

// derive makes the failures again whose window or remarks may have changed.
func (w *issues) derive(group int64, s *span) error {
	if s.whole {
		return w.derivePair(group, s)
	}
	known, before, rows, after, err := w.surroundings(group, s)
	if err != nil {
		return err
	}
	if n := len(rows); n > 0 && group > w.oldGroups {
		w.high[group] = max(w.high[group], rows[n-1].seq)
	}
	list := slices.Concat(before, rows, after)
	from := max(len(before)-windowAfter, 0)
	to := len(list) - max(len(after)-windowBefore, 0)
	lo, hi := s.lo, s.hi
	if from < to {
		lo, hi = min(lo, list[from].seq), max(hi, list[to-1].seq)
	}
	old := map[failureKey]failure{}
	if known {
		if old, err = w.failures(group, lo, hi); err != nil {
			return err
		}
	}
	return w.replace(group, s, list, from, to, old, true)
}

// surroundings are the calls between lo and hi of a span and those around
// them, each in order; and whether anything of the group was known before. The
// batch's own rows are enough where nothing else of the group can lie among
// them.
func (w *issues) surroundings(group int64, s *span) (known bool, before, rows, after []callRow, err error) {
	slices.SortFunc(s.rows, func(a, b callRow) int { return cmp.Compare(a.seq, b.seq) })
	high, seen := w.high[group]
	isNew := group > w.oldGroups
	if isNew && !s.mixed && (!seen || s.lo > high) {
		if !seen {
			return false, nil, s.rows, nil, nil
		}
		before, err = w.load(w.q.before, group, s.lo)
		slices.Reverse(before)
		return true, before, s.rows, nil, err
	}
	if before, err = w.load(w.q.before, group, s.lo); err != nil {
		return false, nil, nil, nil, err
	}
	slices.Reverse(before)
	w.q.between.int(group)
	w.q.between.int(s.lo)
	w.q.between.int(s.hi)
	if rows, err = scanCalls(w.q.between); err != nil {
		return false, nil, nil, nil, err
	}
	after, err = w.load(w.q.after, group, s.hi)
	return true, before, rows, after, err
}

func (w *issues) load(q *statement, group, seq int64) ([]callRow, error) {
	q.int(group)
	q.int(seq)
	return scanCalls(q)
}

// derivePair makes all failures of a legacy pair again. One with repeated
// sequence numbers has no windows.
func (w *issues) derivePair(group int64, s *span) error {
	w.q.repeated.int(group)
	repeated, err := w.q.repeated.step()
	if err != nil {
		return err
	}
	if err := w.q.repeated.done(); err != nil {
		return err
	}
	const all = int64(1)<<62 - 1
	w.q.between.int(group)
	w.q.between.int(-all)
	w.q.between.int(all)
	list, err := scanCalls(w.q.between)
	if err != nil {
		return err
	}
	old, err := w.failures(group, -all, all)
	if err != nil {
		return err
	}
	return w.replace(group, s, list, 0, len(list), old, !repeated)
}

// scanCalls reads the rows of a query over calls.
func scanCalls(q *statement) (rows []callRow, err error) {
	for {
		found, err := q.step()
		if err != nil {
			return nil, err
		}
		if !found {
			return rows, q.done()
		}
		s := q.stmt
		c := callRow{
			id: s.ColumnInt64(0), seq: s.ColumnInt64(1), ts: s.ColumnText(3), tool: s.ColumnText(4), outcome: s.ColumnText(5),
			code: s.ColumnText(6), template: s.ColumnText(7),
		}
		if !s.ColumnIsNull(2) {
			if c.event, err = uuid.Parse(s.ColumnText(2)); err != nil {
				return nil, ErrUnreadable
			}
		}
		if !s.ColumnIsNull(9) {
			if c.pending, err = uuid.Parse(s.ColumnText(9)); err != nil {
				return nil, ErrUnreadable
			}
		}
		if !s.ColumnIsNull(8) {
			c.retryable = journal.TriOf(s.ColumnBool(8))
		}
		rows = append(rows, c)
	}
}

// failureKey tells the failures of a group apart: SQLite uses the ids of rows
// that went again, and records without identity can share a sequence number.
type failureKey struct{ seq, call int64 }

// failure is what one failing call contributes to its issue.
type failure struct {
	seq, call, issue int64
	event            string
	ts, code         string
	retryable        journal.Tri
	near             int64
	tools            string
	recovered        bool
	marks            uint8
	run              bool
}

// replace derives the failures among list[from:to] and puts them in the place
// of the old ones.
func (w *issues) replace(group int64, s *span, list []callRow, from, to int, old map[failureKey]failure, windows bool) error {
	for i := from; i < to; i++ {
		c := &list[i]
		marks, err := w.remarksOf(c, s)
		if err != nil {
			return err
		}
		template, code, ok := c.group(marks)
		if !ok {
			continue
		}
		f := failure{seq: c.seq, call: c.id, ts: c.ts, code: code, retryable: c.retryable, marks: marks, tools: c.tool}
		if c.event != uuid.Nil {
			f.event = c.event.String()
		}
		if f.issue, err = w.issue(issueKey{s.server, c.tool, template}); err != nil {
			return err
		}
		if windows {
			f.look(list, i)
		}
		key := failureKey{f.seq, f.call}
		was, known := old[key]
		delete(old, key)
		if known && was == f {
			continue
		}
		if known {
			w.count(&was, s.session, -1)
		}
		if err := w.keep(group, &f); err != nil {
			return err
		}
		w.count(&f, s.session, 1)
	}
	for _, f := range old {
		if err := w.drop(group, &f, s.session); err != nil {
			return err
		}
	}
	return nil
}

// look takes in the window of the call at i.
func (f *failure) look(list []callRow, i int) {
	first, last := max(i-windowBefore, 0), min(i+windowAfter, len(list)-1)
	f.near = int64(last - first)
	own := list[i].tool
	var tools []string
	for j := first; j <= last; j++ {
		n := &list[j]
		if n.tool != "" && !slices.Contains(tools, n.tool) {
			tools = append(tools, n.tool)
		}
		f.recovered = f.recovered || j > i && n.tool == own && n.outcome == "ok"
	}
	slices.Sort(tools)
	f.tools = strings.Join(tools, "\n")
}

func (w *issues) drop(group int64, f *failure, session string) error {
	w.count(f, session, -1)
	w.q.removeFailure.int(group)
	w.q.removeFailure.int(f.seq)
	w.q.removeFailure.int(f.call)
	return w.q.removeFailure.exec()
}

func (w *issues) keep(group int64, f *failure) error {
	s := w.q.putFailure
	s.int(group)
	s.int(f.seq)
	s.int(f.call)
	s.text(f.event)
	s.int(f.issue)
	s.value(f.ts)
	s.value(f.code)
	s.int(int64(f.retryable))
	s.int(f.near)
	s.value(f.tools)
	s.bool(f.recovered)
	s.int(int64(f.marks))
	s.bool(f.run)
	return s.exec()
}

// failures are those of a group between two sequence numbers.
func (w *issues) failures(group, lo, hi int64) (map[failureKey]failure, error) {
	q := w.q.failures
	q.int(group)
	q.int(lo)
	q.int(hi)
	found := map[failureKey]failure{}
	for {
		ok, err := q.step()
		if err != nil {
			return nil, err
		}
		if !ok {
			return found, q.done()
		}
		f := scanFailure(q)
		found[failureKey{f.seq, f.call}] = f
	}
}

func scanFailure(q *statement) failure {
	s := q.stmt
	return failure{
		seq: s.ColumnInt64(0), call: s.ColumnInt64(1), event: s.ColumnText(2), issue: s.ColumnInt64(3), ts: s.ColumnText(4),
		code: s.ColumnText(5), retryable: journal.Tri(s.ColumnInt64(6)), near: s.ColumnInt64(7), tools: s.ColumnText(8),
		recovered: s.ColumnBool(9), marks: uint8(s.ColumnInt64(10)), run: s.ColumnBool(11),
	}
}
