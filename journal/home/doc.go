// Package home is the folder that holds everything mcpeval keeps: where it is,
// what is in it, and who may write to its index.
//
//	environment --Resolve--> path --Open--> Home --Salt, Config, Lock--> callers
//
// Invariants:
//   - Folders are created 0700 and files 0600; what exists is not changed.
//   - The salt file appears whole or not at all, once, whoever asks first.
//     Anything but 32 bytes in it is an error and is never replaced.
//   - The lock file is never renamed or removed, and a lock ends with its
//     process.
//   - Errors about config.json name a field by its number and quote nothing.
//
// Non-goals: the journal below store/, the derived databases, repairing
// permissions.
package home
