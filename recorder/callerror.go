package recorder

import (
	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/journal/sanitize"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// protocolError describes a JSON-RPC error.
func (c *Correlator) protocolError(e *wire.Error) *journal.CallError {
	c.callErr = journal.CallError{Code: sanitize.CodeOf(e.Code)}
	c.describeError(sanitize.LayerProtocol, e.Message, e.Data)
	return &c.callErr
}

// toolError describes a result with isError true. Its text is that of the
// first text content.
func (c *Correlator) toolError(r *wire.Result) *journal.CallError {
	c.callErr = journal.CallError{Code: sanitize.ToolErrorCode}
	c.describeError(sanitize.LayerTool, firstText(r.Content), r.Structured)
	return &c.callErr
}

// describeError fills the rest of the scratch error. What the server says of
// its error in details, or in an "error" object there, goes before layer.
func (c *Correlator) describeError(layer sanitize.Layer, message, details rawjson.Value) {
	e := &c.callErr
	if message.Kind() == rawjson.String {
		c.text = message.AppendText(c.text[:0])
		e.TemplateID = c.san.TemplateID(c.text)
	}
	inner := c.readDetails(details)
	c.readDetails(inner)
	if e.Layer.IsZero() {
		e.Layer = layer
	}
}

// readDetails takes what is not known yet from an object, and returns its
// "error" member.
func (c *Correlator) readDetails(details rawjson.Value) (inner rawjson.Value) {
	e := &c.callErr
	for key, v := range details.Members() {
		switch {
		case key.Is("retryable"):
			if b, ok := v.Bool(); ok && e.Retryable == journal.Absent {
				e.Retryable = journal.TriOf(b)
			}
		case key.Is("kind"):
			if e.Kind.IsZero() {
				e.Kind = sanitize.BucketOf(v)
			}
		case key.Is("layer"):
			if e.Layer.IsZero() {
				e.Layer = sanitize.LayerOf(v)
			}
		case key.Is("error"):
			inner = v
		}
	}
	return inner
}

// firstText is the text of the first text content, or zero.
func firstText(content rawjson.Value) rawjson.Value {
	for item := range content.Elements() {
		kind, _ := item.Get("type")
		if text, ok := kind.Text(); ok && text == "text" {
			v, _ := item.Get("text")
			return v
		}
	}
	return rawjson.Value{}
}
