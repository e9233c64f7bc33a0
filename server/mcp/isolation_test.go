package mcp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The endpoint refuses what a web page may have made a browser send, in the words
// of the requirement, and what is too large.
func TestRefusedRequests(t *testing.T) {
	r := newRig(t, nil)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	request := func(method, path, body string, lines ...string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\n%s\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
			method, path, strings.Join(lines, "\r\n"), len(body), body)
	}
	const (
		host = "Host: 127.0.0.1"
		json = "Content-Type: application/json"
	)
	for _, c := range []struct{ name, text, want string }{
		{"as it should be", request("POST", "/mcp", ping, host, json), "200"},
		{"with parameters of the type", request("POST", "/mcp", ping, host, json+"; charset=utf-8"), "200"},
		{"an Origin on loopback", request("POST", "/mcp", ping, host, json, "Origin: http://localhost:3000"), "200"},
		{"a repeated Host", request("POST", "/mcp", ping, host, host, json), "400"},
		{"a repeated Origin", request("POST", "/mcp", ping, host, json, "Origin: http://localhost", "Origin: http://localhost"), "400"},
		{"a repeated Content-Type", request("POST", "/mcp", ping, host, json, json), "400"},
		{"a non-loopback Origin", request("POST", "/mcp", ping, host, json, "Origin: http://evil.example.com"), "403"},
		{"the null Origin", request("POST", "/mcp", ping, host, json, "Origin: null"), "403"},
		{"a missing Host", request("POST", "/mcp", ping, json), "400"},
		{"an empty Host", request("POST", "/mcp", ping, "Host:", json), "400"},
		{"a non-loopback Host", request("POST", "/mcp", ping, "Host: evil.example.com", json), "403"},
		{"a name that rebinds", request("POST", "/mcp", ping, "Host: localhost.evil.example.com:8091", json), "403"},
		{"GET", request("GET", "/mcp", "", host), "405"},
		{"DELETE", request("DELETE", "/mcp", "", host), "405"},
		{"OPTIONS", request("OPTIONS", "/mcp", "", host), "405"},
		{"PUT", request("PUT", "/mcp", ping, host, json), "405"},
		{"OPTIONS *", request("OPTIONS", "*", "", host), "400"},
		{"no Content-Type", request("POST", "/mcp", ping, host), "415"},
		{"another Content-Type", request("POST", "/mcp", ping, host, "Content-Type: text/plain"), "415"},
		{"Host before Origin, method and type", request("GET", "/mcp", "", "Host: evil.example.com", "Origin: http://evil.example.com"), "403"},
		{"another path", request("POST", "/other", ping, host, json), "404"},
		{"a large body", request("POST", "/mcp", strings.Repeat(" ", 1<<20)+ping, host, json), "413"},
		{"a large head", request("POST", "/mcp", ping, host, json, "X: "+strings.Repeat("x", 17<<10)), "431"},
		{"a head of 15 KiB", request("POST", "/mcp", ping, host, json, "X: "+strings.Repeat("x", 15<<10)), "200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, head := r.raw(c.text)
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if got == "405" && !slices.Contains(head, "Allow: POST") {
				t.Errorf("405 without Allow: POST: %q", head)
			}
			for _, line := range head {
				if strings.HasPrefix(line, "Access-Control-") {
					t.Errorf("a web page may read the answer: %s", line)
				}
			}
		})
	}
}
