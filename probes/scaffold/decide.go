package scaffold

import (
	"slices"
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/synth"
)

// Decision is what init makes of a tool. The texts are those of --dry-run.
type Decision string

// The decisions, in the order in which the first that applies is taken.
const (
	NotInTool         Decision = "skipped: not in --tool"
	Destructive       Decision = "skipped: destructiveHint"
	Writer            Decision = "skipped: readOnlyHint=false"
	NeedsConfirmation Decision = "needs --confirm-read-only"
	NeedsArguments    Decision = "skipped: required arguments"
	CandidateReadOnly Decision = "candidate (readOnlyHint)"
	CandidateAttested Decision = "candidate (attested)"
)

// Candidate reports whether the tool may be called.
func (d Decision) Candidate() bool { return d == CandidateReadOnly || d == CandidateAttested }

// Source says where a tool's arguments come from. Its text is fixed.
type Source string

// The sources, in the order in which the first that there is is taken.
const (
	FromFile   Source = "its entry in --arguments"
	FromNone   Source = "{}"
	FromSchema Source = "values built from its schema"
)

// Tool is a tool of the catalog and what became of it.
type Tool struct {
	Name     report.Tool // as it may be shown, perhaps "unlisted"
	Entry    int         // its place in the catalog, from 1
	Decision Decision
	Cases    int   // written for it
	Left     *Left // why there are none; nil when there are, and in a dry run

	name      string
	raw       rawjson.Value // the name as received
	entry     rawjson.Value
	arguments []byte
	source    Source
}

// Shown is the name, with its place in the catalog where the name alone tells
// nothing.
func (t *Tool) Shown() string {
	if name := t.Name.String(); name == t.name {
		return name
	}
	return t.Name.String() + " (entry " + strconv.Itoa(t.Entry) + ")"
}

// Called reports whether the tool was called.
func (t *Tool) Called() bool { return t.Cases > 0 || t.Left != nil && t.Left.Why == CallFailed }

// maxToolName is the longest name a manifest holds, in characters.
const maxToolName = 256

// toolsOf makes the tools of a catalog. Entries without a name that a manifest
// may hold are counted; of entries with the same name the first counts. Its error
// is the end of the budget: hostile schemas take their time.
func (r *run) toolsOf(entries []rawjson.Value) (tools []*Tool, unnamed int, err error) {
	seen := make(map[string]bool)
	for i, entry := range entries {
		raw, _ := entry.Get("name")
		name, ok := raw.Text()
		if !ok || name == "" || len([]rune(name)) > maxToolName {
			unnamed++
			continue
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		if r.o.Budget.Exhausted() {
			return nil, 0, &client.Fault{Kind: client.BudgetExceeded, Detail: client.OutOfTime}
		}
		t := &Tool{Name: report.ToolOf(name), Entry: i + 1, name: name, raw: raw, entry: entry}
		t.Decision = r.decide(t)
		tools = append(tools, t)
	}
	return tools, unnamed, nil
}

// decide also finds the arguments of a candidate.
func (r *run) decide(t *Tool) Decision {
	if len(r.o.Tools) > 0 && !slices.Contains(r.o.Tools, t.name) {
		return NotInTool
	}
	if d := r.allowed(t); !d.Candidate() {
		return d
	}
	schema, _ := t.entry.Get("inputSchema")
	if given, ok := r.o.Arguments.For(t.name); ok {
		t.arguments, t.source = given.Raw(), FromFile
	} else {
		built, err := synth.Arguments(schema)
		if err != nil {
			return NeedsArguments
		}
		t.arguments, t.source = built, FromSchema
		if string(built) == "{}" {
			t.source = FromNone
		}
	}
	return r.allowed(t)
}

// allowed is the decision by the annotations and what the operator attests.
func (r *run) allowed(t *Tool) Decision {
	annotations, _ := t.entry.Get("annotations")
	hint := func(name string) (value, given bool) {
		v, _ := annotations.Get(name)
		return v.Bool()
	}
	readOnly, given := hint("readOnlyHint")
	destructive, _ := hint("destructiveHint")
	switch {
	case destructive:
		return Destructive
	case given && !readOnly:
		return Writer
	case given:
		return CandidateReadOnly
	case r.o.ConfirmReadOnly:
		return CandidateAttested
	}
	return NeedsConfirmation
}

// checkNames holds the operator's --tool and --arguments against the catalog.
func (r *run) checkNames(tools []*Tool) error {
	byName := make(map[string]*Tool, len(tools))
	for _, t := range tools {
		byName[t.name] = t
	}
	for _, name := range r.o.Tools {
		switch t := byName[name]; {
		case t == nil:
			return &NameError{Tool: report.ToolOf(name)}
		case !t.Decision.Candidate():
			return &NameError{Tool: t.Name, Decision: t.Decision}
		}
	}
	return r.o.Arguments.Check(func(name string) synth.Listing {
		t := byName[name]
		if t == nil {
			return synth.Listing{}
		}
		schema, _ := t.entry.Get("inputSchema")
		return synth.Listing{Listed: true, Callable: r.allowed(t).Candidate(), Schema: schema}
	})
}

// NameError is returned for a tool of Options.Tools that the server does not
// list, or that may not be called.
type NameError struct {
	Tool     report.Tool
	Decision Decision // "" for a tool that is not listed
}

func (e *NameError) Error() string {
	switch e.Decision {
	case "":
		return "--tool " + e.Tool.String() + ": the server lists no such tool"
	case Destructive:
		return "--tool " + e.Tool.String() + ": the tool is annotated destructiveHint: true and is never called"
	case Writer:
		return "--tool " + e.Tool.String() + ": the tool is annotated readOnlyHint: false and is never called"
	case NeedsArguments:
		return "--tool " + e.Tool.String() + ": no schema rule can build its required arguments; give them with --arguments"
	}
	return "--tool " + e.Tool.String() + ": the tool is not annotated readOnlyHint: true; attest that it is read-only with --confirm-read-only"
}

// measure is the catalog with its size.
func measure(entries []rawjson.Value) battery.Catalog { return battery.NewCatalog(entries) }
