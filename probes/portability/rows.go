package portability

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpeval/mcpeval/probes/report"
)

// Row is what one cause does to some families of clients.
type Row struct {
	Families []Family
	Effect   Effect
	Cause    Cause
	// Text is the cause in words, and Fix what to do about it.
	Text, Fix string
	// Count is how often it was seen, and Tool the first tool it was seen with, if
	// it was with one.
	Count int64
	Tool  report.Tool
}

// String is the row as a sentence without a full stop, and its fix.
func (r Row) String() string {
	var b strings.Builder
	for i, f := range r.Families {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(f))
	}
	b.WriteString(": " + string(r.Effect) + ": " + r.Text)
	if r.Tool != (report.Tool{}) {
		b.WriteString(" (" + r.Tool.String() + ")")
	}
	if r.Count > 1 {
		b.WriteString(", " + strconv.FormatInt(r.Count, 10) + " times")
	}
	return b.String() + "; fix: " + r.Fix
}

// Rows are what was found, in the order of the table. A cause that was seen in
// several answers is told with the worst of its effects.
func (w *Watch) Rows() []Row {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flush()
	var rows []Row
	for _, rule := range rules() {
		for _, name := range w.members(rule.cause) {
			var all *sighting
			lost := NoAnswer
			for _, effect := range []Effect{NoConnection, NoTools, NoAnswer} {
				s := w.found[finding{rule.cause, name, effect}]
				switch {
				case s == nil:
				case all == nil:
					all, lost = &sighting{s.count, s.tool}, effect
				default:
					all.count += s.count
				}
			}
			text := rule.text
			if name != "" {
				text = name + " is null"
			}
			rows = append(rows, rule.rows(text, lost, all)...)
		}
	}
	return rows
}

// members are the members that a cause was seen with, sorted; "" for a cause that
// is about none. It requires mu.
func (w *Watch) members(c Cause) []string {
	var names []string
	for f := range w.found {
		if f.cause == c && !slices.Contains(names, f.member) {
			names = append(names, f.member)
		}
	}
	slices.Sort(names)
	return names
}

// rows are one for each effect.
func (r *rule) rows(text string, lost Effect, s *sighting) []Row {
	var rows []Row
	for _, f := range Families() {
		effect, breaks := r.breaks[f]
		if !breaks {
			continue
		}
		if effect == "" {
			effect = lost
		}
		at := slices.IndexFunc(rows, func(r Row) bool { return r.Effect == effect })
		if at >= 0 {
			rows[at].Families = append(rows[at].Families, f)
			continue
		}
		rows = append(rows, Row{Families: []Family{f}, Effect: effect, Cause: r.cause, Text: text, Fix: r.fix, Count: s.count, Tool: s.tool})
	}
	return rows
}

// Remarks are the rows for the text forms of a report.
func (w *Watch) Remarks() []report.Remark {
	var list []report.Remark
	for _, r := range w.Rows() {
		list = append(list, report.Remark(r.String()))
	}
	return list
}
