package client

import (
	"time"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// Response is the answer to a call: a result or an error. Its values are
// traffic, own their memory and stay valid.
type Response struct {
	Result rawjson.Value // absent when Error is set
	Error  *RPCError

	// Status is the HTTP status that carried it, or 0.
	Status int
	// ExactID reports whether the id came back as it was written: 1.0 for 1 is
	// the same id, but not exact.
	ExactID bool
	// Latency is the time from the request's last byte to the answer, summed over
	// the rounds of a multi-round-trip operation.
	Latency time.Duration
	// Rounds is how many requests it took: 1 but for multi-round-trip operations.
	Rounds int
	// Bytes is the size of the answer's frame.
	Bytes int
	// Asked is how many requests of its own the server sent meanwhile.
	Asked int
}

// IsToolError reports whether the result says isError.
func (r *Response) IsToolError() bool {
	v, _ := r.Result.Get("isError")
	is, _ := v.Bool()
	return is
}

// InputRequired reports whether the result asks for input that was not given:
// see Options.Sampling and its like.
func (r *Response) InputRequired() bool {
	v, _ := r.Result.Get("resultType")
	text, _ := v.Text()
	return text == "input_required"
}
