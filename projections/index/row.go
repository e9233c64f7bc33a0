package index

import "github.com/mcpeval/mcpeval/journal"

// Outcomes that only the index knows: rows of calls that are no requests.
const (
	OutcomeNotification = "notification"
	OutcomeUnparsed     = "unparsed"
)

// Methods of unparsed rows.
const (
	methodOutbound = "unparsed/outbound"
	methodInbound  = "unparsed/inbound"
)

// MethodToolCall is the method whose requests are "calls" to people.
const MethodToolCall = "tools/call"

// Row is what a record says as a row of calls.
type Row struct {
	Origin        journal.Origin
	Method        string
	Tool          string
	Outcome       string
	LatencyUS     int64 // -1 when absent, as are the sizes
	RequestBytes  int64
	ResponseBytes int64
	Call          *journal.Call // nil unless the record is a call
	Args          string
	Request       bool // a request, not a notification or an unparsed frame
}

// Row is false for a record that never is a row of calls.
func (r *Record) Row() (Row, bool) {
	switch b := r.Body.(type) {
	case *journal.Call:
		return Row{
			Origin: b.Origin, Method: b.Method.String(), Tool: b.Tool.String(), Outcome: b.Outcome.String(),
			LatencyUS: b.LatencyUS, RequestBytes: b.RequestBytes, ResponseBytes: b.ResponseBytes,
			Call: b, Args: b.Args.String(), Request: true,
		}, true
	case *journal.Pending:
		return Row{
			Origin: b.Origin, Method: b.Method.String(), Tool: b.Tool.String(), Outcome: journal.OutcomeUnanswered.String(),
			LatencyUS: -1, RequestBytes: b.RequestBytes, ResponseBytes: -1, Args: b.Args.String(), Request: true,
		}, true
	case *journal.Notification:
		return Row{
			Origin: b.Origin, Method: b.Method.String(), Outcome: OutcomeNotification,
			LatencyUS: -1, RequestBytes: -1, ResponseBytes: -1,
		}, true
	case *journal.Unparsed:
		row := Row{
			Origin: b.Direction.Origin(), Method: methodOutbound, Outcome: OutcomeUnparsed,
			LatencyUS: -1, RequestBytes: -1, ResponseBytes: -1,
		}
		if b.Direction == journal.Inbound {
			row.Method = methodInbound
		}
		return row, true
	}
	return Row{}, false
}

// ToolCall reports whether the row is a tools/call request of a client.
func (w Row) ToolCall() bool {
	return w.Request && w.Origin == journal.FromClient && w.Method == MethodToolCall
}

// Failed reports whether the outcome counts as a failure.
func (w Row) Failed() bool { return isFailure(w.Outcome) }

func isFailure(outcome string) bool {
	switch outcome {
	case "error", "unanswered", "cancelled":
		return true
	}
	return false
}
