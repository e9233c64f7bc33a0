package mcp_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcpeval/mcpeval/server/mcp"
)

// FuzzScreen: what is refused is refused as JSON-RPC, and a single request that
// passes is one for the SDK too, with the same id.
func FuzzScreen(f *testing.F) {
	for _, text := range []string{
		``, ` `, `{}`, `[]`, `[{}]`, `nul`, `"x"`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"\u0061","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, `{"jsonrpc":"2.0","id":-0,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","ID":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},7]`, "\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"x","id":null}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if answer := mcp.Screen(text); answer != nil {
			var e struct {
				JSONRPC string
				ID      any
				Error   *struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal(answer, &e); err != nil || e.JSONRPC != "2.0" || e.Error == nil || e.Error.Code > -32600 || e.Error.Message == "" {
				t.Fatalf("%q is answered %s", text, answer)
			}
			return
		}
		text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
		if text[0] == '[' {
			return
		}
		message, err := jsonrpc.DecodeMessage(text)
		if err != nil {
			return // answers to nothing, which are dropped
		}
		var sent struct {
			ID     json.RawMessage
			Method string
		}
		request, ok := message.(*jsonrpc.Request)
		if !ok || json.Unmarshal(text, &sent) != nil || len(sent.ID) == 0 {
			return
		}
		var want any
		if err := json.Unmarshal(sent.ID, &want); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(request.ID.Raw())
		if err != nil {
			t.Fatal(err)
		}
		var kept any
		if err := json.Unmarshal(got, &kept); err != nil || kept != want {
			t.Fatalf("the id of %q is %s in the SDK", text, got)
		}
	})
}
