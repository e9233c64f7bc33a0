package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// Text is the diff for a terminal: what changed, a line a case, then the counts.
// brief leaves the cases out that did not change.
func (d *Diff) Text(brief bool) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "base    %s\ncurrent %s\n\n", d.Base.text(), d.Current.text())
	shown := false
	for _, change := range Changes() {
		for i := range d.Cases {
			c := &d.Cases[i]
			if c.Change != change || brief && change == Unchanged {
				continue
			}
			shown = true
			fmt.Fprintf(&b, "%-9s  %s  %s  %s\n", c.Change, c.ID, c.Probe, c.text())
			if c.Current != nil && c.Current.Passed == Fail && change != Unchanged {
				fmt.Fprintf(&b, "           fix: %s\n", hintOf(c.Current.Reason))
			}
		}
	}
	if shown {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s\n", d.Summary.text())
	for _, n := range d.notes() {
		fmt.Fprintf(&b, "note: %s\n", n.text())
	}
	return []byte(b.String())
}

// Markdown is the diff as a comment on a pull request.
func (d *Diff) Markdown() []byte {
	var b strings.Builder
	word, color := "no regression", "brightgreen"
	if d.Summary.Regressed > 0 {
		word, color = decimal(d.Summary.Regressed)+" regressed", "red"
	}
	fmt.Fprintf(&b, "### mcpeval: `%s` against its baseline\n\n%s\n\n**%s**\n", d.Current.Server, badge("gate", word, color), d.Summary.text())
	if d.Base.Readiness != nil && d.Current.Readiness != nil {
		fmt.Fprintf(&b, "\nReadiness %s, before %s.\n", d.Current.Readiness.text(), d.Base.Readiness.text())
	}
	if d.Summary.Unchanged < d.Summary.Total {
		b.WriteString("\n| change | case | probe | before | now |\n| --- | --- | --- | --- | --- |\n")
	}
	for _, change := range Changes() {
		for i := range d.Cases {
			if c := &d.Cases[i]; c.Change == change && change != Unchanged {
				before, now := c.cells()
				fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", c.Change, c.ID, c.Probe, before, now)
			}
		}
	}
	first := true
	for i := range d.Cases {
		if c := &d.Cases[i]; c.Change == Regressed && c.Current.Reason != "" {
			if first {
				b.WriteByte('\n')
				first = false
			}
			fmt.Fprintf(&b, "- `%s`: %s. **Fix:** %s.\n", c.ID, meaning(c.Current.Reason), hintOf(c.Current.Reason))
		}
	}
	for _, n := range d.notes() {
		fmt.Fprintf(&b, "\n%s.\n", sentence(n.text()))
	}
	return []byte(b.String())
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (d *Diff) notes() []Note {
	var list []Note
	if d.Base.ManifestSHA256 != d.Current.ManifestSHA256 {
		list = append(list, Note{Kind: NoteManifestsDiffer})
	}
	if a, b := d.Base.Readiness, d.Current.Readiness; a != nil && b != nil && a.Standard != b.Standard {
		list = append(list, Note{Kind: NoteStandardsDiffer})
	}
	if d.Base.Readiness != nil && d.Current.ReadinessError != "" {
		list = append(list, Note{Kind: NoteReadinessLost})
	}
	return list
}

func (s *Side) text() string {
	text := s.Server.s + ", "
	switch {
	case s.Gate == nil:
		text += "no gate"
	case s.Passed:
		text += "passed"
	default:
		text += "failed"
	}
	if s.Readiness != nil {
		text += ", readiness " + s.Readiness.text()
	}
	if s.ReadinessError != "" {
		text += ", readiness not measured: " + string(s.ReadinessError)
	}
	return text
}

func (s *Summary) text() string {
	var parts []string
	for _, c := range Changes() {
		if n := *s.of(c); n > 0 || c == Regressed || c == Unchanged {
			parts = append(parts, decimal(n)+" "+string(c))
		}
	}
	return strings.Join(parts, ", ") + " of " + decimal(s.Total)
}

// word is the state as one word.
func (s *State) word() string {
	switch s.Passed {
	case Pass:
		return "pass"
	case Fail:
		return "FAIL"
	}
	if reason.ClassOf(s.Reason) == reason.NotRun {
		return "skip"
	}
	return "n/a"
}

func (s *State) short() string {
	if s.Reason == "" {
		return s.word()
	}
	return s.word() + " " + string(s.Reason)
}

// text is what changed about the case.
func (c *DiffCase) text() string {
	switch {
	case c.Base == nil:
		return c.Current.short()
	case c.Current == nil:
		return c.Base.short()
	case c.Change == Unchanged:
		return c.Current.short()
	case c.Base.short() != c.Current.short():
		return c.Base.short() + " -> " + c.Current.short() + c.numbers()
	}
	return c.Current.short() + c.numbers()
}

// numbers are the measurements that changed, and the other fields that did
// without showing in verdict or reason.
func (c *DiffCase) numbers() string {
	var parts []string
	for _, f := range c.Fields {
		switch f {
		case FieldPassed, FieldReason, FieldMeasurements:
		default:
			parts = append(parts, string(f))
		}
	}
	for _, m := range slices.Sorted(slices.Values(Metrics())) {
		a, b := c.Base.Measurements[m], c.Current.Measurements[m]
		if m != LatencyMS && a != b {
			parts = append(parts, string(m)+" "+a.String()+" -> "+b.String())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func (c *DiffCase) cells() (before, now string) {
	if c.Base != nil {
		before = c.Base.short()
	}
	if c.Current != nil {
		now = c.Current.short()
	}
	if c.Base != nil && c.Current != nil {
		now += c.numbers()
	}
	return before, now
}
