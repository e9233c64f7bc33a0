package cli

import (
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	reports "github.com/mcpeval/mcpeval/probes/report"
)

// The values of --format that only some verbs have.
const (
	formatMarkdown = "markdown"
	formatSARIF    = "sarif"
	formatJUnit    = "junit"
	formatAgent    = "agent"
	formatMD       = "md"
)

// formatsOf are the values of a verb's --format.
func formatsOf(verb string) []string {
	switch verb {
	case probeName, reportName:
		return []string{formatText, formatJSON, formatMarkdown, formatSARIF, formatJUnit}
	case diffName, compareName, scoreName:
		return []string{formatText, formatJSON, formatMarkdown}
	case findingsName:
		return []string{formatAgent, formatMD, formatJSON}
	}
	return []string{formatText, formatJSON}
}

// formatsFlag is the --format of a verb that has more than two.
func formatsFlag(verb string) urfave.Flag {
	return &urfave.StringFlag{Name: "format", Value: formatText, Usage: "`FORMAT`: " + joinedOr(formatsOf(verb))}
}

// formatOf reads the flag of formatsFlag.
func formatOf(c *urfave.Context, verb string) (string, error) {
	f := c.String("format")
	if !slices.Contains(formatsOf(verb), f) {
		return "", usagef(verb, "--format takes %s", joinedOr(formatsOf(verb)))
	}
	return f, nil
}

// joinedOr is "a, b or c".
func joinedOr(list []string) string {
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// render shows a document in a format.
func render(d *reports.Document, format string, o *reports.Options) ([]byte, error) {
	switch format {
	case formatJSON:
		return d.Encode()
	case formatMarkdown:
		return d.Markdown(o)
	case formatSARIF:
		return d.SARIF(o)
	case formatJUnit:
		return d.JUnit(o)
	}
	return d.Text(o)
}
