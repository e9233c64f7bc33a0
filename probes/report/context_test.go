package report_test

import (
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

func TestPrice(t *testing.T) {
	tests := []struct {
		text, want, cost string // cost of 4120 tokens
	}{
		{"3", "$3", "$0.01236"},
		{"3.00", "$3", "$0.01236"},
		{"0.25", "$0.25", "$0.00103"},
		{"2.5", "$2.50", "$0.0103"},
		{"0.000001", "$0.000001", "$0"},
		{"1000000", "$1,000,000", "$4,120"},
		{"", "", ""}, {"0", "", ""}, {"-1", "", ""}, {"1e3", "", ""}, {".5", "", ""}, {"5.", "", ""},
		{"1.0000001", "", ""}, {"1000000.1", "", ""}, {"NaN", "", ""}, {"1,5", "", ""}, {"99999999", "", ""},
	}
	for _, tt := range tests {
		p, err := report.ParsePrice(tt.text)
		if (err == nil) != (tt.want != "") {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if err != nil {
			continue
		}
		if p.String() != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, p, tt.want)
		}
		text, err := whole().Text(&report.Options{Context: report.Context{Price: p}})
		if err != nil || !strings.Contains(string(text), "4,120 tokens a session, "+tt.cost+" at "+tt.want+" per") {
			t.Errorf("%q: %v\n%s", tt.text, err, text)
		}
	}
	c := pass("a", manifest.KindTokenCost)
	c.Measurements = report.Measurements{report.TotalTokens: report.Int(1<<63 - 1)}
	p, _ := report.ParsePrice("1000000")
	if text, err := document(c).Text(&report.Options{Context: report.Context{Price: p}}); err != nil || strings.Contains(string(text), "$-") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestRevision(t *testing.T) {
	for in, want := range map[string]string{"2025-11-25": "2025-11-25", "": "", "hunter2": "unlisted"} {
		if got := report.RevisionOf(in).String(); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if n, ok := report.RevisionOf("2025-11-25").Number(); !ok || n != report.Int(20251125) {
		t.Errorf("%v %v", n, ok)
	}
	for _, s := range []string{"", "hunter2"} {
		if _, ok := report.RevisionOf(s).Number(); ok {
			t.Errorf("%q is a number", s)
		}
	}
}

func TestStart(t *testing.T) {
	for want, start := range map[string]report.Start{
		"the server exited with code 127, with 43 bytes on stderr":     {Exited: true, Code: 127, StderrBytes: 43},
		"the server exited with code 0, with 0 bytes on stderr":        {Exited: true},
		"the server was ended by signal 9, with 1,024 bytes on stderr": {Exited: true, Code: -1, Signal: 9, StderrBytes: 1024},
		"the server stayed silent, with 12,345 bytes on stderr":        {StderrBytes: 12345},
		"the server answered with HTTP status 404":                     {Status: 404},
	} {
		down := document(other("a", manifest.KindTokenCost, reason.ServerNotStarted))
		for _, form := range []string{"text", "markdown"} {
			data, err := forms[form](down, &report.Options{Context: report.Context{Start: &start}})
			if err != nil || !strings.Contains(string(data), want) {
				t.Errorf("%v, %q is not in\n%s", err, want, data)
			}
		}
	}
}

// TestContextStaysOutside: what is context changes text and Markdown and no other
// form.
func TestContextStaysOutside(t *testing.T) {
	d := whole()
	o := &report.Options{Context: report.Context{
		Protocol: report.RevisionOf("2025-11-25"), Price: 3_000_000, Place: &report.Place{Below: 62, Of: 100},
		Notes: []report.Note{{Kind: report.NoteStrayLines, Count: 2}, {Kind: report.NoteRespawned}},
	}}
	for name, f := range forms {
		plain, err := f(d, nil)
		if err != nil {
			t.Fatal(err)
		}
		rich, err := f(d, o)
		if err != nil {
			t.Fatal(err)
		}
		if outside := name == "text" || name == "brief" || name == "markdown"; outside == (string(plain) == string(rich)) {
			t.Errorf("%s: context shows: %v", name, !outside)
		} else if outside {
			for _, part := range []string{"2025-11-25", "$0.01236", "62 of 100", "2 lines", "started again"} {
				if !strings.Contains(string(rich), part) {
					t.Errorf("%s does not show %q:\n%s", name, part, rich)
				}
			}
		}
	}
}

// forms are all forms of a document.
var forms = map[string]func(*report.Document, *report.Options) ([]byte, error){
	"json":     func(d *report.Document, _ *report.Options) ([]byte, error) { return d.Encode() },
	"text":     (*report.Document).Text,
	"markdown": (*report.Document).Markdown,
	"sarif":    (*report.Document).SARIF,
	"junit":    (*report.Document).JUnit,
	"brief": func(d *report.Document, o *report.Options) ([]byte, error) {
		brief := report.Options{}
		if o != nil {
			brief = *o
		}
		brief.Brief = true
		return d.Text(&brief)
	},
}

func TestEveryNoteSaysSomething(t *testing.T) {
	seen := map[string]bool{}
	for kind := report.NoteRespawned; kind <= report.NoteServerEndedItself; kind++ {
		for _, n := range []int64{1, 2} {
			text, err := document(pass("a", manifest.KindTokenCost)).Text(&report.Options{Context: report.Context{Notes: []report.Note{{Kind: kind, Count: n}}}})
			if err != nil {
				t.Fatal(err)
			}
			_, note, ok := strings.Cut(string(text), "note: ")
			if !ok || n == 2 && seen[note] && strings.Contains(note, "2") {
				t.Errorf("note %d: %s", kind, text)
			}
			seen[note] = true
		}
	}
	if len(seen) < int(report.NoteServerEndedItself) {
		t.Errorf("%d texts", len(seen))
	}
}
