package cli

import (
	"context"
	"fmt"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/server/app"
)

// runAuditFinding lists the evidence of one finding.
func runAuditFinding(ctx context.Context, o *auditOptions) error {
	ctx, stop := interruptible(ctx)
	defer stop()
	h, err := o.std.home()
	if err != nil {
		return err
	}
	p := newProgress(o.std, "auditing")
	audit, evidence, err := app.AuditFinding(ctx, h, o.finding, o.options(p))
	p.clear()
	if err != nil {
		return auditProblem(err)
	}
	if o.format == formatJSON {
		err = writeJSON(o.std.Out, struct {
			Broken   bool                `json:"broken"`
			Finding  *app.FindingAudit   `json:"finding"`
			Evidence []app.EvidenceAudit `json:"evidence"`
		}{audit.Broken(), audit, evidence})
	} else {
		err = writeEvidence(o.std, audit, evidence)
	}
	if err == nil && audit.Broken() {
		return errFound
	}
	return err
}

func writeEvidence(std *IO, audit *app.FindingAudit, evidence []app.EvidenceAudit) error {
	t := &table{
		header: []string{"EVENT", "CAPTURE", "SEQ", "FILE:LINE", "LINE", "CHAIN", "WITNESS", "DIGEST"},
		right:  map[int]bool{2: true},
	}
	for _, e := range evidence {
		place := journal.Place{Path: e.File, Line: e.Line}
		t.add(textOrDash(e.EventID), textOrDash(e.CaptureID), fmt.Sprint(e.Seq), place.String(), string(e.LineState), string(e.Chain), orDash(string(e.Witness)), e.Digest)
	}
	if err := t.write(std); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(std.Out, "%s: %s\n", audit.ID, evidenceCounts(audit)); err != nil {
		return err
	}
	_, err := fmt.Fprintln(std.Out, "the chain shows alteration and loss; it does not authenticate who wrote a log")
	return err
}

// evidenceCounts says how much of a finding's evidence is what it was.
func evidenceCounts(f *app.FindingAudit) string {
	return fmt.Sprintf("failing calls: %d; their line was altered or lost: %d; their capture was altered elsewhere: %d", f.Events, f.Altered, f.Doubtful)
}

func textOrDash(s *string) string {
	if s == nil {
		return "-"
	}
	return *s
}
