package client_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/recorder/process"
)

const modeVariable = "MCPEVAL_CLIENT_TEST_SERVER"

// TestMain is also the guard and, with a mode, the server under test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.GuardArg {
		os.Exit(process.GuardMain(os.Args[2:]))
	}
	if mode := os.Getenv(modeVariable); mode == "sdk" {
		os.Exit(serveSDK())
	} else if mode != "" {
		os.Exit(serveMode(mode, os.Stdin, os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

// target is this program as a server of the given mode.
func target(t testing.TB, mode string, env ...string) client.Target {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return client.Target{Command: []string{exe}, Env: append(append(os.Environ(), modeVariable+"="+mode, "GORACE=atexit_sleep_ms=0"), env...)}
}

// frame is a message as the server sees it.
type frame struct {
	ID     json.RawMessage            `json:"id"`
	Method string                     `json:"method"`
	Params map[string]json.RawMessage `json:"params"`
	Result json.RawMessage            `json:"result"`
	Error  json.RawMessage            `json:"error"`
}

const (
	discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`
	handshaken = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{"subscribe":true},"prompts":{"listChanged":false}},"serverInfo":{"name":"s","version":"1"}}`
)

func result(id json.RawMessage, body string) string {
	return `{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + body + `}`
}

func failed(id json.RawMessage, code int, data string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"%s}}`, id, code, data)
}

// serveMode is a server that behaves as mode says and is ordinary otherwise.
func serveMode(mode string, in io.Reader, out, errs io.Writer) int {
	switch mode {
	case "exits":
		fmt.Fprint(errs, "CANARY stack trace")
		return 3
	case "silent":
		_, _ = io.Copy(io.Discard, in)
		return 0
	case "lingers":
		return linger()
	case "leaves-child", "leaves-child-and-exits":
		leaveChild()
	case "loud-stderr":
		_, _ = errs.Write(bytes.Repeat([]byte("x"), 256<<10))
	case "banner":
		fmt.Fprint(out, "\xef\xbb\xbfCANARY \U0001f5a5 mode: STDIO\n\n   \n[02/11/26 06:14:35] INFO Starting\n{\"level\":\"info\"}\n{not json}\n")
	case "ignores-eof":
		signal.Notify(make(chan os.Signal, 1), syscall.SIGTERM)
	}
	r := bufio.NewReader(in)
	calls := 0
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			if mode == "ignores-eof" || mode == "ignores-eof-politely" {
				select {}
			}
			return 0
		}
		var f frame
		if json.Unmarshal(line, &f) != nil {
			fmt.Fprintln(out, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}`)
			continue
		}
		say := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
		switch f.Method {
		case "server/discover":
			switch mode {
			case "exits-on-discover":
				return 1
			case "hangs-on-discover":
				_, _ = io.Copy(io.Discard, in)
				return 0
			case "modern", "modern-input", "modern-asks", "modern-samples":
				say("%s", result(f.ID, discovered))
			case "modern-older":
				say("%s", result(f.ID, `{"supportedVersions":["2025-06-18","2025-03-26"]}`))
			case "modern-unknown":
				say("%s", result(f.ID, `{"supportedVersions":["2099-01-01"]}`))
			case "unsupported":
				say("%s", failed(f.ID, -32022, `,"data":{"supported":["2025-06-18"],"requested":"2026-07-28"}`))
			case "wrong-discover-id":
				say("%s", failed(json.RawMessage("0"), -32601, ""))
			default:
				say("%s", failed(f.ID, -32601, ""))
			}
		case "initialize":
			var version string
			_ = json.Unmarshal(f.Params["protocolVersion"], &version)
			switch mode {
			case "echoes":
				say("%s", result(f.ID, `{"protocolVersion":"1999-01-01","capabilities":{}}`))
			case "newest-2024":
				say("%s", result(f.ID, `{"protocolVersion":"2024-11-05","capabilities":{}}`))
			case "refuses":
				say("%s", failed(f.ID, -32603, ""))
			case "picky":
				if version != "2025-03-26" {
					say("%s", failed(f.ID, -32602, `,"data":{"supported":["2025-03-26"]}`))
				} else {
					say("%s", result(f.ID, `{"protocolVersion":"2025-03-26","capabilities":{}}`))
				}
			case "modern-older", "unsupported":
				say("%s", result(f.ID, `{"protocolVersion":"`+version+`","capabilities":{}}`))
			default:
				say("%s", result(f.ID, handshaken))
			}
		case "":
			say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"got":%s%s,"id":%s}}`, f.Result, f.Error, f.ID)
			if mode == "asks-forever" {
				calls++
				say(`{"jsonrpc":"2.0","id":%d,"method":"roots/list"}`, calls)
			}
		default:
			if f.ID == nil {
				say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"saw":%q,"id":%s}}`, f.Method, or(f.Params["requestId"], "null"))
				continue
			}
			calls++
			if done, code := serveCall(mode, f, calls, in, out, say); done {
				return code
			}
		}
	}
}

func or(raw json.RawMessage, other string) string {
	if raw == nil {
		return other
	}
	return string(raw)
}

// serveCall answers any other request.
func serveCall(mode string, f frame, calls int, in io.Reader, out io.Writer, say func(string, ...any)) (done bool, code int) {
	ok := result(f.ID, `{"content":[],"params":`+encode(f.Params)+`}`)
	var name string
	_ = json.Unmarshal(f.Params["name"], &name)
	switch mode {
	case "exits-mid-call", "leaves-child-and-exits":
		return true, 7
	case "exits-after-answer":
		fmt.Fprint(out, ok) // without a newline
		return true, 0
	case "hangs":
		if f.Method == "tools/call" {
			return false, 0
		}
	case "late":
		if calls == 1 {
			return false, 0
		}
		say("%s", result(json.RawMessage(strings.Replace(string(f.ID), fmt.Sprint(idNumber(f.ID)), fmt.Sprint(idNumber(f.ID)-1), 1)), `{}`))
	case "crlf":
		fmt.Fprint(out, ok+"\r\n")
		return false, 0
	case "twice":
		say("%s", ok)
	case "stray":
		say("%s", result(json.RawMessage(`"nobody"`), `{}`))
	case "id-as-text":
		say("%s", result(json.RawMessage(`"`+string(f.ID)+`"`), `{}`))
		return false, 0
	case "id-as-float":
		say("%s", result(json.RawMessage(string(f.ID)+".0"), `{}`))
		return false, 0
	case "id-null":
		say("%s", result(json.RawMessage(`null`), `{}`))
		return false, 0
	case "neither":
		say(`{"jsonrpc":"2.0","id":%s}`, f.ID)
		return false, 0
	case "both":
		say(`{"jsonrpc":"2.0","id":%s,"result":{},"error":{"code":1,"message":"m"}}`, f.ID)
		return false, 0
	case "error-text":
		say(`{"jsonrpc":"2.0","id":%s,"error":"boom"}`, f.ID)
		return false, 0
	case "error-code-text":
		say(`{"jsonrpc":"2.0","id":%s,"error":{"code":"E1","message":"m"}}`, f.ID)
		return false, 0
	case "no-jsonrpc":
		say(`{"id":%s,"result":{}}`, f.ID)
		return false, 0
	case "case-variants":
		say(`{"jsonrpc":"2.0","ID":99,"id":%s,"Result":{"bad":1},"result":{"good":1}}`, f.ID)
		return false, 0
	case "batch":
		say(`[%s]`, ok)
		return false, 0
	case "latin-1":
		say("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"t\":\"Messger\xe4t\"}}", f.ID)
		return false, 0
	case "size":
		var n int
		_ = json.Unmarshal(f.Params["n"], &n)
		head := `{"jsonrpc":"2.0","id":` + string(f.ID) + `,"result":{"t":"`
		say("%s%s\"}}", head, strings.Repeat("x", n-len(head)-len(`"}}`)))
		return false, 0
	case "pages":
		say("%s", servePage(f))
		return false, 0
	case "asks":
		for i, method := range []string{"sampling/createMessage", "elicitation/create", "roots/list", "ping", "x/unknown"} {
			say(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":{"n":%d}}`, i, method, i)
		}
		r := bufio.NewReader(in)
		var answers []string
		for range 5 {
			line, err := r.ReadString('\n')
			if err != nil {
				return true, 0
			}
			answers = append(answers, strings.TrimSpace(line))
		}
		say("%s", result(f.ID, `{"answers":[`+strings.Join(answers, ",")+`]}`))
		return false, 0
	case "asks-forever":
		say(`{"jsonrpc":"2.0","id":0,"method":"roots/list"}`)
		return false, 0
	case "modern-asks":
		say(`{"jsonrpc":"2.0","id":0,"method":"roots/list"}`)
	case "modern-samples":
		say("%s", result(f.ID, `{"resultType":"input_required","inputRequests":{"q":{"method":"sampling/createMessage","params":{}}}}`))
		return false, 0
	case "modern-input":
		if f.Params["inputResponses"] == nil {
			say("%s", result(f.ID, `{"resultType":"input_required","requestState":"st\u00e9","inputRequests":{"who":{"method":"elicitation/create","params":{"message":"m"}}}}`))
			return false, 0
		}
	}
	if f.Method == "subscriptions/listen" {
		say(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":{}}}`, f.ID)
		return false, 0
	}
	say("%s", ok)
	return false, 0
}

func servePage(f frame) string {
	var cursor, kind string
	_ = json.Unmarshal(f.Params["cursor"], &cursor)
	kind = os.Getenv("PAGES")
	page := 1
	if cursor != "" {
		fmt.Sscanf(cursor, "p%d", &page)
	}
	next := fmt.Sprintf(`,"nextCursor":"p%d"`, page+1)
	switch {
	case kind == "null":
		next = `,"nextCursor":null`
	case kind == "empty":
		next = `,"nextCursor":""`
	case kind == "number":
		next = `,"nextCursor":1`
	case kind == "same":
		next = `,"nextCursor":"p1"`
	case kind == "twenty" && page == 20:
		next = ``
	case kind == "second-fails" && page == 2:
		return failed(f.ID, -32603, "")
	case kind == "no-list":
		return result(f.ID, `{"tools":{}}`)
	}
	return result(f.ID, fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{}}]%s}`, page, next))
}

func idNumber(id json.RawMessage) int {
	n := 0
	fmt.Sscanf(strings.Trim(string(id), `"mcpeval-`), "%d", &n)
	return n
}

func encode(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
