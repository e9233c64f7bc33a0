// Package wire reads the traffic of MCP transports as it streams by: lines of
// the stdio transport, HTTP bodies and server-sent events become Frames, which
// name what a recorder needs of each JSON-RPC message and nothing else.
//
//	chunks --Feed--> Scanner --one pass--> Frame { Class, []Message } --> emit
//	                    | validates JSON and UTF-8
//	                    | notes members at depth 1 and 2 as they go past
//	chunks --Feed--> Events --> Event { Name, Data } --ScanBody--> Frame
//
// What is what:
//   - A line of nothing but white space is Blank. One that is no JSON text in
//     valid UTF-8, or nests deeper than rawjson.MaxDepth, is NotJSON. A carriage
//     return before the newline and a byte order mark at the start of the line
//     mean nothing.
//   - A JSON-RPC message is an object whose jsonrpc is exactly "2.0". With a
//     string method it is a Request when its id is a string or a number, else a
//     Notification: nothing can answer a missing or null id, nor one that is an
//     array, an object or a boolean, and servers leave all of them unanswered.
//     Without a method it is a Response when it has a result or an error, or an
//     id that is a string or number. A method that is no string, or any other
//     jsonrpc, makes it no message.
//   - A batch is an array with at least one message in it. Members that are no
//     messages are counted. Any other JSON is NotRPC, log lines in JSON included.
//   - Keys are compared case-sensitively by their decoded text. Of repeats the
//     last counts; repeats and case variants are counted as ambiguous.
//
// Invariants:
//   - How the input is cut into chunks never shows in the Frames.
//   - Memory is bounded whatever the size of a frame: values past
//     Options.MaxKeep are dropped and said so, and members that come after them
//     are still found.
//   - Input that lies whole in one chunk is not copied; an ordinary frame costs
//     no allocation.
//   - No error and no type prints any of the input.
//
// Scanner and Events are not safe for concurrent use; each belongs to one
// direction of one channel.
//
// Non-goals: forwarding, pairing requests with responses, writing JSON-RPC.
package wire
