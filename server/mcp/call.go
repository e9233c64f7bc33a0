package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/server/app"
)

// answer is what a tool returns: a text, and the same or more as JSON.
type answer struct {
	text       []byte
	structured []byte // a JSON object; nil when it is the text
}

// argumentError is returned for arguments that a schema cannot describe to every
// client. It is answered like those that break the schema.
type argumentError struct{ what string }

func (e *argumentError) Error() string { return e.what }

// task is what a tool does with arguments that fit its schema. progress may be
// called with how many steps of how many are done.
type task func(ctx context.Context, arguments json.RawMessage, progress func(done, total int)) (*answer, error)

// handler makes a task one of the SDK's handlers.
func (e *entry) handler(do task) mcp.ToolHandler {
	return func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		arguments, err := e.check(r.Params.Arguments)
		if err != nil {
			return nil, err
		}
		got, err := do(ctx, arguments, progressOf(ctx, r))
		if wrong, ok := errors.AsType[*argumentError](err); ok {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: wrong.what}
		}
		if err != nil {
			return failure(err), nil
		}
		structured := got.structured
		if structured == nil {
			structured = got.text
		}
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: string(got.text)}},
			StructuredContent: json.RawMessage(structured),
		}, nil
	}
}

// check validates arguments. Absent ones are none, and so is null, which clients
// send that have none.
func (e *entry) check(arguments json.RawMessage) (json.RawMessage, error) {
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	invalid := func(what string) error {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "arguments of " + e.Name + ": " + what}
	}
	v, err := rawjson.Parse(arguments)
	if err != nil || v.Kind() != rawjson.Object {
		return nil, invalid("no JSON object")
	}
	seen := make(map[string]bool)
	for key := range v.Members() {
		if name := key.Text(); seen[name] {
			return nil, invalid("a member is repeated")
		} else {
			seen[name] = true
		}
	}
	verdict, err := e.arguments.Validate(v)
	switch {
	case err != nil:
		return nil, invalid("they cannot be validated")
	case len(verdict.Violations) > 0:
		// The keyword and its place are of our schema; the value's own place may
		// hold names that were sent.
		broken := verdict.Violations[0]
		return nil, invalid("they break " + broken.Keyword + " of the input schema at " + broken.Schema)
	}
	return arguments, nil
}

// failure is the result of a tool that failed.
func failure(err error) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		IsError: true,
		Content: []mcp.Content{&mcp.TextContent{Text: explain(err)}},
	}
}

// explain says what went wrong and what to do about it.
func explain(err error) string {
	text := err.Error()
	_, writes := errors.AsType[*battery.AccessError](err) // what to do about it is not for agents
	if p, ok := errors.AsType[*app.Problem](err); ok && p.Next != "" {
		text += "\nnext: " + p.Next
	} else if p, ok := errors.AsType[*app.InputError](err); ok && p.Next != "" && !writes {
		text += "\nnext: " + p.Next
	}
	if f, ok := errors.AsType[*client.Fault](err); ok {
		text += "\nmcpeval explain " + string(f.Kind) + " says more"
	}
	return text
}

// progressOf tells the client how far a call has come, if it asked for that.
func progressOf(ctx context.Context, r *mcp.CallToolRequest) func(done, total int) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return func(int, int) {}
	}
	return func(done, total int) {
		// A client that does not read it any more is noticed elsewhere.
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: float64(done), Total: float64(total),
		})
	}
}
