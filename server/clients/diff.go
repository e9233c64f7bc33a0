package clients

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// mask stands for a value that is not shown.
const mask = `"…"`

// shown are the parts of an entry that a diff may show: its command, and of its
// args what is the shim's with the command behind it. Other arguments may be
// secrets.
func (s slot) shown() []span {
	all := []span{s.command.span}
	if !s.wrapped() {
		return all
	}
	end := 1 + s.separator()
	if end == 0 {
		return all
	}
	for _, n := range s.args.items[:min(end+1, len(s.args.items))] {
		all = append(all, n.span)
	}
	return all
}

// masked is a text with the same lines in which every value but those shown is
// replaced, and every comment.
func masked(source []byte, t *tree, shown []span) []byte {
	var edits []edit
	for _, h := range t.hidden {
		if slices.Contains(shown, h.span) {
			continue
		}
		with := mask
		if h.comment {
			with = string(source[h.from:h.from+2]) + "…" + strings.Repeat("\n", bytes.Count(source[h.from:h.to], []byte("\n")))
			if source[h.from+1] == '*' {
				with += "*/"
			}
		}
		edits = append(edits, edit{h.span, with})
	}
	return apply(source, edits)
}

// Diff shows the lines that change, as unified diffs do, with every value masked
// that is neither a command nor the shim's. It is empty when nothing changes.
func (c *Change) Diff(name string) string {
	if !c.Changed() {
		return ""
	}
	after, err := parse(c.Text)
	if err != nil {
		return "" // what was edited parses
	}
	var shown []span
	for _, e := range after.entries("") {
		if s, why := slotOf(e.value); why == "" {
			shown = append(shown, s.shown()...)
		}
	}
	before, now := lines(masked(c.source, c.tree, c.shown)), lines(masked(c.Text, after, shown))

	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
	for _, h := range c.hunks() {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.from+1, h.to-h.from, h.fromNow+1, h.toNow-h.fromNow)
		for _, line := range before[h.from:h.to] {
			b.WriteString("-" + line + "\n")
		}
		for _, line := range now[h.fromNow:h.toNow] {
			b.WriteString("+" + line + "\n")
		}
	}
	return b.String()
}

func lines(source []byte) []string {
	all := strings.Split(strings.TrimPrefix(string(source), bom), "\n")
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], "\r")
	}
	return all
}

// hunk is lines that change, and what they become, as half-open ranges from 0.
type hunk struct{ from, to, fromNow, toNow int }

// hunks are the lines that the edits touch; lines that touch are one hunk.
func (c *Change) hunks() []hunk {
	var all []hunk
	grown := 0 // lines, by the edits so far
	for _, e := range sorted(c.groups) {
		from := bytes.Count(c.source[:e.from], []byte("\n"))
		height := 1 + bytes.Count(c.source[e.from:e.to], []byte("\n"))
		growth := strings.Count(e.with, "\n") + 1 - height
		h := hunk{from, from + height, from + grown, from + grown + height + growth}
		grown += growth
		if n := len(all) - 1; n >= 0 && h.from <= all[n].to {
			all[n].to, all[n].toNow = max(all[n].to, h.to), max(all[n].toNow, h.toNow)
			continue
		}
		all = append(all, h)
	}
	return all
}
