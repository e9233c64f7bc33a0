// Package process starts every child process of the product.
//
//	caller ──Start──► child ──┐
//	   │                      ├── one process group, led by the guard
//	   └─socket──► guard ─────┘
//
// The guard is this same program, started as "mcpeval __guard" before the
// child. It leads a new process group, which the child then joins, and reads a
// socket whose other end only the caller holds. The end of file without the
// good-bye byte means that the caller died: the guard ends the group.
//
// # Invariants
//
//   - Neither the child nor anything it starts in its group outlives the caller,
//     whenever the caller dies. The guard knows the group before the child
//     exists, because it leads it: nothing has to be told, so nothing can be lost.
//     Between fork and exec the child itself holds a copy of the caller's end of
//     the socket, so that the guard sees its end only after the child has joined
//     the group (setpgid comes before exec, close-on-exec after it).
//   - A signal meant for the group cannot hit a stranger: the group's number
//     stays taken for as long as the guard has not been reaped.
//   - The child gets the caller's environment byte for byte, duplicates
//     included, the files it was given, whatever else the caller inherited, and
//     nothing that was opened here. The flags of no file are changed.
//   - A guard that cannot be started does not keep the child from starting.
//
// The child does not lead its group, so that setsid(2) works in it as it does
// without a wrapper. The guard is not in a session of its own, because a process
// cannot join a group of another session; being in another process group than
// the caller is what saves it when the caller's group is killed.
//
// There is no parent-death signal: Linux sends it when the thread that started
// the child ends, not when the process does.
//
// On Windows the caller puts itself into a kill-on-close job before it starts
// the child, and clears that flag on Release. A child that has no console to
// inherit gets one without a window.
//
// # Non-goals
//
// Processes that leave the group (daemons that call setsid) or the job
// (CREATE_BREAKAWAY_FROM_JOB) are not tracked.
package process
