// Package loopback keeps local endpoints local: it decides where they may
// listen, which upstreams they may forward to, and which requests they may do
// anything about at all.
//
//	request --net/http--> Guard --repeated? Host? Origin? method? type?--> next handler
//	                        '--> a small JSON-RPC error, and nothing else happens
//	flag    --ListenAddress, Upstream--> checked before a socket exists
//
// A web page can make its visitor's browser send requests to this machine, and
// by DNS rebinding it can even read the answers. What gives such requests away
// is the Host and the Origin that the browser fills in, and that it asks before
// it sends application/json. Guard looks at exactly these.
//
// Invariants:
//   - localhost, 127.0.0.0/8 and [::1], with any port or none, are loopback. No
//     other name is, whatever it resolves to, and neither is the null origin.
//   - Nothing is looked up: what a request may do never depends on DNS.
//   - The next handler sees no request that was refused.
//   - No error and no answer quotes a request or a URL.
//
// Non-goals: authentication, CORS, and requests by other local programs, which
// can write any header they like.
package loopback
