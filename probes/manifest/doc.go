// Package manifest reads and writes mcp-eval.manifest.json, the strict list of
// cases that a probe run consists of.
//
//	file --Parse--> Manifest { Cases } --Select--> cases of some kinds --Refusals--> may they run?
//	Manifest --Encode--> file
//
// The Go types are the format: their json tags name the fields (omitempty makes
// a field optional) and their jsonschema tags hold the ranges. Parse reads the
// tags, and so does the generator of the published JSON Schema, so that the two
// cannot differ. Rules over several fields are in rules.go.
//
// Invariants:
//   - Unknown, repeated, missing and ill-typed fields are errors, anywhere in
//     the document, arguments included. So is anything that is no JSON in UTF-8.
//   - Keys are compared case-sensitively; numbers stay as written.
//   - Errors are labels with the JSON path and the case's id; they never quote a
//     value.
//
// Non-goals: running cases, knowing what tools a server has.
package manifest
