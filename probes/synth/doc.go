// Package synth finds arguments for calling a tool: it builds them from the
// tool's input schema, or takes them from an --arguments file.
//
//	input schema --requires nothing--> {}
//	     |
//	     '--first rule that applies, for each required value--> arguments --probes/schema--> valid, or ErrCannotBuild
//
//	file --ParseFile--> File --Check against the catalog--> File.For(tool)
//
// The rules for a value, the first that applies: $ref, const, the first of enum,
// default, the first of examples, the first branch of anyOf or oneOf, and then by
// type: a sample of the format, padded to minLength and cut to maxLength; minimum
// or 1; false; minItems copies; an object of what is required. When the value as
// a whole breaks the schema, all that applies to it at once is tried: siblings of
// $ref, every part of allOf, the object around anyOf and oneOf.
//
// Invariants:
//   - What Arguments returns is an object without repeated keys that validates
//     against the whole schema, or {} when the schema requires nothing.
//   - The same schema gives the same bytes.
//   - Depth, steps and size are bounded; nothing is opened or fetched.
//   - Errors hold labels and names of tools, never a value.
//
// Non-goals: guessing what a tool means, random values, patterns.
package synth
