package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// canaries are texts that may come from a server, a manifest or an environment
// and must not be shown: one that looks like a credential, one of words, one of
// several lines.
var canaries = []string{
	"sk-ant-api03-QUARTERLYmerger7hunter2hunter2hunter2",
	"quarterly merger <b>|`7`</b> & \"hunter2\"",
	"/home/ann/quarterly-merger\nhunter2",
}

// TestCanary plants canaries in every place that takes a text and looks for them
// in every form. Where a text is refused, the error must not hold it either.
func TestCanary(t *testing.T) {
	for _, canary := range canaries {
		leaks := func(where string, data []byte) {
			for _, part := range append(strings.FieldsFunc(canary, func(r rune) bool { return r == '\n' }), "hunter2", "QUARTERLY", "merger") {
				if bytes.Contains(data, []byte(part)) {
					t.Errorf("%s shows %q of %q", where, part, canary)
				}
			}
		}
		refused := func(where string, err error) {
			if err == nil {
				t.Errorf("%s takes %q", where, canary)
				return
			}
			leaks(where, []byte(err.Error()))
		}

		d := whole()
		for i := range d.Cases {
			d.Cases[i].Tool = report.ToolOf(canary)
			d.Cases[i].Hint = report.Hint(canary)
		}
		for i := range d.Readiness.LostChecks {
			d.Readiness.LostChecks[i].Tool = report.ToolOf(canary)
			d.Readiness.LostChecks[i].Hint = report.Hint(canary)
		}
		options := &report.Options{
			Context:  report.Context{Protocol: report.RevisionOf(canary), Notes: []report.Note{{Kind: 250, Count: 7}}},
			Manifest: "/home/ann/hunter2/QUARTERLY/m.json",
		}
		for name, f := range forms {
			data, err := f(d, options)
			if err != nil {
				t.Fatal(err)
			}
			leaks(name, data)
			if !bytes.Contains(data, []byte("unlisted")) {
				t.Errorf("%s does not show the tool as unlisted", name)
			}
		}
		diff := compared(t, whole(), d)
		data, err := diff.Encode()
		if err != nil {
			t.Fatal(err)
		}
		leaks("diff", bytes.Join([][]byte{data, diff.Text(false), diff.Markdown()}, nil))
		c, err := report.SideBySide(d.Generator, []*report.Document{d, d})
		if err != nil {
			t.Fatal(err)
		}
		if data, err = c.Encode(); err != nil {
			t.Fatal(err)
		}
		leaks("comparison", bytes.Join([][]byte{data, c.Text(), c.Markdown()}, nil))

		if !strings.HasPrefix(canary, "sk-") { // a label somebody chose may look like anything its grammar allows
			_, err = report.NewLabel(canary)
			refused("a label", err)
			_, err = report.NewCaseID(canary)
			refused("a case id", err)
			_, err = report.ParseKnown([]byte("fine\n" + canary))
			refused("a known failure", err)
		}
		_, err = report.ParseSHA256(canary)
		refused("a digest", err)
		_, err = report.ParsePrice(canary)
		refused("a price", err)
		_, err = report.Read([]byte(canary))
		refused("a document", err)
		for name, edit := range map[string]func(*report.Case){
			"kind":        func(c *report.Case) { c.Probe = manifest.Kind(canary) },
			"reason":      func(c *report.Case) { c.Reason = reason.Label(canary) },
			"bound":       func(c *report.Case) { c.Detail = report.Over(report.Bound(canary), 1, 2) },
			"measurement": func(c *report.Case) { c.Measurements = report.Measurements{report.Metric(canary): report.Int(1)} },
		} {
			c := fail("a", manifest.KindTokenCost, reason.TokenBudgetExceeded)
			edit(&c)
			bad := document(c)
			for form, f := range forms {
				data, err := f(bad, nil)
				refused(name+" in "+form, err)
				leaks(name+" in "+form, data)
			}
		}
	}
}
