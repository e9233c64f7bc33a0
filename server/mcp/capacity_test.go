package mcp_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/server/mcp"
)

// memory is a listener of connections in memory.
type memory struct {
	dials chan net.Conn
	once  sync.Once
}

func (m *memory) Accept() (net.Conn, error) {
	if conn, ok := <-m.dials; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (m *memory) Close() error   { m.once.Do(func() { close(m.dials) }); return nil }
func (m *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// Headers and bodies share a five-second request deadline, of the endpoint as it is
// served: a slow-header and a slow-body client are cut, by the clock of the test.
func TestSlowClientsAreCut(t *testing.T) {
	const head = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: */*\r\nContent-Length: 40\r\n\r\n"
	for _, c := range []struct {
		name, first, rest string
		want              string
	}{
		{"a slow head", "POST /mcp HTTP/1.1\r\n", "X: y\r\n", "408"},
		{"a slow body", head, " ", "408"},
		{"in time", head + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "", "200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := home.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				e, err := mcp.New(optionsOf(t, h))
				if err != nil {
					t.Fatal(err)
				}
				l := &memory{dials: make(chan net.Conn)}
				ctx, cancel := context.WithCancel(context.Background())
				over := make(chan error, 1)
				go func() { over <- e.Serve(ctx, l) }()
				client, server := net.Pipe()
				l.dials <- server
				var writer sync.WaitGroup
				writer.Go(func() {
					_, err := io.WriteString(client, c.first)
					for err == nil && c.rest != "" {
						<-time.After(time.Second)
						_, err = io.WriteString(client, c.rest)
					}
				})
				began := time.Now()
				response, err := http.ReadResponse(bufio.NewReader(client), nil)
				if err != nil {
					t.Fatal(err)
				}
				took := time.Since(began)
				if got := strconv.Itoa(response.StatusCode); got != c.want || c.want == "408" && took != 5*time.Second {
					t.Errorf("got %s after %v, want %s", got, took, c.want)
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = client.Close()
				writer.Wait()
				cancel()
				if err := <-over; err != nil {
					t.Errorf("serve: %v", err)
				}
			})
		})
	}
}

// Many connections at once leave the endpoint healthy: no goroutine and no memory
// of theirs is left. MCPEVAL_SOAK makes them a thousand.
func TestManyConnectionsSoak(t *testing.T) {
	connections := 100
	if os.Getenv("MCPEVAL_SOAK") != "" {
		connections = 1000
	}
	r := newRig(t, nil)
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	before, goroutines := heap(), runtime.NumGoroutine()
	var all sync.WaitGroup
	for i := range connections {
		all.Go(func() {
			conn, err := net.Dial("tcp", r.address)
			if err != nil {
				return // refused by the system, which is fine
			}
			defer conn.Close()
			text := "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: */*\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(ping)) + "\r\n\r\n" + ping
			switch i % 3 {
			case 0:
				text = text[:len(text)/2] // and then the client is gone
			case 1:
				text = "" // it never says anything
			}
			_, _ = io.WriteString(conn, text)
			if i%3 == 2 {
				_, _ = io.Copy(io.Discard, conn)
			}
		})
	}
	all.Wait()
	for { // some may still be closing
		request, err := http.NewRequest(http.MethodPost, r.url, strings.NewReader(ping))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "*/*")
		response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
		if err != nil {
			continue // it was one too many
		}
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if strings.Contains(string(text), `"result":{}`) && runtime.NumGoroutine() <= goroutines+5 {
			break
		}
	}
	if grown := heap() - before; grown > 16<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
