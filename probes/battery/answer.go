package battery

import (
	"bytes"
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/probes/client"
)

// answer is what a tool answered. Its values are traffic.
type answer struct {
	*client.Response
	ok bool // neither an error nor a result that is one

	// data is structuredContent, else the first text content when it is a JSON
	// object; of a JSON-RPC error it is its data.
	data rawjson.Value
}

// answerOf reads a response. A result that is no object is a fault.
func answerOf(r *client.Response) (*answer, error) {
	if r.Error != nil {
		return &answer{Response: r, data: r.Error.Data}, nil
	}
	if r.Result.Kind() != rawjson.Object {
		return nil, &client.Fault{Kind: client.TransportError, Detail: client.MalformedAnswer}
	}
	return &answer{Response: r, ok: complete(r) && !r.IsToolError(), data: dataOf(r.Result)}, nil
}

// complete reports whether a result is final. Servers before 2026-07-28 do not
// say so.
func complete(r *client.Response) bool {
	v, ok := r.Result.Get("resultType")
	text, _ := v.Text()
	return !ok || text == "complete"
}

func dataOf(result rawjson.Value) rawjson.Value {
	if v, _ := result.Get("structuredContent"); !v.IsZero() && v.Kind() != rawjson.Null {
		return v
	}
	content, _ := result.Get("content")
	for item := range content.Elements() {
		kind, _ := item.Get("type")
		if name, _ := kind.Text(); name != "text" {
			continue
		}
		text, _ := item.Get("text")
		v, err := rawjson.Parse(text.AppendText(nil))
		if err != nil || v.Kind() != rawjson.Object {
			break
		}
		return v
	}
	return rawjson.Value{}
}

// code is the code of an error in a form that is equal for equal codes, "" when
// it has none: error.code, or what the data of a result that is an error says.
func (a *answer) code() string {
	if a.Error != nil {
		return strconv.FormatInt(a.Error.Code, 10)
	}
	return codeForm(a.said("code"))
}

// codeForm is the form of a code, "" for what is none.
func codeForm(v rawjson.Value) string {
	switch v.Kind() {
	case rawjson.Number:
		return string(v.AppendNumber(nil))
	case rawjson.String:
		text, _ := v.Text()
		return `"` + text
	}
	return ""
}

// retryable reports whether an error says that it can be retried.
func (a *answer) retryable() bool {
	b, _ := a.said("retryable").Bool()
	return b
}

// said is a member of the data, or of an error object in it.
func (a *answer) said(name string) rawjson.Value {
	if v, ok := a.data.Get(name); ok {
		return v
	}
	inner, _ := a.data.Get("error")
	v, _ := inner.Get(name)
	return v
}

// equal reports whether two scalars are: by type and content, numbers as exact
// decimals.
func equal(a, b rawjson.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case rawjson.String:
		return bytes.Equal(a.AppendText(nil), b.AppendText(nil))
	case rawjson.Number:
		return bytes.Equal(a.AppendNumber(nil), b.AppendNumber(nil))
	case rawjson.Bool, rawjson.Null:
		return bytes.Equal(a.Raw(), b.Raw())
	}
	return false
}
