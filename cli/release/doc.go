// Command release packs the binaries of a release.
//
//	DIST/bin/OS_ARCH/mcpeval --> archive of each, with licence, manual pages and
//	                             completions --> SHA256SUMS
//	                         --> mcpeval_VERSION.cdx.json, read from a binary
//
// Invariants: the same binaries and the same time make the same bytes, on any
// system: names are in order, modes and times are set, owners are nobody's.
// Nothing is fetched.
//
// Non-goals: compiling, which .ci/release does, signing, and uploading.
package main
