package cli

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/mcpeval/mcpeval/probes/reason"
)

const explainName = "explain"

type explainOptions struct {
	std    *IO
	label  reason.Label // "" is all
	format string
}

func explainCommand(std *IO) *urfave.Command {
	return &urfave.Command{
		Name:      explainName,
		Usage:     "say what a reason in a report means and how to fix it",
		ArgsUsage: "[REASON]",
		Flags:     []urfave.Flag{formatFlag()},
		Action: func(c *urfave.Context) error {
			f, err := format(c, explainName)
			if err != nil {
				return err
			}
			o := &explainOptions{std: std, format: f}
			if c.Args().Present() {
				name, err := oneArg(c, explainName, "reason")
				if err != nil {
					return err
				}
				o.label = reason.Label(name)
				if !o.label.Known() {
					next := "mcpeval explain"
					if near := reason.Nearest(name); near != "" {
						next += " " + string(near)
					}
					return &usageError{what: fmt.Sprintf("there is no reason %q", name), next: next}
				}
			}
			return runExplain(o)
		},
	}
}

// explainReason is the JSON of one reason.
type explainReason struct {
	Reason  reason.Label  `json:"reason"`
	Class   string        `json:"class"`
	Meaning string        `json:"meaning"`
	Fix     string        `json:"fix"`
	Explain string        `json:"explain"`
	Probes  []reason.Kind `json:"probes"`
}

func explainReasonOf(r reason.Reason) explainReason {
	kinds := r.Kinds
	if kinds == nil {
		kinds = []reason.Kind{}
	}
	return explainReason{r.Label, r.Class.String(), r.Meaning, r.Fix, r.Explain, kinds}
}

func runExplain(o *explainOptions) error {
	r, one := reason.Of(o.label)
	var err error
	switch {
	case one && o.format == formatJSON:
		return writeJSON(o.std.Out, explainReasonOf(r))
	case one:
		_, err = fmt.Fprint(o.std.Out, r.Text())
	case o.format == formatJSON:
		all := []explainReason{}
		for _, r := range reason.All() {
			all = append(all, explainReasonOf(r))
		}
		return writeJSON(o.std.Out, struct {
			Reasons []explainReason `json:"reasons"`
		}{all})
	default:
		_, err = fmt.Fprint(o.std.Out, reason.Table())
	}
	return err
}
