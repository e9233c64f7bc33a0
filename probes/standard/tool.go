package standard

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
	"github.com/mcpeval/mcpeval/probes/schema"
	"github.com/mcpeval/mcpeval/probes/synth"
)

// access is what a tool's annotations say of calling it.
type access uint8

const (
	readOnly access = iota
	unannotated
	writer
)

// tool is a tool of the catalog and what became of it.
type tool struct {
	name  string      // "" for an entry that is no tool that can be named
	shown report.Tool // as it may be shown
	entry rawjson.Value
	access

	arguments []byte       // nil when there are none
	keyword   string       // of the schema, which kept them from being built
	why       reason.Label // it is not called with valid arguments; "" when it is

	input   *schema.Schema // nil when it cannot be used
	broken  bool           // it is no schema
	invalid []byte         // arguments that the schema certainly forbids; nil when there are none

	calls   calls
	refusal refusal
}

// calls are what became of a tool's calls.
type calls struct {
	made      bool // the tool answered one at least
	successes int
	outcomes  []string // distinct ones
	latencies []time.Duration
	conform   int          // successes that fit the output schema
	misfit    reason.Label // of the first that does not
	failure   reason.Label // of the first that failed
}

// refusal is what became of the call that breaks the schema.
type refusal struct {
	judged bool
	lost   report.CheckID // "" when nothing was lost
	reason reason.Label
}

// toolsOf makes the tools of a catalog, of entries with the same name one.
func toolsOf(entries []rawjson.Value) []*tool {
	var tools []*tool
	byName := make(map[string]*tool)
	for _, entry := range entries {
		name, a := nameOf(entry), accessOf(entry)
		if t := byName[name]; t != nil && name != "" {
			t.access = max(t.access, a)
			continue
		}
		t := &tool{name: name, shown: report.ToolOf(name), entry: entry, access: a}
		if name == "" {
			t.shown = report.ToolOf(" ") // outside the grammar
		}
		byName[name] = t
		tools = append(tools, t)
	}
	return tools
}

// nameOf is the name of an entry, "" when it has none, has several, or has one
// whose text is not what was sent: such a name may be that of another tool.
func nameOf(entry rawjson.Value) string {
	name, names := "", 0
	for key, v := range entry.Members() {
		if key.Is("name") {
			names++
			name, _ = v.Text()
		}
	}
	if names != 1 || strings.ContainsRune(name, '\uFFFD') {
		return ""
	}
	return name
}

// accessOf reads an entry's annotations. Where a key is repeated, what a reader
// might take for a writer is one.
func accessOf(entry rawjson.Value) access {
	reads, other := false, false
	for key, annotations := range entry.Members() {
		if !key.Is("annotations") {
			continue
		}
		for hint, v := range annotations.Members() {
			set, isBool := v.Bool()
			switch {
			case hint.Is("destructiveHint") && set, hint.Is("readOnlyHint") && isBool && !set:
				return writer
			case hint.Is("readOnlyHint"):
				reads, other = reads || set, other || !isBool
			}
		}
	}
	if reads && !other {
		return readOnly
	}
	return unannotated
}

// SkipError is returned for a tool of Config.Skip that the server does not list.
type SkipError struct{ Tool report.Tool }

func (e *SkipError) Error() string {
	return "--skip-tool " + e.Tool.String() + ": the server lists no such tool"
}

// Check holds what the operator says about tools against a catalog, as Run does
// before its first call. Its errors are of type *SkipError and *synth.FileError.
func (c *Config) Check(entries []rawjson.Value) error {
	r := &run{Config: *c, tools: toolsOf(entries)}
	return r.admit()
}

// admit is Check.
func (r *run) admit() error {
	byName := make(map[string]*tool, len(r.tools))
	for _, t := range r.tools {
		if t.name != "" {
			byName[t.name] = t
		}
	}
	for _, name := range r.Skip {
		if byName[name] == nil {
			return &SkipError{report.ToolOf(name)}
		}
	}
	return r.Arguments.Check(func(name string) synth.Listing {
		t := byName[name]
		if t == nil {
			return synth.Listing{}
		}
		input, _ := t.entry.Get("inputSchema")
		return synth.Listing{Listed: true, Callable: r.allowed(t), Schema: input}
	})
}

// allowed reports whether a tool may be called at all.
func (r *run) allowed(t *tool) bool {
	return t.name != "" && (t.access == readOnly || t.access == unannotated && r.ConfirmReadOnly)
}

// prepare finds arguments for the tools that may be called. Its error is
// errExhausted: hostile schemas take their time.
func (r *run) prepare() error {
	for _, t := range r.tools {
		if t.access == writer {
			continue
		}
		if r.Budget.Exhausted() {
			return errExhausted
		}
		switch {
		case t.name == "":
			t.why = reason.PaginationInvalidEntry
		case slices.Contains(r.Skip, t.name):
			t.why = reason.ToolSkipped
		case !r.allowed(t):
			t.why = reason.ToolUnannotated
		}
		r.arm(t)
	}
	return nil
}

// arm finds what a tool is called with.
func (r *run) arm(t *tool) {
	input, _ := t.entry.Get("inputSchema")
	compiled, err := schema.Compile(input, &schema.Options{Now: r.Clock.Now})
	if err != nil {
		t.broken = brokenSchema(err)
	} else {
		t.input = compiled
	}
	if given, ok := r.Arguments.For(t.name); ok {
		t.arguments = given.Raw()
	} else {
		t.arguments, t.keyword = built(input, compiled, err)
		if t.arguments == nil && t.why == "" {
			t.why = reason.ArgumentsUnbuildable
		}
	}
	if t.input != nil {
		t.invalid = violation(t.input, input, t.arguments)
	}
}

// built is arguments that fit a schema, or nil and the keyword that stopped them,
// "" where it is not known. compiled and problem are what came of the schema; one
// that requires nothing and is beyond our limits gets {}.
func built(input rawjson.Value, compiled *schema.Schema, problem error) (arguments []byte, keyword string) {
	if e, ok := errors.AsType[*schema.Error](problem); ok && brokenSchema(problem) {
		return nil, e.Keyword
	}
	arguments, err := synth.Arguments(input)
	if e, ok := errors.AsType[*synth.BuildError](err); ok {
		return nil, e.Keyword
	}
	if compiled == nil {
		return arguments, ""
	}
	// What requires nothing may still forbid {}.
	if verdict, err := compiled.Validate(rawjson.Trusted(arguments)); err == nil && !verdict.Valid() {
		return nil, verdict.Violations[0].Keyword
	}
	return arguments, ""
}

// params are those of tools/call.
func (t *tool) params(arguments []byte) []byte {
	var name rawjson.Value
	for key, v := range t.entry.Members() {
		if key.Is("name") {
			name = v
		}
	}
	return slices.Concat([]byte(`{"name":`), name.Raw(), []byte(`,"arguments":`), arguments, []byte(`}`))
}

func (t *tool) call(arguments []byte) client.Request {
	return client.Request{Method: "tools/call", Params: t.params(arguments)}
}
