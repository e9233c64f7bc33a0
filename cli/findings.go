package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/query"
	"github.com/mcpeval/mcpeval/server/app"
)

const findingsName = "findings"

type findingsOptions struct {
	std    *IO
	filter query.FindingFilter
	format string
}

func findingsCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  findingsName,
		Usage: "list recurring failures with what to change and the evidence",
		Description: "A finding is a failure that was seen in two sessions and costs enough. It holds no arguments, error texts, notes or sessions. " +
			"agent is dense text for a model, md is for people, json has everything. States: " + strings.Join(app.FindingStates(), ", ") + ".",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "state", Usage: "only those in `STATE`"},
			&urfave.StringFlag{Name: "server", Usage: "only those of `LABEL`"},
			&urfave.StringFlag{Name: "format", Value: formatAgent, Usage: "`FORMAT`: " + joinedOr(formatsOf(findingsName))},
		},
		Action: func(c *urfave.Context) error {
			f, err := formatOf(c, findingsName)
			if err != nil {
				return err
			}
			if err := noArgs(c, findingsName); err != nil {
				return err
			}
			return runFindings(c.Context, &findingsOptions{std, query.FindingFilter{State: c.String("state"), Server: c.String("server")}, f})
		},
	}
}

func runFindings(ctx context.Context, o *findingsOptions) error {
	h, err := o.std.home()
	if err != nil {
		return err
	}
	list, err := app.Findings(ctx, h, o.filter)
	if err != nil {
		return askedProblem(findingsName, err)
	}
	if len(list) == 0 {
		fmt.Fprintln(o.std.Err, noFindings(h, o.filter))
	}
	var text []byte
	switch o.format {
	case formatJSON:
		if text, err = app.EncodeFindings(list); err != nil {
			return err
		}
	case formatMD:
		for i := range list {
			if i > 0 {
				text = append(text, "\n---\n\n"...)
			}
			text = append(text, app.FindingMarkdown(&list[i])...)
		}
	default:
		for i := range list {
			text = append(text, agentText(&list[i])...)
		}
	}
	_, err = o.std.Out.Write(text)
	return err
}

// noFindings says why there may be none.
func noFindings(h *home.Home, f query.FindingFilter) string {
	switch _, err := os.Stat(h.IndexPath()); {
	case errors.Is(err, os.ErrNotExist):
		return "mcpeval: no findings: there is no index yet\nnext: mcpeval index"
	case f != (query.FindingFilter{}):
		return "mcpeval: no findings answer to --state and --server\nnext: mcpeval findings"
	}
	return "mcpeval: no findings: nothing failed in two sessions and often enough\nnext: mcpeval index, then mcpeval promote says what is left out and why"
}

// agentText is a finding in few words: a line of what it is, the numbers, what
// to change, what to call, and where it was seen.
func agentText(f *query.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s %s server=%s", f.ID, f.Severity, f.State, f.Class, f.Server)
	if f.Tool != "" {
		fmt.Fprintf(&b, " tool=%s", f.Tool)
	}
	fmt.Fprintf(&b, "\n  score=%.3f failures=%d/%d rate=%.3f sessions=%d cost=%g blast=%d", f.Score, f.Failures, f.Calls, f.Rate, f.Sessions, f.Cost, f.Blast)
	if len(f.Codes) > 0 {
		fmt.Fprintf(&b, " codes=%s", strings.Join(f.Codes, ","))
	}
	if f.Retryable != nil {
		fmt.Fprintf(&b, " retryable=%t", *f.Retryable)
	}
	if f.TemplateID != "" {
		fmt.Fprintf(&b, " template=%s", f.TemplateID)
	}
	fmt.Fprintf(&b, "\n  seen %s to %s", f.FirstSeen, f.LastSeen)
	if f.ConsecutivePasses > 0 {
		fmt.Fprintf(&b, ", green %d of 3", f.ConsecutivePasses)
	}
	if f.RegressedBy != nil {
		fmt.Fprintf(&b, ", regressed by %s", *f.RegressedBy)
	}
	fmt.Fprintf(&b, "\n  fix: %s\n", f.Hint)
	if len(f.Repro) > 0 {
		fmt.Fprintf(&b, "  args: %s\n", f.Repro)
	}
	return b.String() + "  evidence: " + agentEvidence(f.Evidence) + "\n"
}

// agentEvidence are the newest event IDs, newest first.
func agentEvidence(ids []*string) string {
	const most = 3
	var shown []string
	for i := len(ids) - 1; i >= 0 && len(shown) < most; i-- {
		if ids[i] != nil {
			shown = append(shown, *ids[i])
		}
	}
	switch more := len(ids) - len(shown); {
	case len(shown) == 0:
		return plural(more, "record") + " without an ID"
	case more > 0:
		return fmt.Sprintf("%s +%d", strings.Join(shown, " "), more)
	}
	return strings.Join(shown, " ")
}

// askedProblem makes the errors of what was asked of the index ours.
func askedProblem(verb string, err error) error {
	if e, ok := errors.AsType[*app.InputError](err); ok {
		next := e.Next
		if next == "" {
			next = "mcpeval " + verb + " --help"
		}
		return &usageError{what: err.Error(), next: next}
	}
	if _, ok := errors.AsType[*app.Problem](err); ok {
		return err
	}
	return homeProblem(err)
}
