package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// ServeStdio serves one client that started this process, until its input ends
// or ctx is done. Closing in unblocks a read of it. What was asked before the end
// is answered, but for an evaluation, which ends with its client.
func (e *Endpoint) ServeStdio(ctx context.Context, in io.ReadCloser, out io.Writer) error {
	t := &lines{endpoint: e, over: ctx.Done(), in: in, out: out, open: make(map[string]bool), idle: make(chan struct{})}
	indexing, enough := context.WithCancel(ctx)
	stopped := e.reindex(indexing)
	defer func() { enough(); stopped() }()
	over := context.AfterFunc(ctx, func() { e.evaluations.end() })
	defer over()
	err := e.server.Run(ctx, t)
	<-e.evaluations.end()
	switch {
	case ctx.Err() != nil || errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("serve stdio: %w", ours(err))
	}
	return nil
}

// lines is the transport of stdio and its one connection. The SDK's own ends at
// the first line that it does not understand.
type lines struct {
	endpoint *Endpoint
	over     <-chan struct{} // closed when nothing is waited for any more
	in       io.ReadCloser
	out      io.Writer
	reader   *bufio.Reader
	scanner  *wire.Scanner

	writing sync.Mutex // guards out

	mu    sync.Mutex      // guards what follows
	open  map[string]bool // requests that were read and not answered, by id
	ended bool            // the input has
	idle  chan struct{}   // closed when the input has ended and open is empty
}

// Connect makes it its connection.
func (t *lines) Connect(context.Context) (mcp.Connection, error) {
	t.reader = bufio.NewReaderSize(t.in, 64<<10)
	t.scanner = wire.NewScanner(nil)
	return t, nil
}

// SessionID is none.
func (t *lines) SessionID() string { return "" }

// Close ends reading.
func (t *lines) Close() error { return t.in.Close() }

// Read is the next message for the SDK.
func (t *lines) Read(context.Context) (jsonrpc.Message, error) {
	for {
		line, long, err := readLine(t.reader)
		switch {
		case long:
			t.answer((&refused{code: jsonrpc.CodeInvalidRequest, why: "the line is longer than 1 MiB"}).text())
		case len(line) > 0:
			if message := t.take(line); message != nil {
				return message, nil
			}
		}
		if err != nil {
			return nil, t.end()
		}
	}
}

// take is the message of a line, or nil when it was answered or needs none.
func (t *lines) take(line []byte) jsonrpc.Message {
	m, no := screen(t.scanner, line)
	if no != nil {
		if t.scanner.ScanBody(line).Class != wire.Blank {
			t.answer(no.text())
		}
		return nil
	}
	if m.frame.Batch {
		t.answer((&refused{code: jsonrpc.CodeInvalidRequest, why: "batches are not served over stdio"}).text())
		return nil
	}
	one := &m.frame.Messages[0]
	if one.Kind == wire.Response { // we never ask
		return nil
	}
	if no := unsupported(one, m.value); no != nil {
		t.answer(no.text())
		return nil
	}
	message, err := jsonrpc.DecodeMessage(m.value.Raw())
	if err != nil {
		t.answer((&refused{code: jsonrpc.CodeInvalidRequest, why: "the message is no JSON-RPC 2.0", id: idOf(m.value)}).text())
		return nil
	}
	if one.Kind == wire.Notification {
		if _, known := notifications[string(one.Method)]; !known {
			return nil
		}
		return message
	}
	if request, ok := message.(*jsonrpc.Request); ok && !t.begin(keyOf(request.ID)) {
		t.answer((&refused{code: jsonrpc.CodeInvalidRequest, why: "a request with this id is not answered yet", id: idOf(m.value)}).text())
		return nil
	}
	return message
}

// unsupported refuses a request of a revision that does not exist, which the SDK
// takes for one of a method that does not.
func unsupported(m *wire.Message, v rawjson.Value) *refused {
	if m.Kind != wire.Request || m.Params.Meta.Kind() != rawjson.Object {
		return nil
	}
	asked, ok := m.Params.Meta.Get("io.modelcontextprotocol/protocolVersion")
	revision, isText := asked.Text()
	if !ok || !isText || slices.Contains(mcp.SupportedProtocolVersions(), revision) {
		return nil
	}
	return &refused{code: codeUnsupportedVersion, why: "unsupported protocol version", id: idOf(v), data: versions(revision)}
}

// begin takes note of a request. It reports false for one that could not be told
// from another.
func (t *lines) begin(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[key] {
		return false
	}
	t.open[key] = true
	return true
}

// notifications are those that the SDK knows.
var notifications = map[string]struct{}{
	"notifications/cancelled": {}, "notifications/initialized": {}, "notifications/roots/list_changed": {}, "notifications/progress": {},
}

// keyOf tells ids apart.
func keyOf(id jsonrpc.ID) string { return fmt.Sprintf("%T %v", id.Raw(), id.Raw()) }

// end waits until everything is answered that was asked before the end of the
// input. Its error is io.EOF.
func (t *lines) end() error {
	t.endpoint.evaluations.end()
	t.mu.Lock()
	t.ended = true
	t.settle()
	t.mu.Unlock()
	patience := time.NewTimer(endTime)
	defer patience.Stop()
	select {
	case <-t.idle:
	case <-t.over:
	case <-patience.C:
	}
	return io.EOF
}

// settle closes idle when the time has come. It requires mu.
func (t *lines) settle() {
	if t.ended && len(t.open) == 0 {
		select {
		case <-t.idle:
		default:
			close(t.idle)
		}
	}
}

// Write writes a message of the SDK's.
func (t *lines) Write(_ context.Context, message jsonrpc.Message) error {
	response, ok := message.(*jsonrpc.Response)
	if ok && response.Error != nil {
		mended := *response
		if mended.Error = ours(response.Error); uncoded(response.Error) { // before initialize, or a second one
			mended.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the request does not belong here in the session"}
		}
		message = &mended
	}
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return fmt.Errorf("encode message: %w", errInternal)
	}
	err = t.answer(text)
	if ok {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.open, keyOf(response.ID))
		t.settle()
	}
	return err
}

// uncoded reports whether the SDK gave an error no code.
func uncoded(err error) bool {
	if err == nil {
		return false
	}
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return !ok || e.Code == 0
}

// answer writes a line.
func (t *lines) answer(text []byte) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	_, err := t.out.Write(append(text, '\n'))
	return err
}

// readLine reads a line without its newline, or what is left at the end. One that
// is too long is passed over.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
			if len(line) > maxBody {
				long, line = true, nil
			}
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if n := len(line); n > 0 && line[n-1] == '\n' {
			line = line[:n-1]
		}
		return line, long, err
	}
}
