package httpshim_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// counting answers pings and counts what reaches it.
type counting struct{ requests atomic.Int64 }

func (c *counting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests.Add(1)
	reply("application/json", pong)(w, r)
}

// refusals are raw requests; HOST stands for the shim's address and PORT for its
// port. ours tells that the answer is a JSON-RPC error and not net/http's text.
var refusals = []struct {
	name, head string
	status     int
	ours       bool
}{
	{"repeated Host", "POST /mcp HTTP/1.1\nHost: HOST\nHost: HOST\nContent-Type: application/json", 400, false},
	{"repeated Host, one foreign", "POST /mcp HTTP/1.1\nHost: HOST\nHost: evil.example\nContent-Type: application/json", 400, false},
	{"repeated Host, HTTP/1.0", "POST /mcp HTTP/1.0\nHost: HOST\nhost: HOST\nContent-Type: application/json", 400, false},
	{"repeated Origin", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: http://localhost\nOrigin: http://localhost\nContent-Type: application/json", 400, true},
	{"repeated Origin, one foreign", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: http://localhost\norigin: https://evil.example\nContent-Type: application/json", 400, true},
	{"repeated Origin, both empty", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin:\nOrigin:\nContent-Type: application/json", 400, true},
	{"repeated Content-Type", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json\nContent-Type: application/json", 400, true},
	{"repeated Content-Type, one wrong", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json\ncontent-type: text/plain", 400, true},
	{"repeated Content-Type of a GET", "GET /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json\nContent-Type: application/json", 400, true},
	{"repeats come before a foreign Host", "POST /mcp HTTP/1.1\nHost: evil.example\nOrigin: null\nOrigin: null\nContent-Type: text/plain", 400, true},
	{"Host comes before Origin", "POST /mcp HTTP/1.0\nOrigin: null\nContent-Type: text/plain", 400, true},
	{"Origin comes before Content-Type", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: null\nContent-Type: text/plain", 403, true},

	{"missing Host", "POST /mcp HTTP/1.1\nContent-Type: application/json", 400, false},
	{"missing Host, HTTP/1.0", "POST /mcp HTTP/1.0\nContent-Type: application/json", 400, true},
	{"empty Host", "POST /mcp HTTP/1.1\nHost:\nContent-Type: application/json", 400, true},
	{"malformed Host", "POST /mcp HTTP/1.1\nHost: a b\nContent-Type: application/json", 400, false},

	{"foreign Host", "POST /mcp HTTP/1.1\nHost: evil.example\nContent-Type: application/json", 403, true},
	{"foreign Host and port", "POST /mcp HTTP/1.1\nHost: evil.example:PORT\nContent-Type: application/json", 403, true},
	{"foreign Host of a GET", "GET /mcp HTTP/1.1\nHost: evil.example", 403, true},
	{"foreign Host of a DELETE", "DELETE /mcp HTTP/1.1\nHost: evil.example", 403, true},
	{"foreign Host of a preflight", "OPTIONS /mcp HTTP/1.1\nHost: evil.example", 403, true},
	{"foreign Host, HTTP/1.0", "POST /mcp HTTP/1.0\nHost: evil.example\nContent-Type: application/json", 403, true},
	{"a name that resolves to loopback", "POST /mcp HTTP/1.1\nHost: localtest.me:PORT\nContent-Type: application/json", 403, true},
	{"a name that resolves to loopback here", "POST /mcp HTTP/1.1\nHost: ip6-localhost:PORT\nContent-Type: application/json", 403, true},
	{"a name below localhost", "POST /mcp HTTP/1.1\nHost: a.localhost\nContent-Type: application/json", 403, true},
	{"localhost in front", "POST /mcp HTTP/1.1\nHost: localhost.evil.example\nContent-Type: application/json", 403, true},
	{"localhost with a dot", "POST /mcp HTTP/1.1\nHost: localhost.\nContent-Type: application/json", 403, true},
	{"user information", "POST /mcp HTTP/1.1\nHost: localhost@evil.example\nContent-Type: application/json", 400, false},
	{"loopback in front", "POST /mcp HTTP/1.1\nHost: 127.0.0.1.nip.io:PORT\nContent-Type: application/json", 403, true},
	{"another IPv4", "POST /mcp HTTP/1.1\nHost: 192.168.1.1:PORT\nContent-Type: application/json", 403, true},
	{"any IPv4", "POST /mcp HTTP/1.1\nHost: 0.0.0.0:PORT\nContent-Type: application/json", 403, true},
	{"short IPv4", "POST /mcp HTTP/1.1\nHost: 127.1:PORT\nContent-Type: application/json", 403, true},
	{"IPv4 as a number", "POST /mcp HTTP/1.1\nHost: 2130706433\nContent-Type: application/json", 403, true},
	{"octal IPv4", "POST /mcp HTTP/1.1\nHost: 0177.0.0.1\nContent-Type: application/json", 403, true},
	{"any IPv6", "POST /mcp HTTP/1.1\nHost: [::]:PORT\nContent-Type: application/json", 403, true},
	{"another IPv6", "POST /mcp HTTP/1.1\nHost: [2001:db8::1]:PORT\nContent-Type: application/json", 403, true},
	{"IPv4 in IPv6", "POST /mcp HTTP/1.1\nHost: [::ffff:127.0.0.1]:PORT\nContent-Type: application/json", 403, true},
	{"IPv6 with a zone", "POST /mcp HTTP/1.1\nHost: [::1%25lo]:PORT\nContent-Type: application/json", 403, true},
	{"IPv6 without brackets", "POST /mcp HTTP/1.1\nHost: ::1\nContent-Type: application/json", 403, true},
	{"IPv4 in brackets", "POST /mcp HTTP/1.1\nHost: [127.0.0.1]\nContent-Type: application/json", 403, true},
	{"a port that is none", "POST /mcp HTTP/1.1\nHost: localhost:http\nContent-Type: application/json", 403, true},

	{"foreign absolute target", "POST http://evil.example/mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json", 403, true},
	{"absolute target hides a foreign Host", "POST http://HOST/mcp HTTP/1.1\nHost: evil.example\nContent-Type: application/json", 400, true},
	{"absolute target", "POST http://HOST/mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json", 400, true},
	{"absolute target, HTTP/1.0 without Host", "POST http://HOST/mcp HTTP/1.0\nContent-Type: application/json", 400, true},
	{"tunnel", "CONNECT HOST HTTP/1.1\nHost: HOST", 400, true},
	{"foreign tunnel", "CONNECT evil.example:443 HTTP/1.1\nHost: HOST", 403, true},
	{"asterisk", "OPTIONS * HTTP/1.1\nHost: HOST", 400, true},

	{"foreign Origin", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: https://evil.example\nContent-Type: application/json", 403, true},
	{"foreign Origin of a GET", "GET /mcp HTTP/1.1\nHost: HOST\nOrigin: https://evil.example", 403, true},
	{"foreign Origin of a preflight", "OPTIONS /mcp HTTP/1.1\nHost: HOST\nOrigin: https://evil.example\nAccess-Control-Request-Method: POST", 403, true},
	{"null Origin", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: null\nContent-Type: application/json", 403, true},
	{"empty Origin", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin:\nContent-Type: application/json", 403, true},
	{"Origin without a scheme", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: localhost\nContent-Type: application/json", 403, true},
	{"Origin of an extension", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: chrome-extension://localhost\nContent-Type: application/json", 403, true},
	{"Origin with a path", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: http://localhost/\nContent-Type: application/json", 403, true},
	{"two Origins in one", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: http://localhost, http://evil.example\nContent-Type: application/json", 403, true},
	{"Origin with user information", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: http://localhost@evil.example\nContent-Type: application/json", 403, true},
	{"Origin that resolves to loopback", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: http://localtest.me\nContent-Type: application/json", 403, true},

	{"no Content-Type", "POST /mcp HTTP/1.1\nHost: HOST", 415, true},
	{"empty Content-Type", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type:", 415, true},
	{"text", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: text/plain", 415, true},
	{"text with JSON as a parameter", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: text/plain; application/json", 415, true},
	{"form", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/x-www-form-urlencoded", 415, true},
	{"multipart", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: multipart/form-data; boundary=x", 415, true},
	{"nearly JSON", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json-rpc", 415, true},
	{"two types in one", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json, text/plain", 415, true},
	{"text at another path", "POST /token HTTP/1.1\nHost: HOST\nContent-Type: text/plain", 415, true},
}

// accepted are raw requests that pass.
var accepted = []struct{ name, head string }{
	{"plain", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json"},
	{"localhost", "POST /mcp HTTP/1.1\nHost: localhost\nContent-Type: application/json"},
	{"localhost and its port", "POST /mcp HTTP/1.1\nHost: LocalHost:PORT\nContent-Type: application/json"},
	{"another port", "POST /mcp HTTP/1.1\nHost: localhost:9999\nContent-Type: application/json"},
	{"another loopback IPv4", "POST /mcp HTTP/1.1\nHost: 127.9.8.7\nContent-Type: application/json"},
	{"IPv6", "POST /mcp HTTP/1.1\nHost: [::1]\nContent-Type: application/json"},
	{"IPv6 and a port", "POST /mcp HTTP/1.1\nHost: [::1]:PORT\nContent-Type: application/json"},
	{"long IPv6", "POST /mcp HTTP/1.1\nHost: [0:0:0:0:0:0:0:1]\nContent-Type: application/json"},
	{"HTTP/1.0 with Host", "POST /mcp HTTP/1.0\nHost: HOST\nContent-Type: application/json"},
	{"loopback Origin", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: http://localhost:5173\nContent-Type: application/json"},
	{"IPv4 Origin", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: https://127.0.0.1\nContent-Type: application/json"},
	{"IPv6 Origin", "POST /mcp HTTP/1.1\nHost: HOST\nOrigin: http://[::1]:1\nContent-Type: application/json"},
	{"charset", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json; charset=utf-8"},
	{"case and spaces", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type:   Application/JSON ;charset=UTF-8"},
	{"a parameter that is none", "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json; charset"},
	{"text of a GET", "GET /mcp HTTP/1.1\nHost: HOST\nContent-Type: text/plain"},
}

func (g *rig) raw(head string) string {
	_, port, _ := strings.Cut(g.host(), ":")
	head = strings.NewReplacer("\n", "\r\n", "HOST", g.host(), "PORT", port).Replace(head)
	if strings.HasPrefix(head, "POST") {
		return head + fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s", len(ping), ping)
	}
	return head + "\r\n\r\n"
}

func TestRefusals(t *testing.T) {
	upstream := new(counting)
	g := newRig(t, upstream)
	for _, tt := range refusals {
		t.Run(tt.name, func(t *testing.T) {
			conn, r := g.dial()
			defer conn.Close()
			io.WriteString(conn, g.raw(tt.head))
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			body := text(t, resp)
			if resp.StatusCode != tt.status {
				t.Errorf("status %d, want %d: %s", resp.StatusCode, tt.status, body)
			}
			if tt.ours {
				v, err := rawjson.Parse([]byte(body))
				id, _ := v.Get("id")
				_, failed := v.Get("error")
				if err != nil || !failed || id.Kind() != rawjson.Null || resp.Header.Get("Content-Type") != "application/json" {
					t.Errorf("no JSON-RPC error: %s", body)
				}
			}
		})
	}
	if n := upstream.requests.Load(); n != 0 {
		t.Errorf("upstream saw %d requests", n)
	}
	if logs := g.captures(); len(logs) > 0 {
		t.Errorf("refused requests left %d captures", len(logs))
	}
}

func TestAccepted(t *testing.T) {
	upstream := new(counting)
	g := newRig(t, upstream)
	for _, tt := range accepted {
		t.Run(tt.name, func(t *testing.T) {
			conn, r := g.dial()
			defer conn.Close()
			io.WriteString(conn, g.raw(tt.head))
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body := text(t, resp); resp.StatusCode != 200 || body != pong {
				t.Errorf("%d %s", resp.StatusCode, body)
			}
		})
	}
	if n := int(upstream.requests.Load()); n != len(accepted) {
		t.Errorf("upstream saw %d requests, want %d", n, len(accepted))
	}
}

// A refused request and a good one share a connection, in either order and sent
// at once.
func TestRefusedAndAcceptedOnOneConnection(t *testing.T) {
	good := "POST /mcp HTTP/1.1\nHost: HOST\nContent-Type: application/json"
	for _, tt := range refusals {
		for _, pipelined := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, pipelined %t", tt.name, pipelined), func(t *testing.T) {
				upstream := new(counting)
				g := newRig(t, upstream)
				conn, r := g.dial()
				want := int64(0)
				// good, bad, good; net/http closes after some of its own refusals
				requests := []string{g.raw(good), g.raw(tt.head), g.raw(good)}
				if pipelined {
					io.WriteString(conn, strings.Join(requests, ""))
				}
				for i, raw := range requests {
					if !pipelined {
						io.WriteString(conn, raw)
					}
					resp, err := http.ReadResponse(r, nil)
					if err != nil {
						if i == 2 {
							break
						}
						t.Fatal(err)
					}
					text(t, resp)
					if resp.StatusCode == 200 {
						want++
					}
					if i == 1 && resp.StatusCode != tt.status {
						t.Errorf("status %d, want %d", resp.StatusCode, tt.status)
					}
				}
				if n := upstream.requests.Load(); n != want || want < 1 {
					t.Errorf("upstream saw %d requests, want %d", n, want)
				}
			})
		}
	}
}

// A body that holds a request is no request.
func TestSmuggling(t *testing.T) {
	tests := []struct{ name, raw string }{
		{"two lengths", "POST /mcp HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 5\r\nContent-Length: 40\r\n\r\n"},
		{"length and chunked", "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nPOST /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n"},
		{"folded header", "POST /mcp HTTP/1.1\r\nHost: HOST\r\nOrigin: http://localhost\r\n http://evil.example\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n"},
		{"space before the colon", "POST /mcp HTTP/1.1\r\nHost: HOST\r\nOrigin : http://evil.example\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n"},
	}
	upstream := new(counting)
	g := newRig(t, upstream)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			conn, r := g.dial()
			io.WriteString(conn, strings.ReplaceAll(tt.raw, "HOST", g.host()))
			for {
				resp, err := http.ReadResponse(r, nil)
				if err != nil {
					break // closed by the shim
				}
				text(t, resp)
				if resp.StatusCode < 400 {
					t.Errorf("status %d", resp.StatusCode)
				}
				if resp.Close || r.Buffered() == 0 {
					break
				}
			}
		})
	}
	if n := upstream.requests.Load(); n != 0 {
		t.Errorf("upstream saw %d requests", n)
	}
}
