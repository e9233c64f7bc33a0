package report

import (
	"fmt"
	"strings"

	"github.com/mcpeval/mcpeval/probes/reason"
)

// Markdown is the document as a comment on a pull request: a badge, the counts,
// what failed and how to fix it, and everything else folded away.
func (d *Document) Markdown(o *Options) ([]byte, error) {
	v, err := d.view(o)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	v.markdownHead(&b)
	v.markdownFailures(&b)
	v.markdownReadiness(&b)
	if lines := v.Context.lines(d); len(lines) > 0 {
		b.WriteByte('\n')
		for _, line := range lines {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	if remarks := v.Context.Portability; len(remarks) > 0 {
		b.WriteString("\n**Portability** (no part of the score)\n\n")
		for _, remark := range remarks {
			fmt.Fprintf(&b, "- %s\n", remark)
		}
	}
	v.markdownCases(&b)
	fmt.Fprintf(&b, "\n<sub>%s %s", v.Generator.Name, v.Generator.Version)
	if v.ManifestSHA256 != (SHA256{}) {
		fmt.Fprintf(&b, ", manifest `%s`", v.ManifestSHA256.s[:12])
	}
	if v.Context.Protocol != (Revision{}) {
		fmt.Fprintf(&b, ", protocol %s", v.Context.Protocol)
	}
	b.WriteString("</sub>\n")
	return []byte(b.String()), nil
}

// badge is an image of shields.io. Text and colour are words of this program or
// numbers.
func badge(left, right, color string) string {
	return "![" + left + ": " + right + "](https://img.shields.io/badge/" + left + "-" + strings.ReplaceAll(right, " ", "%20") + "-" + color + ")"
}

// code is a name of this package's grammars as code: none holds a backtick or a
// pipe.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func (v *view) markdownHead(b *strings.Builder) {
	fmt.Fprintf(b, "### mcpeval: `%s`\n", v.Server)
	if v.Gate != nil || v.Readiness != nil {
		b.WriteByte('\n')
	}
	if v.Gate != nil {
		color := "red"
		switch v.verdict() {
		case "passed":
			color = "brightgreen"
		case "incomplete", "empty":
			color = "lightgrey"
		}
		b.WriteString(badge("gate", v.verdict(), color))
		if v.Readiness != nil {
			b.WriteByte(' ')
		}
	}
	if v.Readiness != nil {
		color := "red"
		switch {
		case v.Readiness.Total >= 9000:
			color = "brightgreen"
		case v.Readiness.Total >= 7000:
			color = "yellow"
		}
		b.WriteString(badge("readiness", v.Readiness.Total.String(), color))
	}
	if v.Gate != nil || v.Readiness != nil {
		b.WriteByte('\n')
	}
	if v.Gate != nil {
		fmt.Fprintf(b, "\n**%s**\n", v.counts())
	}
}

func (v *view) markdownFailures(b *strings.Builder) {
	first := true
	for i := range v.Cases {
		c := &v.Cases[i]
		if c.Passed != Fail || v.excused[c.ID] {
			continue
		}
		if first {
			b.WriteString("\n| failed case | probe | tool | reason | detail |\n| --- | --- | --- | --- | --- |\n")
			first = false
		}
		detail := c.detail()
		if a := c.attempt(); a != "" {
			detail = strings.TrimPrefix(detail+"; "+a, "; ")
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | `%s` | %s |\n", c.ID, c.Probe, code(c.Tool.s), c.Reason, detail)
	}
	if !first {
		b.WriteByte('\n')
	}
	for i := range v.Cases {
		if c := &v.Cases[i]; c.Passed == Fail && !v.excused[c.ID] {
			fmt.Fprintf(b, "- `%s`: %s. **Fix:** %s.\n", c.ID, meaning(c.Reason), c.Hint)
		}
	}
	for _, id := range v.stale {
		fmt.Fprintf(b, "\n`%s` is listed as a known failure, %s: take it off the list.\n", id, v.staleness(id))
	}
	if v.Gate != nil && v.Gate.NotRun > 0 {
		r := hintOf(reason.ServerNotStarted)
		fmt.Fprintf(b, "\nThe server never answered, so that no case was run. **Fix:** %s.\n", r)
	}
	if v.verdict() == "empty" {
		b.WriteString("\nNo case applied to this server: nothing was tested.\n")
	}
}

func (v *view) markdownReadiness(b *strings.Builder) {
	if v.ReadinessError != "" {
		fmt.Fprintf(b, "\nReadiness was not measured: `%s`.\n", v.ReadinessError)
	}
	if v.Readiness == nil {
		return
	}
	r := v.Readiness
	fmt.Fprintf(b, "\n**Readiness %s of 100, coverage %s of 100** (%s)\n\n", r.Total, r.Areas.Coverage, r.Standard)
	var names, rule, scores strings.Builder
	for _, a := range r.areas() {
		fmt.Fprintf(&names, "| %s ", a.Name)
		rule.WriteString("| ---: ")
		fmt.Fprintf(&scores, "| %s ", a.Score)
	}
	fmt.Fprintf(b, "%s|\n%s|\n%s|\n", names.String(), rule.String(), scores.String())
	if len(r.LostChecks) == 0 {
		return
	}
	fmt.Fprintf(b, "\n<details><summary>%s lost points</summary>\n\n| check | tool | score | found | reason | fix |\n| --- | --- | ---: | ---: | --- | --- |\n", number(len(r.LostChecks), "check"))
	for i := range r.LostChecks {
		c := &r.LostChecks[i]
		found := ""
		if !c.Observed.IsZero() {
			found = c.Observed.String()
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", c.ID, code(c.Tool.s), c.Score, found, code(string(c.Reason)), c.Hint)
	}
	b.WriteString("\n</details>\n")
}

func (v *view) markdownCases(b *strings.Builder) {
	if len(v.Cases) == 0 {
		return
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n| | case | probe | tool | attempts | reason |\n| --- | --- | --- | --- | ---: | --- |\n", number(len(v.Cases), "case"))
	for i := range v.Cases {
		c := &v.Cases[i]
		mark, _ := v.mark(c)
		fmt.Fprintf(b, "| %s | `%s` | %s | %s | %d | %s |\n", strings.TrimSpace(mark), c.ID, c.Probe, code(c.Tool.s), c.Attempts, code(string(c.Reason)))
	}
	b.WriteString("\n</details>\n")
}
