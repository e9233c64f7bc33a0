package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpeval/mcpeval/probes/demo"
)

// scriptExits runs a program that must exit with exactly that code:
//
//	exits CODE PROGRAM ARG...
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s exits %d, want %d", args[1], got, want)
	}
}

// scriptServe starts the demo server on HTTP and sets NAME to its URL; with a
// trace, what it receives goes to that file:
//
//	serve NAME [broken=ASPECT] [page-size=N] [protocol=P] [json] [trace=FILE]
func scriptServe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: serve NAME [OPTION=VALUE...]")
	}
	o := &demo.Options{}
	for _, arg := range args[1:] {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "broken":
			o.Broken = value
		case "protocol":
			o.Protocol = value
		case "json":
			o.HTTPJSON = true
		case "page-size":
			n, err := strconv.Atoi(value)
			ts.Check(err)
			o.PageSize = n
		case "trace":
			f, err := os.Create(ts.MkAbs(value))
			ts.Check(err)
			ts.Defer(func() { f.Close() })
			o.Observe = demo.Trace(f, func(error) {})
		default:
			ts.Fatalf("serve: %s?", name)
		}
	}
	server, err := demo.New(o)
	ts.Check(err)
	listening := httptest.NewServer(server)
	ts.Defer(func() {
		server.Close()
		listening.Close()
	})
	ts.Setenv(args[0], listening.URL+"/mcp")
}

// catalogServer is the program catalog of the scripts, a server with the tools of
// a file:
//
//	catalog FILE TRACE
//
// FILE holds an array of pages, each an array of tools. A page that is no array
// is refused; after a page {"endless": [...]} the same comes again under ever new
// cursors. %d stands for the number of the page. A tool named fails answers with an error; every other call succeeds.
// TRACE gets the name of every tool that is called, a line each.
func catalogServer() {
	var pages []json.RawMessage
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &pages)
	}
	trace, err2 := os.OpenFile(os.Args[2], os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err := errors.Join(err, err2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Name, Cursor string }
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		answer := `"error":{"code":-32601,"message":"no such method"}`
		switch m.Method {
		case "initialize":
			answer = `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"catalog","version":"1"},"capabilities":{"tools":{}}}`
		case "ping":
			answer = `"result":{}`
		case "tools/list":
			answer = catalogPage(pages, m.Params.Cursor)
		case "tools/call":
			fmt.Fprintln(trace, m.Params.Name)
			answer = fmt.Sprintf(`"result":{"content":[],"isError":%t,"structuredContent":{"code":"NO_RECORD"}}`, m.Params.Name == "fails")
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
	}
}

func catalogPage(pages []json.RawMessage, cursor string) string {
	at := 0
	if cursor != "" {
		at, _ = strconv.Atoi(cursor)
	}
	var endless struct{ Endless json.RawMessage }
	var compact bytes.Buffer
	if err := json.Compact(&compact, pages[min(at, len(pages)-1)]); err != nil {
		os.Exit(2)
	}
	page := bytes.ReplaceAll(compact.Bytes(), []byte("%d"), strconv.AppendInt(nil, int64(at), 10))
	next := ""
	switch {
	case json.Unmarshal(page, &endless) == nil:
		page, next = endless.Endless, fmt.Sprintf(`,"nextCursor":"%d"`, at+1)
	case page[0] != '[':
		return `"error":{"code":-32000,"message":"CANARY in an error"}`
	case at+1 < len(pages):
		next = fmt.Sprintf(`,"nextCursor":"%d"`, at+1)
	}
	return `"result":{"tools":` + string(page) + next + `}`
}
