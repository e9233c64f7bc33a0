package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/server/app"
)

// Options are those of an Endpoint.
type Options struct {
	// Home opens the home.
	Home func() (*home.Home, error)
	// Version is that of mcpeval.
	Version string
	// AllowSpawn lists the tools that start processes.
	AllowSpawn bool
	// Record is where evaluations and annotations are journaled; it must be given.
	Record *app.Recording
	// Reindex, when positive, brings the index up to date so often, and makes it.
	Reindex time.Duration
}

// Endpoint serves the tools. See ListenHTTP and ServeStdio.
type Endpoint struct {
	o           Options
	entries     []*entry // those that are listed
	server      *mcp.Server
	evaluations evaluations
}

// New makes an endpoint.
func New(o *Options) (*Endpoint, error) {
	e := &Endpoint{o: *o}
	all, err := readCatalog(catalogText)
	if err != nil {
		return nil, err
	}
	e.server = mcp.NewServer(
		&mcp.Implementation{Name: "mcpeval", Title: "mcpeval", Version: o.Version},
		&mcp.ServerOptions{
			Instructions: instructions(o.AllowSpawn),
			// Named, so that nothing is inferred: no logging, no list that changes.
			Capabilities: &mcp.ServerCapabilities{
				Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{},
			},
		})
	e.server.AddReceivingMiddleware(e.receive)
	data, evaluating := e.dataTasks(), e.evaluationTasks()
	for _, entry := range all {
		do, ok := data[entry.Name]
		if evaluate, spawns := evaluating[entry.Name]; spawns && o.AllowSpawn {
			do, ok = e.exclusive(evaluate), true
		}
		if !ok {
			continue
		}
		e.entries = append(e.entries, entry)
		e.server.AddTool(entry.tool(), entry.handler(do))
	}
	return e, nil
}

// instructions name only tools that are there.
func instructions(spawn bool) string {
	text := "Findings are recurring friction in recorded MCP sessions: list_findings, get_finding. record_annotation says about a recorded call what only its caller knows."
	if spawn {
		text += " To mend a server: scaffold, run_probe, edit, run_probe until it passes, then verify_finding until its findings are closed."
	}
	return text
}

// exclusive makes a task an evaluation, of which one runs at a time.
func (e *Endpoint) exclusive(do task) task {
	return func(ctx context.Context, arguments json.RawMessage, progress func(done, total int)) (*answer, error) {
		ctx, finish, err := e.evaluations.begin(ctx)
		if err != nil {
			return nil, err
		}
		defer finish()
		got, err := do(ctx, arguments, progress)
		if cause := context.Cause(ctx); cause != nil && err != nil {
			return nil, ending(cause)
		}
		return got, err
	}
}

// ending is the error of an evaluation that was broken off. Over stdio the SDK
// cancels, with a cause of its own.
func ending(cause error) error {
	for _, known := range []error{errGone, errStopping} {
		if errors.Is(cause, known) {
			return known
		}
	}
	return errCancelled
}

// errInternal hides what a panic or the SDK may quote.
var errInternal = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}

// receive is around every request: it answers calls of tools that are not listed,
// keeps the catalog's order, and makes the SDK's errors and panics ours.
func (e *Endpoint) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if recover() != nil {
				result, err = nil, errInternal
			}
		}()
		if call, ok := r.(*mcp.CallToolRequest); ok && !e.listed(call.Params.Name) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no such tool is listed"}
		}
		result, err = next(ctx, method, r)
		if list, ok := result.(*mcp.ListToolsResult); ok && err == nil {
			slices.SortFunc(list.Tools, func(a, b *mcp.Tool) int { return e.place(a.Name) - e.place(b.Name) })
		}
		if method == "initialize" && uncoded(err) { // a second one
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the session is initialized already"}
		}
		return result, ours(err)
	}
}

func (e *Endpoint) listed(name string) bool { return e.place(name) >= 0 }

// place is where a tool stands in the list, or -1.
func (e *Endpoint) place(name string) int {
	return slices.IndexFunc(e.entries, func(t *entry) bool { return t.Name == name })
}

// ours keeps errors that were made here and those that are nothing but a code and
// a text; what wraps more may quote the request.
func ours(err error) error {
	if err == nil {
		return nil
	}
	if own, ok := err.(*jsonrpc.Error); ok && own.Code != 0 { //nolint:errorlint // one that is wrapped is not meant
		return own
	}
	code := int64(jsonrpc.CodeInternalError)
	if wrapped, ok := errors.AsType[*jsonrpc.Error](err); ok && wrapped.Code != 0 {
		code = wrapped.Code
	}
	return &jsonrpc.Error{Code: code, Message: meaning(code)}
}

// meaning is the text of an error code.
func meaning(code int64) string {
	switch code {
	case jsonrpc.CodeParseError:
		return "parse error"
	case jsonrpc.CodeInvalidRequest:
		return "invalid request"
	case jsonrpc.CodeMethodNotFound:
		return "method not found"
	case jsonrpc.CodeInvalidParams:
		return "invalid params"
	case jsonrpc.CodeInternalError:
		return errInternal.Message
	}
	return "the request was refused"
}
