// Package query is every read of the index that the commands and the server
// print. Each function takes a connection that already sees one snapshot, and
// gives plain values back.
//
//	index.Read(ctx, path, func(conn) { query.Groups(conn, filter) ... })
//
// Invariants: rows come in visible order (time, capture, sequence number; legacy
// records by time, file, offset); surrogate ids never leave this package.
//
// Non-goals: formatting, and anything that writes.
package query
