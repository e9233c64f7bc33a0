// Package stdio is the transparent wrapper of a server that talks over its
// standard input and output.
//
//	client ─fd 0─► pump ─────────────────► child's stdin
//	                 │ put, then write
//	                 ▼
//	               queue ──► consumer goroutine ──► Consumer
//	                 ▲
//	                 │ put, then write
//	client ◄─fd 1─ pump ◄───────────────── child's stdout
//
// # Invariants
//
//   - Bytes are forwarded unchanged, in order, as read(2) returned them, at once.
//   - A pump puts bytes into the queue before it writes them on, and both
//     directions share the queue: a request is recorded before its response can
//     exist.
//   - A pump never waits for the queue. What does not fit is forwarded and
//     counted, and the Consumer is told in its place (Consumer.Gap).
//   - Nothing but the child's bytes is ever written to standard output.
//   - Each side sees the other's end of file, broken pipe, exit code and signal as
//     it would without the wrapper.
//   - The flags of inherited files are never changed. The pumps use blocking
//     system calls on locked threads and wait with poll(2) where a file is
//     non-blocking.
//   - Nothing joins the pump of standard input: it may wait in read(2) for ever.
//     After Run the process has to end.
//
// # Non-goals
//
// Frames are not looked at here: that is the Consumer's work.
package stdio
