// Package rawjson reads JSON without changing it: a Value is the bytes that
// came, and everything is answered from those bytes.
//
//	bytes --Parse--> Value --Members, Elements--> Value ...
//	                   |---Text, Int, Bool
//	                   '---Walker: the whole value as tokens in one pass
//
// Invariants:
//   - Parse accepts exactly RFC 8259 in valid UTF-8: no literal, number form or
//     escape beyond it. Surrogate escapes may be lone, as the RFC allows; decoded
//     they are U+FFFD.
//   - Keys compare by their decoded text, case-sensitively. Repeated keys are
//     all shown by Members; Get gives the last.
//   - Numbers stay text; nothing passes through a float.
//   - Errors are a constant and an offset and never quote the input.
//   - No input, validated or not, makes a function panic or recurse: nesting is
//     bounded by MaxDepth. Over bytes that are no valid JSON, iteration ends
//     early and accessors report false.
//   - Values alias the bytes they were made from. Nothing here keeps state, so
//     Values may be read from many goroutines while the bytes are left alone.
//
// Non-goals: building or editing JSON, mapping it to Go types, numbers as
// floats.
package rawjson
