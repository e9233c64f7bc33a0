// Package generate writes the case that reproduces a finding, and says which
// cases may speak for one.
//
//	Finding --class--> kind of probe, attempts from the rate
//	   |--recorded shape--> arguments, one Fill a placeholder
//	   |--expectation file (semantic classes)
//	   v
//	Generated { Manifest with one read-only case, Fills }     Matches(finding, case)
//
// Invariants:
//   - The same finding and expectation give the same bytes.
//   - Every shape that sanitize can produce can be rebuilt, and every value that
//     was not kept has a Fill.
//   - A case is written only under an attestation that the tool only reads.
//   - Errors are texts of this package; they quote no value of an expectation.
//
// Non-goals: finding findings, writing files, running cases. Findings come as
// values, since where they are kept is none of a probe's business.
package generate
