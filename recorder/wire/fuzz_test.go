package wire_test

import (
	"bytes"
	"encoding/json" // the oracle
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// FuzzScanner compares what a Scanner finds with what encoding/json finds, and
// the input whole with the input cut in three.
func FuzzScanner(f *testing.F) {
	for i, line := range trickyLines() {
		f.Add([]byte(line+"\n"+ok1), uint16(i), uint16(3*i))
	}
	f.Fuzz(func(t *testing.T, stream []byte, first, second uint16) {
		checkOracle(t, stream)
		if diff := cmp.Diff(scan(nil, stream), scan(nil, stream, int(first), int(second))); diff != "" {
			t.Fatalf("whole and cut differ (-whole +cut):\n%s", diff)
		}
		small := &wire.Options{MaxKeep: 30}
		if diff := cmp.Diff(scan(small, stream), scan(small, stream, int(first), int(second))); diff != "" {
			t.Fatalf("with a small bound, whole and cut differ (-whole +cut):\n%s", diff)
		}
		wire.NewScanner(nil).ScanBody(stream)
	})
}

// checkOracle compares the frames of a stream with those of the oracle.
func checkOracle(t *testing.T, stream []byte) {
	t.Helper()
	var want []frame
	lines := bytes.Split(stream, []byte("\n"))
	for i, line := range lines {
		last := i == len(lines)-1
		if last && len(line) == 0 {
			break
		}
		if !last {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		want = append(want, oracleFrame(line))
	}
	got := scan(nil, stream)
	for i := range got {
		for j := range got[i].Messages {
			got[i].Messages[j].Bytes, got[i].Messages[j].Ambiguous = 0, 0
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("frames (-oracle +got):\n%s", diff)
	}
}

func oracleFrame(line []byte) frame {
	got := frame{Class: wire.NotRPC, Bytes: int64(len(line))}
	text := bytes.Trim(bytes.TrimPrefix(line, []byte("\ufeff")), " \t\r")
	if len(text) == 0 {
		got.Class = wire.Blank
		return got
	}
	if !json.Valid(text) || !utf8.Valid(text) {
		got.Class = wire.NotJSON
		return got
	}
	var members []json.RawMessage
	batch := text[0] == '['
	if !batch {
		members = append(members, text)
	} else if json.Unmarshal(text, &members) != nil {
		panic("the oracle contradicts itself")
	}
	unparsed := 0
	for _, member := range members {
		if m, ok := oracleMessage(member); ok {
			got.Messages = append(got.Messages, m)
		} else {
			unparsed++
		}
	}
	if len(got.Messages) > 0 {
		got.Class, got.Batch, got.Unparsed = wire.RPC, batch, unparsed
	}
	return got
}

func oracleMessage(text []byte) (m message, ok bool) {
	object := oracleObject(text)
	var version, method string
	if oracleKind(object["jsonrpc"]) != rawjson.String || json.Unmarshal(object["jsonrpc"], &version) != nil || version != "2.0" {
		return m, false
	}
	id := wire.IDOf(rawjson.Trusted(object["id"]))
	switch kind := oracleKind(object["method"]); {
	case kind == rawjson.String:
		if json.Unmarshal(object["method"], &method) != nil {
			panic("the oracle contradicts itself")
		}
		m.Method = method
		m.Kind = wire.Request
		if id.IsZero() {
			m.Kind = wire.Notification
		}
	case kind != rawjson.Invalid:
		return m, false
	case object["result"] == nil && object["error"] == nil && id.IsZero():
		return m, false
	default:
		m.Kind = wire.Response
	}
	m.ID = string(id.AppendKey(nil))
	values := map[string]string{}
	for i, section := range []struct {
		key, has, prefix string
		names            map[string]string
	}{
		{"params", "p", "Params.", map[string]string{
			"name": "Name", "arguments": "Arguments", "_meta": "Meta", "cursor": "Cursor", "requestId": "RequestID",
			"progressToken": "ProgressToken", "protocolVersion": "ProtocolVersion", "capabilities": "Capabilities",
			"requestState": "RequestState", "inputResponses": "InputResponses", "task": "Task", "uri": "URI",
		}},
		{"result", "r", "Result.", map[string]string{
			"isError": "IsError", "resultType": "Type", "content": "Content", "structuredContent": "Structured", "tools": "Tools",
			"nextCursor": "NextCursor", "protocolVersion": "ProtocolVersion", "capabilities": "Capabilities",
			"supportedVersions": "SupportedVersions", "requestState": "RequestState", "inputRequests": "InputRequests",
			"task": "Task", "_meta": "Meta",
		}},
		{"error", "e", "Error.", map[string]string{"code": "Code", "message": "Message", "data": "Data"}},
	} {
		raw, has := object[section.key]
		if !has {
			continue
		}
		m.Has += section.has
		m.Kinds[i] = oracleKind(raw)
		inner := oracleObject(raw)
		for key, field := range section.names {
			if raw, ok := inner[key]; ok {
				values[section.prefix+field] = string(raw)
			}
		}
	}
	if len(values) > 0 {
		m.Values = values
	}
	return m, true
}

func oracleObject(text []byte) map[string]json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil
	}
	return object
}

func oracleKind(raw json.RawMessage) rawjson.Kind { return rawjson.Trusted(raw).Kind() }
