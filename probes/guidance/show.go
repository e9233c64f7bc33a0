package guidance

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/mcpeval/mcpeval/probes/document"
)

// Encode writes the document: members in their fixed order, two spaces of
// indentation, a final newline.
func (r *Report) Encode() ([]byte, error) {
	return document.Encode(r)
}

// Text is the document for a terminal.
func (r *Report) Text() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "server %s\n\n", r.Server)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "CLIENT DECLARES\tTOOLS\tNAMED IN INSTRUCTIONS\n")
	for _, s := range r.Profiles {
		switch {
		case s.Error != "":
			fmt.Fprintf(w, "%s\t-\tnot measured: %s\n", s.Profile, s.Error)
		case !s.Instructions:
			fmt.Fprintf(w, "%s\t%d\tno instructions\n", s.Profile, s.Tools)
		default:
			fmt.Fprintf(w, "%s\t%d\t%d\n", s.Profile, s.Tools, s.Named)
		}
	}
	_ = w.Flush() // a strings.Builder takes everything
	b.WriteByte('\n')
	if len(r.Candidates) == 0 {
		b.WriteString("nothing to review: no client is told of a tool that only others have\n")
	}
	for _, c := range r.Candidates {
		fmt.Fprintf(&b, "review: the instructions for a client that declares %s name %s, which only these have: %s\n", c.Profile, c.Tool, joined(c.ListedBy))
	}
	if len(r.Candidates) > 0 {
		b.WriteString("fix: leave the tool out of these instructions, say what it needs, or list it for every client\n")
	}
	for _, q := range r.Required {
		if len(q.Missing) > 0 {
			fmt.Fprintf(&b, "missing: %s is not listed for a client that declares %s\n", q.Tool, joined(q.Missing))
		}
	}
	if len(r.Required) > 0 {
		verdict := "incomplete"
		if r.Passed != nil {
			verdict = "failed"
			if *r.Passed {
				verdict = "passed"
			}
		}
		fmt.Fprintf(&b, "gate: %s\n", verdict)
	}
	return []byte(b.String())
}

func joined(list []Profile) string {
	var words []string
	for _, p := range list {
		words = append(words, string(p))
	}
	return strings.Join(words, ", ")
}
