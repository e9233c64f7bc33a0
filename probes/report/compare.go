package report

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/mcpeval/mcpeval/probes/document"
	"github.com/mcpeval/mcpeval/probes/reason"
)

// ComparisonSchema is the value of a comparison's first member.
const ComparisonSchema = "mcpeval.probe-comparison/v1"

// Comparison sets the results of one manifest on several targets side by side.
type Comparison struct {
	// Schema is the name and version of this form.
	Schema         string    `json:"schema"`
	Generator      Generator `json:"generator"`
	ManifestSHA256 SHA256    `json:"manifest_sha256"`
	// Targets are the servers, in the order they were given.
	Targets []Side `json:"targets"`
	// Cases are in the manifest's order.
	Cases []ComparedCase `json:"cases"`
}

// ComparedCase is one case on every target.
type ComparedCase struct {
	ID    CaseID      `json:"id"`
	Probe reason.Kind `json:"probe"`
	// Results are in the order of the targets.
	Results []State `json:"results"`
}

// SideBySide compares documents of one manifest and one selection of its cases.
// The error is an *Error.
func SideBySide(generator Generator, docs []*Document) (*Comparison, error) {
	if len(docs) < 2 {
		return nil, &Error{"", "a comparison needs two targets"}
	}
	first := docs[0]
	c := &Comparison{Schema: ComparisonSchema, Generator: generator, ManifestSHA256: first.ManifestSHA256, Cases: []ComparedCase{}}
	for i := range first.Cases {
		c.Cases = append(c.Cases, ComparedCase{ID: first.Cases[i].ID, Probe: first.Cases[i].Probe})
	}
	for n, d := range docs {
		if err := d.Validate(); err != nil {
			return nil, err
		}
		at := "target " + decimal(int64(n)+1)
		if d.Gate == nil || d.ManifestSHA256 != first.ManifestSHA256 || len(d.Cases) != len(c.Cases) {
			return nil, &Error{at, "comes from another manifest or another selection of cases"}
		}
		c.Targets = append(c.Targets, sideOf(d))
		for i := range d.Cases {
			if d.Cases[i].ID != c.Cases[i].ID || d.Cases[i].Probe != c.Cases[i].Probe {
				return nil, &Error{at, "comes from another manifest or another selection of cases"}
			}
			c.Cases[i].Results = append(c.Cases[i].Results, *stateOf(&d.Cases[i]))
		}
	}
	return c, nil
}

// Exit is the exit code of a comparison: the worst of its targets.
func (c *Comparison) Exit() int {
	code := ExitPassed
	for i, t := range c.Targets {
		if !t.Passed {
			code = max(code, ExitFailed)
		}
		for _, k := range c.Cases {
			switch reason.ClassOf(k.Results[i].Reason) {
			case reason.Fault, reason.NotRun:
				code = ExitIncomplete
			}
		}
	}
	return code
}

// Encode writes the comparison, in the form of Document.Encode.
func (c *Comparison) Encode() ([]byte, error) { return document.Encode(c) }

// Text is the comparison for a terminal: a row a case, a column a target.
func (c *Comparison) Text() []byte {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.StripEscape)
	for i, row := range c.rows() {
		fmt.Fprintln(w, strings.Join(row, "\t"))
		if i == 0 || i == len(c.Cases) {
			fmt.Fprintln(w, strings.Repeat("\t", len(row)-1))
		}
	}
	_ = w.Flush() // a strings.Builder takes everything
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return []byte(strings.Join(lines, "\n"))
}

// Markdown is the comparison as a table.
func (c *Comparison) Markdown() []byte {
	var b strings.Builder
	b.WriteString("### mcpeval: comparison\n\n")
	for i, row := range c.rows() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", strings.Repeat(" --- |", len(row)))
		}
	}
	fmt.Fprintf(&b, "\n<sub>%s %s, manifest `%s`</sub>\n", c.Generator.Name, c.Generator.Version, c.ManifestSHA256.s[:12])
	return []byte(b.String())
}

// rows are a head, a row a case, and what concerns whole targets.
func (c *Comparison) rows() [][]string {
	head := []string{"case", "probe"}
	gate, ready, tokens := []string{"gate", ""}, []string{"readiness", ""}, []string{"total_tokens", ""}
	for i, t := range c.Targets {
		head = append(head, t.Server.s)
		word := "FAIL"
		if t.Passed {
			word = "pass"
		}
		gate = append(gate, word+" "+decimal(t.Gate.Passed)+"/"+decimal(t.Gate.Passed+t.Gate.Failed+t.Gate.NotRun))
		score := "-"
		if t.Readiness != nil {
			score = t.Readiness.text()
		}
		ready = append(ready, score)
		tokens = append(tokens, c.tokens(i))
	}
	rows := [][]string{head}
	for _, k := range c.Cases {
		row := []string{k.ID.s, string(k.Probe)}
		for _, s := range k.Results {
			cell := s.short()
			if ms, ok := s.Measurements[LatencyMS].Int(); ok {
				cell += " (" + decimal(ms) + " ms)"
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return append(rows, gate, ready, tokens)
}

func (c *Comparison) tokens(target int) string {
	for _, k := range c.Cases {
		if n, ok := k.Results[target].Measurements[TotalTokens].Int(); ok {
			return grouped(n)
		}
	}
	return "-"
}
