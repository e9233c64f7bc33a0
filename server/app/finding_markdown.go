package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpeval/mcpeval/projections/query"
)

// shownEvidence is how many event IDs a person is shown; JSON has more.
const shownEvidence = 5

// FindingMarkdown is one finding for people, with nothing in it but what the
// finding holds: no notes, sessions or raw values.
func FindingMarkdown(f *query.Finding) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", FindingTitle(f))
	fmt.Fprintf(&b, "`%s`, severity %s, %s\n\n", f.ID, f.Severity, stateText(f))
	fmt.Fprintf(&b, "%s, in %s, from %s to %s.\n\n", extent(f), count(f.Sessions, "session"), f.FirstSeen, f.LastSeen)
	fmt.Fprintf(&b, "**What to change:** %s.\n\n", f.Hint)
	b.WriteString("| | |\n| --- | --- |\n")
	row := func(name, value string) { fmt.Fprintf(&b, "| %s | %s |\n", name, value) }
	row("class", "`"+f.Class+"`")
	if f.Tool != "" {
		row("tool", "`"+f.Tool+"`")
	}
	if len(f.Codes) > 0 {
		row("error codes", "`"+strings.Join(f.Codes, "`, `")+"`")
	}
	row("may be retried", retryText(f.Retryable))
	row("calls spent around a failure", fmt.Sprintf("%g", f.Cost))
	row("tools around a failure", fmt.Sprint(f.Blast))
	row("score", fmt.Sprintf("%.3f", f.Score))
	if f.TemplateID != "" {
		row("error text", "`"+f.TemplateID+"`")
	}
	if shape := indented(f.Repro); shape != "" {
		fmt.Fprintf(&b, "\nThe arguments of the first failure, as a shape:\n\n```json\n%s\n```\n", shape)
	}
	b.WriteString("\n" + evidenceText(f) + "\n")
	return []byte(b.String())
}

// FindingTitle names a finding in one line.
func FindingTitle(f *query.Finding) string {
	what := map[string]string{
		query.ClassUnstableCode:       "one failure has several error codes",
		query.ClassFalseSuccess:       "reports success where there was none",
		query.ClassBlockedPath:        "the direct way is blocked",
		query.ClassRecoversOnRetry:    "fails, and succeeds when called again",
		query.ClassRetryDidNotRecover: "says to try again, which does not help",
		query.ClassHungCall:           "calls never return",
		query.ClassStdoutNoise:        "writes lines to stdout that are no JSON-RPC",
	}[f.Class]
	if what == "" {
		what = "keeps failing"
		if f.Code != "" {
			what += " with " + f.Code
		}
	}
	if f.Tool == "" {
		return f.Server + ": " + what
	}
	return f.Server + " " + f.Tool + ": " + what
}

func stateText(f *query.Finding) string {
	switch {
	case f.RegressedBy != nil:
		return fmt.Sprintf("%s again: event `%s` came after it was closed", f.State, *f.RegressedBy)
	case f.State == query.StateVerifying:
		return fmt.Sprintf("%s, %d of 3 green", f.State, f.ConsecutivePasses)
	}
	return f.State
}

// extent says how often it happened.
func extent(f *query.Finding) string {
	of := "calls"
	if f.Class == query.ClassStdoutNoise {
		of = "runs"
	}
	return fmt.Sprintf("%d of %d %s (%.1f %%)", f.Failures, f.Calls, of, 100*f.Rate)
}

func retryText(retryable *bool) string {
	switch {
	case retryable == nil:
		return "not known, or only some"
	case *retryable:
		return "yes, the errors say"
	}
	return "no, the errors say"
}

// indented is a shape for people to read, "" for none.
func indented(shape json.RawMessage) string {
	var b bytes.Buffer
	if len(shape) == 0 || string(shape) == "null" || json.Indent(&b, shape, "", "  ") != nil {
		return ""
	}
	return b.String()
}

// evidenceText names the newest events behind a finding.
func evidenceText(f *query.Finding) string {
	var b strings.Builder
	shown, without := 0, 0
	for i := len(f.Evidence) - 1; i >= 0; i-- {
		switch id := f.Evidence[i]; {
		case id == nil:
			without++
		case shown < shownEvidence:
			if shown == 0 {
				b.WriteString("The newest events:\n\n")
			}
			fmt.Fprintf(&b, "- `%s`\n", *id)
			shown++
		}
	}
	if shown > 0 {
		b.WriteString("\n")
	}
	if without > 0 {
		fmt.Fprintf(&b, "Of the newest, %s no event ID. ", plural(without, "record has", "records have"))
	}
	fmt.Fprintf(&b, "All of them, with file, line and digest: `mcpeval audit --finding %s`", f.ID)
	return b.String()
}

func count(n int64, noun string) string { return plural(int(n), noun, noun+"s") }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
