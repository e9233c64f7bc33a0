// Package journal is the append-only log that everything else derives from.
//
//	recorder -> Writer -> store/captures/DATE/CAPTURE.jsonl -> Reader, LiveReader -> Decoder -> Event -> projections
//
// One recorder instance or evaluation run is one capture, with one log file
// and one Writer. An Event is one line in one canonical form, so that the
// line's SHA-256 is the event's identity: equal bytes are a copy, anything else
// under the same ID is a conflict. Each line carries the digest of the one
// before it. IDs and chain identify local evidence and show that it was altered
// or lost; they do not authenticate who wrote it.
//
// Invariants:
//
//   - AppendEvent and Decoder.Decode are inverse: a version 1 line decodes only
//     if it is exactly what AppendEvent makes of the result.
//   - An Event cannot hold raw traffic: its leaves are types that only
//     journal/sanitize builds.
//   - A line is written whole or is the last, unterminated one of its file.
//   - Nothing here repairs on reading, and no error quotes what was read.
//
// Records from before events had a schema are read through the same Decoder
// and never written.
//
// Not here: what events mean together (projections), how traffic becomes
// events (recorder), where the store is (journal/home).
package journal
