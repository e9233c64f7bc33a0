package battery

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/manifest"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/schema"
)

// schemaGuessability asks whether the input schema tells enough to call the
// tool: it describes an object, declares what it requires, and a call with the
// case's arguments succeeds.
type schemaGuessability struct{ *manifest.SchemaGuessability }

func (p schemaGuessability) run(ctx context.Context, e *env) (verdict, error) {
	tool := e.catalog.Tool(p.Tool)
	declared, _ := tool.Get("inputSchema")
	kind, _ := declared.Get("type")
	if name, _ := kind.Text(); name != "object" || !e.compiles(declared) {
		return because(reason.InvalidSchema), nil
	}
	known, required := membersOf(declared)
	arguments := parsed(p.Arguments)
	for _, name := range required {
		if !slices.Contains(known, name) {
			return because(reason.InvalidSchema), nil
		}
	}
	for _, name := range required {
		if _, ok := arguments.Get(name); !ok {
			return because(reason.MissingRequiredArgument), nil
		}
	}
	if _, err := e.common(ctx); err != nil {
		return verdict{}, err
	}
	a, err := e.call(ctx, p.Call)
	if err != nil {
		return verdict{}, err
	}
	if !a.ok {
		return e.failed(reason.UnexpectedOutcome), nil
	}
	return verdict{}, nil
}

// compiles reports whether a schema is valid. One that only our limits keep from
// being compiled gets the benefit of the doubt.
func (e *env) compiles(v rawjson.Value) bool {
	s, problem := e.compile(v)
	return s != nil || !problem.broken()
}

// schemaProblem is why a schema could not be compiled.
type schemaProblem schema.Problem

func (p schemaProblem) broken() bool {
	switch schema.Problem(p) {
	case schema.NotASchema, schema.InvalidKeyword, schema.DanglingRef, schema.RemoteRef, schema.BadReference:
		return true
	}
	return false
}

func (e *env) compile(v rawjson.Value) (*schema.Schema, schemaProblem) {
	s, err := schema.Compile(v, &schema.Options{Now: e.Clock.Now})
	if err != nil {
		problem, _ := errors.AsType[*schema.Error](err)
		return nil, schemaProblem(problem.Problem)
	}
	if slices.Contains(s.NotEvaluated(), "pattern") {
		e.notes.patterns++
	}
	return s, ""
}

// maxReferences bounds how many references and parts of a schema are looked at
// for its members.
const maxReferences = 1000

// membersOf lists the properties that an object's schema declares and those it
// requires, in itself, behind its local references and in allOf.
func membersOf(root rawjson.Value) (known, required []string) {
	seen := make(map[string]bool)
	steps := 0
	var look func(rawjson.Value)
	look = func(s rawjson.Value) {
		if steps++; steps > maxReferences {
			return
		}
		properties, _ := s.Get("properties")
		for key := range properties.Members() {
			known = append(known, key.Text())
		}
		names, _ := s.Get("required")
		for name := range names.Elements() {
			if text, ok := name.Text(); ok {
				required = append(required, text)
			}
		}
		if v, ok := s.Get("$ref"); ok {
			text, _ := v.Text()
			at, local := strings.CutPrefix(text, "#")
			at, err := url.PathUnescape(at)
			if target, ok := follow(root, manifest.Pointer(at)); local && err == nil && ok && !seen[at] {
				seen[at] = true
				look(target)
			}
		}
		parts, _ := s.Get("allOf")
		for part := range parts.Elements() {
			look(part)
		}
	}
	look(root)
	return known, required
}
