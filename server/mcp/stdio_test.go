package mcp_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/server/mcp"
)

// pipe is a client of ServeStdio.
type pipe struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	stop context.CancelFunc
	over chan error
}

func newPipe(t *testing.T) *pipe {
	t.Helper()
	h, err := home.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e, err := mcp.New(optionsOf(t, h))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &pipe{t: t, in: inW, out: bufio.NewReader(outR), stop: cancel, over: make(chan error, 1)}
	go func() {
		p.over <- e.ServeStdio(ctx, inR, outW)
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		cancel()
		_ = outR.Close()
		_ = inW.Close()
	})
	return p
}

const handshake = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func (p *pipe) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pipe) line() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		return "end"
	}
	return line
}

// What ends the SDK's own transport is answered, and the session goes on.
func TestStdioGoesOn(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"no JSON", `CANARY`, `"id":null,"error":{"code":-32700`},
		{"a scalar", `7`, `-32600`},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `-32600`},
		{"no jsonrpc", `{"id":5,"method":"ping"}`, `"id":5,"error":{"code":-32600`},
		{"blanks behind the object", `{"jsonrpc":"2.0","id":5,"method":"ping"}   `, `"id":5,"result":{}`},
		{"a fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `-32600`},
		{"an unknown method", `{"jsonrpc":"2.0","id":5,"method":"CANARY"}`, `"id":5,"error":{"code":-32601`},
		{"a second initialize", strings.Replace(handshake, `"id":0`, `"id":5`, 1), `"id":5,"error":{"code":-32600`},
		{"a revision that is none", `{"jsonrpc":"2.0","id":5,"method":"server/discover","params":{` + strings.ReplaceAll(modernMeta, modern, "1999-01-01") + `}}`, `"id":5,"error":{"code":-32022`},
		{"invalid arguments", call(5, "list_findings", `{"CANARY":1}`), `"id":5,"error":{"code":-32602`},
		{"a tool that is not there", call(5, "CANARY", `{}`), `"id":5,"error":{"code":-32602`},
		{"a line that is too long", `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`, `-32600`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPipe(t)
			p.send(handshake)
			p.line()
			p.send("", `{"jsonrpc":"2.0","method":"notifications/unheard-of"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, c.line)
			got := p.line()
			if !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if strings.Contains(got, "CANARY") {
				t.Errorf("the answer quotes the line: %s", got)
			}
			p.send(`{"jsonrpc":"2.0","id":"again","method":"ping"}`)
			if got := p.line(); !strings.Contains(got, `"id":"again","result":{}`) {
				t.Errorf("afterwards ping answers %s", got)
			}
		})
	}
}

// Before initialize nothing but ping is answered with a result.
func TestStdioBeforeInitialize(t *testing.T) {
	p := newPipe(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if got := p.line(); !strings.Contains(got, `"id":1,"error":{"code":-32600`) {
		t.Errorf("tools/list answers %s", got)
	}
}

// What was asked before the end of the input is answered.
func TestStdioAnswersBeforeItEnds(t *testing.T) {
	p := newPipe(t)
	p.send(handshake, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.line()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, call(2, "list_findings", `{}`))
	_ = p.in.Close()
	got := p.line() + p.line()
	if !strings.Contains(got, `"id":1`) || !strings.Contains(got, `"findings\": []`) {
		t.Errorf("got %s", got)
	}
	if got := p.line(); got != "end" {
		t.Errorf("and then %s", got)
	}
	if err := <-p.over; err != nil {
		t.Errorf("serve: %v", err)
	}
}

// A cancelled call, the end of the input, and SIGTERM each stop the evaluation and
// its processes over stdio.
func TestStdioCancellation(t *testing.T) {
	for _, mode := range []string{"held", "stubborn"} {
		for name, stop := range map[string]func(*pipe){
			"cancelled": func(p *pipe) {
				p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`,
					`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`)
			},
			"end of input": func(p *pipe) { _ = p.in.Close() },
			"SIGTERM":      func(p *pipe) { p.stop() },
		} {
			t.Run(mode+"/"+name, func(t *testing.T) {
				t.Parallel()
				p, g := newPipe(t), newGate(t)
				p.send(handshake)
				p.line()
				p.send(call(5, "scaffold", g.arguments(mode)))
				gone := []func(){g.wait()}
				if mode == "stubborn" {
					gone = append(gone, g.wait())
				}
				go func() { // whatever is said
					for p.line() != "end" {
					}
				}()
				stop(p)
				for _, wait := range gone {
					wait()
				}
				if name != "cancelled" {
					if err := <-p.over; err != nil {
						t.Errorf("serve: %v", err)
					}
				}
			})
		}
	}
}
