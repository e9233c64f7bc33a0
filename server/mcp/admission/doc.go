// Package admission decides which HTTP connections are served: few at a time,
// few waiting, none for ever.
//
//	accept --full?--> closed, without an answer
//	   |
//	reading --complete in time?--> queued --a worker is free--> served
//	   |          '--> 408, closed                                 |
//	first byte of the next request <-- resting <---- response done-'
//	   '--full?--> closed                '--> closed after RestTime
//
// A connection that is being read, or whose request is read and has no worker,
// waits. It takes no worker to send a request slowly, nor to send none.
//
// Invariants:
//   - At most Workers requests are served at a time: from the moment all of the
//     request was read until the last byte of its response is written.
//   - At most Waiting connections wait. A further one that sends a request is
//     closed at once, unless one that has not sent a byte can make room for it; a
//     further one that sends nothing is closed after StandTime.
//   - The head and the body of a request together take at most RequestTime, from
//     accept, or from the first byte of a later request.
//   - A client that does not take its response for WriteTime loses it, so that a
//     worker is held by work only.
//   - Of connections at rest at most Resting are kept.
//
// Non-goals: what requests mean, who may make them, HTTP/2, TLS.
package admission
