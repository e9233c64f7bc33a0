package portability

import (
	"bytes"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/report"
)

// Bounds of what is kept.
const (
	maxAsked = 10_000  // requests without an answer
	maxOpen  = 1 << 20 // bytes of a message over several lines
	maxTools = 10_000  // tools with an output schema
)

// Watch sees the frames of one server's connections. Make one with New. Its
// methods may be called from several goroutines.
type Watch struct {
	stdio bool

	mu       sync.Mutex // guards what follows
	asked    map[string]request
	stateful bool
	outputs  map[string]output // by tool
	open     unended
	found    map[finding]*sighting
}

// request is what a frame that was sent asks for.
type request struct {
	method string
	tool   string
	textID bool
}

// finding is a cause with the effect that losing its message has. member is which
// one is null, a word of this package.
type finding struct {
	cause  Cause
	member string
	lost   Effect
}

type sighting struct {
	count int64
	tool  report.Tool // the first one
}

// New watches a server over stdio or HTTP.
func New(target client.Target) *Watch {
	return &Watch{
		stdio: len(target.Command) > 0, asked: make(map[string]request), outputs: make(map[string]output), found: make(map[finding]*sighting),
	}
}

// Frame is a client.Options.Tap.
func (w *Watch) Frame(dir journal.Direction, frame []byte, _ time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if dir == journal.Outbound {
		w.sent(frame)
		return
	}
	w.received(frame)
}

// Counts adds what a connection counted and no frame shows.
func (w *Watch) Counts(n client.Counts) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stdio {
		w.times(ByteOrderMark, "initialize", n.ByteOrderMark)
	}
}

// sent requires mu; so do the methods below.
func (w *Watch) sent(frame []byte) {
	v, err := rawjson.Parse(frame)
	if err != nil {
		return
	}
	id, ok := v.Get("id")
	named, _ := v.Get("method")
	method, isRequest := named.Text()
	if !ok || !isRequest {
		return
	}
	w.stateful = w.stateful || method == "initialize"
	if len(w.asked) >= maxAsked {
		return
	}
	q := request{method: method, textID: id.Kind() == rawjson.String}
	if method == "tools/call" {
		params, _ := v.Get("params")
		name, _ := params.Get("name")
		q.tool, _ = name.Text()
	}
	w.asked[idKey(id)] = q
}

// idKey is the same for 1, 1.0 and "1".
func idKey(id rawjson.Value) string {
	if text, ok := id.Text(); ok {
		return text
	}
	if id.Kind() == rawjson.Number {
		return string(id.AppendNumber(nil))
	}
	return string(id.Raw())
}

func (w *Watch) received(frame []byte) {
	if len(frame) == 0 {
		return
	}
	if !utf8.Valid(frame) {
		w.add(InvalidUTF8, request{})
		frame = bytes.ToValidUTF8(frame, []byte("?"))
	}
	v, err := rawjson.Parse(frame)
	switch {
	case err == nil && (w.open.empty() || isMessage(v)):
		w.flush()
		if last := frame[len(frame)-1]; w.stdio && (last == ' ' || last == '\t') {
			w.add(TrailingBlank, request{})
		}
		w.value(v)
	case !w.stdio:
		w.add(StrayText, request{})
	case err != nil && w.open.empty() && several(frame):
		w.add(SeveralMessages, request{})
	case !w.open.empty() || bytes.HasPrefix(bytes.TrimSpace(frame), []byte("{")):
		w.continued(frame)
	default:
		w.add(StrayText, request{})
	}
}

func isMessage(v rawjson.Value) bool {
	if v.Kind() == rawjson.Array {
		for e := range v.Elements() {
			return isMessage(e)
		}
	}
	_, ok := v.Get("jsonrpc")
	return ok
}

func (w *Watch) value(v rawjson.Value) {
	switch {
	case v.Kind() == rawjson.Array && isMessage(v):
		for e := range v.Elements() {
			w.add(Batch, w.asked[idKey(member(e, "id"))])
			w.value(e)
		}
	case v.Kind() != rawjson.Object:
		w.add(StrayJSON, request{})
	default:
		w.message(v)
	}
}

func (w *Watch) message(v rawjson.Value) {
	id, hasID := v.Get("id")
	q, known := w.asked[idKey(id)]
	known = known && hasID
	version, _ := member(v, "jsonrpc").Text()
	result, hasResult := v.Get("result")
	failure, hasError := v.Get("error")
	_, asks := v.Get("method")
	switch {
	case version != "2.0" && known && (hasResult || hasError):
		w.add(NoVersion, q)
	case version != "2.0":
		w.add(StrayJSON, request{})
		return
	case asks:
		return
	case !hasID || id.Kind() == rawjson.Null:
		if hasError {
			w.add(ErrorWithoutID, request{})
		}
		return
	case !known:
		return
	}
	delete(w.asked, idKey(id))
	w.form(v, id, q)
	switch {
	case hasResult && hasError && failure.Kind() == rawjson.Null:
		w.add(NullError, q)
	case hasResult && hasError:
		w.add(ResultAndError, q)
		return
	case !hasResult && !hasError:
		w.add(NoResult, q)
		return
	}
	if !hasResult {
		w.failure(failure, q)
		return
	}
	w.result(result, q)
}

// form checks what surrounds a result.
func (w *Watch) form(v, id rawjson.Value, q request) {
	switch id.Kind() {
	case rawjson.String:
		if !q.textID {
			w.add(TextID, q)
		}
	case rawjson.Number:
		if _, ok := id.Int(); ok && strings.ContainsAny(string(id.Raw()), ".eE") {
			w.add(FloatID, q)
		}
	}
	for key := range v.Members() {
		if !key.Is("jsonrpc") && !key.Is("id") && !key.Is("result") && !key.Is("error") {
			w.add(ExtraMember, q)
			return
		}
	}
}

func (w *Watch) failure(v rawjson.Value, q request) {
	code, message := member(v, "code"), member(v, "message")
	_, isInteger := code.Int()
	switch {
	case v.Kind() != rawjson.Object || !isInteger:
		w.add(BadError, q)
	case message.IsZero() || message.Kind() == rawjson.Null:
		w.add(NoErrorMessage, q)
	case message.Kind() != rawjson.String:
		w.add(BadError, q)
	}
}

func (w *Watch) result(v rawjson.Value, q request) {
	switch {
	case v.Kind() == rawjson.Null:
		w.add(NullResult, q)
		return
	case v.Kind() != rawjson.Object:
		w.add(BadResult, q)
		return
	}
	w.nulls(v, q, "_meta")
	switch q.method {
	case "initialize":
		w.hello(v, q)
	case "tools/list":
		w.list(v, q)
	case "tools/call":
		w.call(v, q)
	}
}

// nulls adds the members of v that are null.
func (w *Watch) nulls(v rawjson.Value, q request, names ...string) {
	for _, name := range names {
		if m, ok := v.Get(name); ok && m.Kind() == rawjson.Null {
			w.null(q, name)
		}
	}
}

func (w *Watch) null(q request, name string) {
	w.count(finding{NullMember, name, lostBy(q.method)}, q.tool, 1)
}

func member(v rawjson.Value, name string) rawjson.Value {
	m, _ := v.Get(name)
	return m
}

func (w *Watch) add(c Cause, q request) {
	w.count(finding{cause: c, lost: lostBy(q.method)}, q.tool, 1)
}

func (w *Watch) times(c Cause, method string, n int) {
	if n > 0 {
		w.count(finding{cause: c, lost: lostBy(method)}, "", int64(n))
	}
}

func (w *Watch) count(f finding, tool string, n int64) {
	s := w.found[f]
	if s == nil {
		s = &sighting{tool: report.ToolOf(tool)}
		w.found[f] = s
	}
	s.count += n
}

// lostBy is what a client loses with the answer to a request.
func lostBy(method string) Effect {
	switch method {
	case "initialize", "server/discover":
		return NoConnection
	case "tools/list":
		return NoTools
	}
	return NoAnswer
}
