package portability

import (
	"fmt"
	"strings"
)

// Describe is docs/portability.md: every cause, and what it does to whom.
func Describe() string {
	var b strings.Builder
	b.WriteString(`# Portability

Written from the code (` + "`go test ./probes/portability -update`" + `).

A server that is fine with one client can be dead with another: the SDKs that clients are built on differ in what they let pass. ` + "`mcpeval score`" + ` and ` + "`mcpeval probe`" + ` look at every
message that they get anyway and say, beside the score and never in it, which clients would lose something, why, and what to change. It is text and Markdown only; no JSON report has it.

The table was measured with the official SDKs (TypeScript 1.32 and 2.4, Go 1.8, Python 2.3), and the end-to-end test measures it again on some ninety servers that are broken in one thing each. What
is lost is the connection, every tool, or one answer, depending on the message that has the fault; "ends" is the whole session, from then on.

| cause | ` + joined(Families()) + ` | fix |
| --- |` + strings.Repeat(" --- |", len(Families())) + ` --- |
`)
	for _, r := range rules() {
		fmt.Fprintf(&b, "| %s |", r.text)
		for _, f := range Families() {
			effect, breaks := r.breaks[f]
			cell := "fine"
			switch {
			case breaks && effect == "":
				cell = "**lost**"
			case breaks && effect == EndOfSession:
				cell = "**ends**"
			case breaks:
				cell = "**" + string(effect) + "**"
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		fmt.Fprintf(&b, " %s |\n", r.fix)
	}
	b.WriteString(`
Not seen: an answer whose line never ends (the TypeScript and Python clients lose it), and what models and their providers make of a schema.
`)
	return b.String()
}

func joined(families []Family) string {
	var names []string
	for _, f := range families {
		names = append(names, string(f))
	}
	return strings.Join(names, " | ")
}
