package loopback_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/recorder/loopback"
)

func TestListenAddress(t *testing.T) {
	tests := []struct {
		in   string
		want string // "" for a refusal
	}{
		{"127.0.0.1:8090", "127.0.0.1:8090"},
		{"127.0.0.1:0", "127.0.0.1:0"},
		{"127.255.0.9:1", "127.255.0.9:1"},
		{"[::1]:8090", "[::1]:8090"},
		{"[0:0:0:0:0:0:0:1]:0", "[::1]:0"},
		{"", ""},
		{":8090", ""},
		{"8090", ""},
		{"127.0.0.1", ""},
		{"127.0.0.1:", ""},
		{"127.0.0.1:http", ""},
		{"127.0.0.1:65536", ""},
		{"127.1:80", ""},
		{"0127.0.0.1:80", ""},
		{"localhost:8090", ""},
		{"example.com:80", ""},
		{"0.0.0.0:1", ""},
		{"[::]:1", ""},
		{"192.168.0.1:80", ""},
		{"8.8.8.8:80", ""},
		{"[2001:db8::1]:80", ""},
		{"[::ffff:127.0.0.1]:80", ""},
		{"[::1%lo]:80", ""},
		{"::1:80", ""},
		{"http://127.0.0.1:80", ""},
		{" 127.0.0.1:80", ""},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			got, err := loopback.ListenAddress(tt.in)
			if tt.want == "" {
				if !errors.Is(err, loopback.ErrListen) {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if err != nil || got.String() != tt.want {
				t.Errorf("got %v, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func TestUpstream(t *testing.T) {
	tests := []struct {
		in     string
		remote bool
		want   error
	}{
		{"http://127.0.0.1:8080/mcp", false, nil},
		{"http://localhost:8080", false, nil},
		{"http://LOCALHOST/mcp/", false, nil},
		{"https://localhost:8443/mcp", false, nil},
		{"http://[::1]:8080/mcp", false, nil},
		{"http://127.8.9.1/", false, nil},
		{"http://127.0.0.1:8080/mcp", true, nil},
		{"https://example.com/mcp", true, nil},
		{"https://192.168.0.1/mcp", true, nil},
		{"HTTPS://example.com:8443", true, nil},
		{"https://example.com/mcp", false, loopback.ErrRemote},
		{"https://localhost.example.com/mcp", false, loopback.ErrRemote},
		{"https://localtest.me/mcp", false, loopback.ErrRemote},
		{"https://[::ffff:127.0.0.1]/mcp", false, loopback.ErrRemote},
		{"http://example.com/mcp", false, loopback.ErrPlainRemote},
		{"http://example.com/mcp", true, loopback.ErrPlainRemote},
		{"http://192.168.0.1/mcp", true, loopback.ErrPlainRemote},
		{"http://0.0.0.0:80/mcp", true, loopback.ErrPlainRemote},
		{"http://localtest.me/mcp", true, loopback.ErrPlainRemote},
		{"http://a.localhost/mcp", true, loopback.ErrPlainRemote},
		{"http://127.1/mcp", true, loopback.ErrPlainRemote},
		{"http://user:pass@127.0.0.1/mcp", false, loopback.ErrCredentials},
		{"http://user@127.0.0.1/mcp", false, loopback.ErrCredentials},
		{"http://@127.0.0.1/mcp", false, loopback.ErrCredentials},
		{"https://user@example.com/mcp", true, loopback.ErrCredentials},
		{"http://127.0.0.1/mcp?key=1", false, loopback.ErrQuery},
		{"http://127.0.0.1/mcp?", false, loopback.ErrQuery},
		{"https://example.com?x", true, loopback.ErrQuery},
		{"http://127.0.0.1/mcp#top", false, loopback.ErrFragment},
		{"http://127.0.0.1/mcp#", false, loopback.ErrFragment},
		{"", true, loopback.ErrURL},
		{"127.0.0.1:8080", true, loopback.ErrURL},
		{"localhost:8080/mcp", true, loopback.ErrURL},
		{"/mcp", true, loopback.ErrURL},
		{"http://", true, loopback.ErrURL},
		{"http:///mcp", true, loopback.ErrURL},
		{"http://:8080/mcp", true, loopback.ErrURL},
		{"http:127.0.0.1", true, loopback.ErrURL},
		{"ftp://127.0.0.1/", true, loopback.ErrURL},
		{"unix:///tmp/s", true, loopback.ErrURL},
		{"ws://127.0.0.1/", true, loopback.ErrURL},
		{"http://127.0.0.1:0/", true, loopback.ErrURL},
		{"http://127.0.0.1:65536/", true, loopback.ErrURL},
		{"http://127.0.0.1:x/", true, loopback.ErrURL},
		{"http://127.0.0.1/%zz", true, loopback.ErrURL},
		{"http://127.0.0.1 /", true, loopback.ErrURL},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			u, err := loopback.Upstream(tt.in, tt.remote)
			if !errors.Is(err, tt.want) || (u == nil) == (tt.want == nil) {
				t.Errorf("got %v, %v, want %v", u, err, tt.want)
			}
		})
	}
}

// What is refused is not quoted: a URL may hold a password.
func FuzzUpstream(f *testing.F) {
	f.Add("http://user:pass@127.0.0.1:8080/mcp?key=1#x", true)
	f.Add("https://[::1%25lo]:99999/", false)
	f.Fuzz(func(t *testing.T, raw string, remote bool) {
		u, err := loopback.Upstream(raw, remote)
		if (u == nil) == (err == nil) {
			t.Fatalf("got %v, %v", u, err)
		}
		if err != nil {
			if len(raw) > 12 && strings.Contains(err.Error(), raw) {
				t.Errorf("the error quotes %q", raw)
			}
			return
		}
		if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme == "http" && !loopback.IsLocal(u) || !remote && !loopback.IsLocal(u) {
			t.Errorf("accepted %q", raw)
		}
	})
}
