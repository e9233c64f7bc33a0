package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/projections"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/server/app"
)

type auditOptions struct {
	std     *IO
	finding string
	wait    time.Duration
	format  string
}

func auditCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:  "audit",
		Usage: "read every log again and say whether anything was altered or lost",
		Description: "For each capture: gaps, the chain of digests, how it ended, copies, and what the witness in the ledger saw of it; " +
			"whether index and ledger are what the logs give, and which findings rest on what was altered or lost. It cannot tell who wrote a log.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "finding", Usage: "list the evidence of the finding `ID`, call by call"},
			waitFlag(), formatFlag(),
		},
		Action: func(c *urfave.Context) error {
			f, err := format(c, "audit")
			if err != nil {
				return err
			}
			if err := noArgs(c, "audit"); err != nil {
				return err
			}
			if c.Duration("wait") < 0 {
				return usagef("audit", "--wait takes a time that is not negative")
			}
			o := &auditOptions{std, c.String("finding"), c.Duration("wait"), f}
			if c.IsSet("finding") {
				return runAuditFinding(c.Context, o)
			}
			return runAudit(c.Context, o)
		},
	}
}

func runAudit(ctx context.Context, o *auditOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	h, err := o.std.home()
	if err != nil {
		return err
	}
	p := newProgress(o.std, "auditing")
	report, err := app.Audit(ctx, h, o.options(p))
	p.clear()
	if err != nil {
		return auditProblem(err)
	}
	if o.format == formatJSON {
		err = writeJSON(o.std.Out, struct {
			Broken bool `json:"broken"`
			*app.Audited
		}{report.Broken(), report})
	} else {
		err = writeAudit(o.std, report)
	}
	if err == nil && report.Broken() {
		return errFound
	}
	return err
}

func (o *auditOptions) options(p *progress) *projections.Options {
	wait := o.wait
	if wait == 0 {
		wait = -1 // of projections.Options: do not wait
	}
	return &projections.Options{
		Wait:     wait,
		Progress: func(at projections.Progress) { p.update(at.Bytes, at.Total) },
		Now:      o.std.Now,
	}
}

func auditProblem(err error) error {
	var locked *home.LockedError
	switch {
	case errors.As(err, &locked):
		return lockProblem(err)
	case errors.Is(err, context.Canceled):
		return err
	}
	if _, ok := errors.AsType[*app.InputError](err); ok {
		return inputProblem(err)
	}
	return homeProblem(fmt.Errorf("audit journal: %w", err))
}

func writeAudit(std *IO, r *app.Audited) error {
	t := &table{
		header: []string{"CAPTURE", "SERVER", "EVENTS", "CHAIN", "MISSING", "END", "COPIES", "WITNESS"},
		right:  map[int]bool{2: true, 6: true},
	}
	broken := 0
	for i := range r.Captures {
		c := &r.Captures[i]
		if c.Broken() {
			broken++
		}
		t.add(c.CaptureID, orDash(c.Server), fmt.Sprint(c.Events), chain(c), missing(c.Missing), ending(c), fmt.Sprint(c.Copies), witness(c))
	}
	if len(r.Captures) > 0 {
		if err := t.write(std); err != nil {
			return err
		}
	}
	var b strings.Builder
	for _, l := range r.Legacy {
		fmt.Fprintf(&b, "%s: %s, %s\n", journal.Shown(l.File), plural(l.Records, "record"), l.Status)
	}
	for _, c := range r.Corrupt {
		fmt.Fprintf(&b, "%s: cannot be read: %s\nnext: mcpeval journal repair %s\n", c.Place(), c.Reason, journal.Shown(c.Path))
	}
	if c := r.Conflict; c != nil {
		fmt.Fprintf(&b, "%s and %s: %s\nnext: %s\n", c.A, c.B, c.Rule, c.Next)
	}
	fmt.Fprintf(&b, "captures: %d, broken: %d\n", len(r.Captures), broken)
	fmt.Fprintf(&b, "index: %s; ledger: %s; events not indexed: %d\n", r.Index, r.Ledger, r.Unread)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s rests on what was altered or lost: %s\n", f.ID, evidenceCounts(&f))
	}
	if next := auditNext(r.AuditReport); next != "" {
		fmt.Fprintf(&b, "next: %s\n", next)
	}
	if r.Since == nil {
		fmt.Fprintln(&b, "nothing witnessed yet: what was lost before the first index cannot be told")
	} else {
		fmt.Fprintf(&b, "witnessed since %s: what was lost before cannot be told\n", stamp(*r.Since))
	}
	fmt.Fprintln(&b, "the chain shows alteration and loss; it does not authenticate who wrote a log")
	_, err := fmt.Fprint(std.Out, b.String())
	return err
}

// auditNext is what makes index and ledger agree with the logs again; a conflict
// has a next step of its own.
func auditNext(r *projections.AuditReport) string {
	switch {
	case r.Conflict != nil:
		return ""
	case r.Index == projections.Differs || r.Index == projections.Unreadable || r.Ledger == projections.Differs || r.Ledger == projections.Unreadable:
		return "mcpeval index --rebuild"
	case r.Index == projections.Agrees && r.Ledger == projections.Absent:
		return "mcpeval index"
	}
	return ""
}

func chain(c *projections.CaptureAudit) string {
	if c.Chain == projections.ChainBroken {
		return fmt.Sprintf("%s at %d", c.Chain, c.BrokenSeq)
	}
	return string(c.Chain)
}

func missing(list []index.Interval) string {
	if len(list) == 0 {
		return "-"
	}
	var parts []string
	for _, i := range list {
		part := strconv.FormatInt(i.Lo, 10)
		if i.Hi != i.Lo {
			part += "-" + strconv.FormatInt(i.Hi, 10)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

func ending(c *projections.CaptureAudit) string {
	switch {
	case c.Corrupt != nil:
		return fmt.Sprintf("corrupt at line %d", c.Corrupt.Line)
	case c.Reordered > 0:
		return fmt.Sprintf("out of order at line %d", c.Reordered)
	case c.TornBytes > 0:
		return "torn"
	case c.Ended:
		return "clean"
	}
	return "none"
}

func witness(c *projections.CaptureAudit) string {
	if c.Witness == projections.WitnessShorter {
		return fmt.Sprintf("%s: saw %d", c.Witness, c.SeenSeq)
	}
	return string(c.Witness)
}
