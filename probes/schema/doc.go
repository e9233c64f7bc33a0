// Package schema compiles the JSON Schemas that servers declare and validates
// values against them. It is the one place where that is done.
//
//	rawjson.Value --limits--> Go values --> compiler: no loader, no formats,
//	                                        ECMA patterns as far as RE2 goes
//	rawjson.Value --limits--> Go values --> Schema.Validate --> Verdict
//
// Invariants:
//   - Nothing is opened or fetched, whatever a $ref, $id or $schema says. A
//     reference that leaves the document is a *Error.
//   - Size, depth, number of values, the size of numbers, steps and time are
//     bounded, for schemas and for values.
//   - Errors and violations are labels and JSON pointers. Their texts hold the
//     label only: a pointer is made of names that a server chose.
//   - What cannot be evaluated never makes a value invalid: a violation counts
//     only when it stands whatever the patterns that were not evaluated would
//     say. The keywords not evaluated are listed.
//
// The dialect is 2020-12 unless $schema names another that is built in: draft-07,
// draft-06, draft-04 or 2019-09. format is never asserted.
//
// Non-goals: schemas of our own documents, making values from a schema.
package schema
