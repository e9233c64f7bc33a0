package report

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// Text is the document for a terminal: a line a case, the hint under a failure,
// then the gate, readiness and the context.
func (d *Document) Text(o *Options) ([]byte, error) {
	v, err := d.view(o)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	v.textHead(&b)
	v.textCases(&b)
	v.textGate(&b)
	v.textReadiness(&b)
	for _, line := range v.Context.lines(d) {
		fmt.Fprintf(&b, "note: %s\n", line)
	}
	for _, remark := range v.Context.Portability {
		fmt.Fprintf(&b, "portability: %s\n", remark)
	}
	return []byte(b.String()), nil
}

func (v *view) textHead(b *strings.Builder) {
	fmt.Fprintf(b, "server %s", v.Server)
	if v.Context.Protocol != (Revision{}) {
		fmt.Fprintf(b, ", protocol %s", v.Context.Protocol)
	}
	if v.ManifestSHA256 != (SHA256{}) {
		fmt.Fprintf(b, ", manifest %s", v.ManifestSHA256.s[:12])
	}
	b.WriteString("\n\n")
}

// textCases aligns the columns first and puts hints and colours in afterwards, so
// that neither has a part in the widths.
func (v *view) textCases(b *strings.Builder) {
	if len(v.Cases) == 0 {
		return
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for i := range v.Cases {
		c := &v.Cases[i]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.ID, c.Probe, dash(c.Tool.s), c.why())
	}
	_ = w.Flush() // a strings.Builder takes everything
	lines := strings.Split(table.String(), "\n")
	for i := range v.Cases {
		c := &v.Cases[i]
		mark, color := v.mark(c)
		fmt.Fprintf(b, "%s  %s\n", v.paint(color, mark), strings.TrimRight(lines[i], " "))
		if c.Passed == Fail && !v.Brief && !v.excused[c.ID] {
			fmt.Fprintf(b, "       %s\n       fix: %s\n", meaning(c.Reason), c.Hint)
		}
	}
	for _, id := range v.stale {
		fmt.Fprintf(b, "%s  %s is listed as a known failure, %s\n", v.paint(red, "stale"), id, v.staleness(id))
	}
	b.WriteByte('\n')
}

// The colours of a terminal.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
)

// mark is what a case's line begins with, five characters wide, and its colour.
func (v *view) mark(c *Case) (mark, color string) {
	switch {
	case v.excused[c.ID]:
		return "known", yellow
	case c.Passed == Pass:
		return "pass ", green
	case c.Passed == Fail:
		return "FAIL ", red
	case reason.ClassOf(c.Reason) == reason.NotRun:
		return "skip ", yellow
	}
	return "n/a  ", yellow
}

func (v *view) paint(color, s string) string {
	if !v.Color {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

func (v *view) textGate(b *strings.Builder) {
	if v.Gate == nil {
		return
	}
	color := red
	if v.Passed {
		color = green
	}
	fmt.Fprintf(b, "gate: %s: %s\n", v.paint(color, v.verdict()), v.counts())
	if v.verdict() == "empty" {
		b.WriteString("no case applied to this server: nothing was tested (--allow-empty lets that pass)\n")
	}
	if v.Gate.NotRun > 0 {
		b.WriteString("the server never answered; see mcpeval explain server-not-started\n")
	}
}

func (v *view) textReadiness(b *strings.Builder) {
	if v.ReadinessError != "" {
		fmt.Fprintf(b, "readiness: not measured: %s\n", v.ReadinessError)
	}
	if v.Readiness == nil {
		return
	}
	r := v.Readiness
	fmt.Fprintf(b, "readiness: %s of 100, coverage %s of 100 (%s)\n", r.Total, r.Areas.Coverage, r.Standard)
	for _, a := range r.areas() {
		fmt.Fprintf(b, "  %-14s %s\n", a.Name, a.Score)
	}
	if v.Brief {
		return
	}
	for _, group := range r.groups() {
		c := group[0]
		fmt.Fprintf(b, "  lost: %s", c.ID)
		switch {
		case len(group) > 1:
			fmt.Fprintf(b, ", %s", number(len(group), "tool"))
		case c.Tool != (Tool{}):
			fmt.Fprintf(b, ", %s", c.Tool)
		}
		fmt.Fprintf(b, ": %s of 100", c.Score)
		if same := !slices.ContainsFunc(group, func(other *Check) bool { return other.Observed != c.Observed }); same && !c.Observed.IsZero() {
			fmt.Fprintf(b, ", found %s", c.Observed)
		}
		if c.Reason != "" {
			fmt.Fprintf(b, ", %s\n        fix: %s", c.Reason, c.Hint)
		}
		if len(group) > 1 {
			var names []string
			for _, one := range group {
				names = append(names, one.Tool.s)
			}
			b.WriteString("\n        of " + strings.Join(names, ", "))
		}
		b.WriteByte('\n')
	}
}

// groups are the lost checks, those of several tools together that differ in no
// more than what was observed.
func (r *Readiness) groups() [][]*Check {
	var groups [][]*Check
	for i := range r.LostChecks {
		c := &r.LostChecks[i]
		at := slices.IndexFunc(groups, func(g []*Check) bool {
			return g[0].ID == c.ID && g[0].Reason == c.Reason && g[0].Score == c.Score && c.Tool != (Tool{}) && g[0].Tool != (Tool{})
		})
		if at < 0 {
			groups = append(groups, []*Check{c})
			continue
		}
		groups[at] = append(groups[at], c)
	}
	return groups
}
