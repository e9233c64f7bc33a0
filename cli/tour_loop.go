package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections/query"
	"github.com/mcpeval/mcpeval/server/app"
)

// tourStep is what the tour does below a heading.
type tourStep struct {
	heading string
	run     func() error
}

// steps are the whole loop: from sessions to a finding, to a case that
// reproduces it, to the fix that closes it, and to the failure that opens it
// again.
func (t *tour) steps(ctx context.Context) []tourStep {
	session := func(name string) func() error { return func() error { return t.session(ctx, name) } }
	return []tourStep{
		{"An agent session: the client starts the server through the shim.", session("monday")},
		{"Another session, another day: the server fails again.", session("tuesday")},
		{"Bring the index up to date.", t.command("index")},
		{"How did the calls end?", t.command("calls")},
		{"The index is plain SQLite. Ask it yourself.", func() error { return t.query(ctx) }},
		{"What fails in more than one session, and costs enough, is a finding.", func() error { return t.find(ctx, query.StateOpen, "findings") }},
		{"Make the case that reproduces it, from the shape of the arguments that failed.", t.generate},
		{"It is red against the server as it is.", func() error { return t.verify(exitFound, "--broken", "flaky") }},
		{"Against the fixed server it is green. Three times in a row close the finding.", func() error {
			for range 3 {
				if err := t.verify(exitOK); err != nil {
					return err
				}
			}
			return t.find(ctx, query.StateClosed, "findings", "--state", query.StateClosed)
		}},
		{"Was it really fixed? A session later it fails again, which reopens it.", session("wednesday")},
		{"The event that reopened it is named.", func() error {
			if err := t.mcpeval(exitOK, "index"); err != nil {
				return err
			}
			return t.find(ctx, query.StateOpen, "findings")
		}},
		{"How ready is the fixed server for agents?", func() error {
			return errors.Join(
				t.mcpeval(exitOK, "score", "--server", "demo", "--brief", "--", t.program, "demo-server"),
				t.mcpeval(exitOK, "index"), t.mcpeval(exitOK, "trends"))
		}},
		{"Was anything private stored? A finding of the doctor would name a file and line.", t.command("doctor", "--check-redaction")},
		{"What does the finding rest on, and was any of it altered or lost?", func() error {
			if err := t.mcpeval(exitOK, "audit", "--finding", t.finding); err != nil {
				return err
			}
			return t.mcpeval(exitOK, "audit")
		}},
	}
}

// find runs a command that shows the findings, of which there has to be one, in
// a state.
func (t *tour) find(ctx context.Context, state string, args ...string) error {
	if err := t.mcpeval(exitOK, args...); err != nil {
		return err
	}
	list, err := app.Findings(ctx, &home.Home{Dir: t.home}, query.FindingFilter{Server: "demo"})
	switch {
	case err != nil:
		return err
	case len(list) != 1:
		return fmt.Errorf("the tour ends here: there are %d findings, not one", len(list))
	case list[0].State != state:
		return fmt.Errorf("the tour ends here: the finding is %s, not %s", list[0].State, state)
	case t.finding != "" && state == query.StateOpen && list[0].RegressedBy == nil:
		return errors.New("the tour ends here: nothing reopened the finding")
	}
	t.finding = list[0].ID
	return nil
}

// manifest is the file of the generated case.
func (t *tour) manifest() string { return filepath.Join(t.home, "probes.json") }

func (t *tour) generate() error {
	return t.mcpeval(exitOK, "generate", "--finding", t.finding, "--output", t.manifest(), "--confirm-read-only")
}

// verify runs the generated case, whose ID is the finding's, against the demo
// server.
func (t *tour) verify(want int, flags ...string) error {
	args := []string{"verify", "--finding", t.finding, "--case", t.finding, "--manifest", t.manifest(), "--brief", "--", t.program, "demo-server"}
	return t.mcpeval(want, append(args, flags...)...)
}
