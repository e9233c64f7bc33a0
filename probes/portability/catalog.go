package portability

import (
	"encoding/base64"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/schema"
)

// output is a tool's output schema.
type output struct {
	schema *schema.Schema // nil when it cannot be used
}

// hello judges the result of initialize.
func (w *Watch) hello(v rawjson.Value, q request) {
	if version, _ := member(v, "protocolVersion").Text(); !published(version) {
		w.add(UnknownRevision, q)
	}
	info := member(v, "serverInfo")
	if member(info, "name").Kind() != rawjson.String || member(info, "version").Kind() != rawjson.String {
		w.add(NoServerInfo, q)
	}
	capabilities := member(v, "capabilities")
	if capabilities.Kind() != rawjson.Object {
		w.add(NoCapabilities, q)
	}
	for key, declared := range capabilities.Members() {
		switch {
		case declared.Kind() == rawjson.Null:
			w.null(q, "a capability")
		case declared.Kind() != rawjson.Object && key.Is("tools"):
			w.add(BadCapability, q)
		}
	}
	w.nulls(v, q, "instructions")
}

func published(revision string) bool {
	for _, r := range client.Revisions() {
		if r == revision {
			return true
		}
	}
	return false
}

// list judges a page of tools.
func (w *Watch) list(v rawjson.Value, q request) {
	w.nulls(v, q, "nextCursor")
	if next := member(v, "nextCursor"); !next.IsZero() && next.Kind() != rawjson.Null && next.Kind() != rawjson.String {
		w.add(BadCursor, q)
	}
	tools := member(v, "tools")
	if tools.Kind() != rawjson.Array {
		w.add(NoToolList, q)
	}
	for tool := range tools.Elements() {
		name, ok := member(tool, "name").Text()
		if !ok {
			w.add(NoToolName, q)
		}
		q.tool = name
		w.tool(tool, q)
	}
}

func (w *Watch) tool(v rawjson.Value, q request) {
	w.nulls(v, q, "description", "title", "annotations", "icons", "_meta", "outputSchema")
	for _, name := range []string{"description", "title"} {
		if text := member(v, name); !text.IsZero() && text.Kind() != rawjson.Null && text.Kind() != rawjson.String {
			w.add(BadToolText, q)
		}
	}
	annotations := member(v, "annotations")
	for _, name := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
		hint := member(annotations, name)
		if _, isBool := hint.Bool(); !hint.IsZero() && hint.Kind() != rawjson.Null && !isBool {
			w.add(BadAnnotation, q)
		}
		w.nulls(annotations, q, name)
	}
	w.input(member(v, "inputSchema"), q)
	declared := member(v, "outputSchema")
	if declared.IsZero() || declared.Kind() == rawjson.Null {
		return
	}
	if kind, _ := member(declared, "type").Text(); kind != "object" {
		w.add(OutputNoObject, q)
		return
	}
	compiled, err := schema.Compile(declared, nil)
	if err != nil {
		w.add(OutputUnusable, q)
	}
	if len(w.outputs) < maxTools {
		w.outputs[q.tool] = output{compiled}
	}
}

func (w *Watch) input(v rawjson.Value, q request) {
	if kind, _ := member(v, "type").Text(); kind != "object" {
		w.add(InputNoObject, q)
		return
	}
	w.nulls(v, q, "properties", "required")
	if required := member(v, "required"); !required.IsZero() && required.Kind() != rawjson.Null && required.Kind() != rawjson.Array {
		w.add(BadRequired, q)
	}
	for _, property := range member(v, "properties").Members() {
		if _, isBool := property.Bool(); isBool {
			w.add(BooleanProperty, q)
			break
		}
	}
}

// call judges a result of tools/call.
func (w *Watch) call(v rawjson.Value, q request) {
	isError := member(v, "isError")
	failed, isBool := isError.Bool()
	switch {
	case isError.Kind() == rawjson.Null:
		w.add(NullIsError, q)
	case !isError.IsZero() && !isBool:
		w.add(BadIsError, q)
	}
	w.content(member(v, "content"), q)
	structured := member(v, "structuredContent")
	w.nulls(v, q, "structuredContent")
	if w.stateful && !structured.IsZero() && structured.Kind() != rawjson.Null && structured.Kind() != rawjson.Object {
		w.add(BadStructured, q)
	}
	o, declared := w.outputs[q.tool]
	if !declared || failed || o.schema == nil {
		return
	}
	if structured.IsZero() {
		w.add(OutputUnfulfilled, q)
		return
	}
	if found, err := o.schema.Validate(structured); err == nil && !found.Valid() {
		w.add(OutputUnfulfilled, q)
	}
}

func (w *Watch) content(v rawjson.Value, q request) {
	switch {
	case v.IsZero():
		w.add(NoContent, q)
		return
	case v.Kind() == rawjson.Null:
		w.add(NullContent, q)
		return
	case v.Kind() != rawjson.Array:
		w.add(BadContent, q)
		return
	}
	for block := range v.Elements() {
		if c := judge(block); c != "" {
			w.add(c, q)
			return
		}
	}
}

// judge is what is wrong with a content block, "" for nothing.
func judge(block rawjson.Value) Cause {
	kind, ok := member(block, "type").Text()
	if !ok {
		return BadContent
	}
	needs := map[string][]string{
		"text": {"text"}, "image": {"data", "mimeType"}, "audio": {"data", "mimeType"},
		"resource": {"resource"}, "resource_link": {"uri", "name"},
	}
	names, known := needs[kind]
	if !known {
		return UnknownContent
	}
	for _, name := range names {
		m := member(block, name)
		want := rawjson.String
		if name == "resource" {
			want = rawjson.Object
		}
		switch {
		case m.IsZero():
			return PartOfContent
		case m.Kind() != want:
			return BadContent
		}
		if text, _ := m.Text(); name == "data" {
			if _, err := base64.StdEncoding.DecodeString(text); err != nil {
				return BadBase64
			}
		}
	}
	return ""
}
