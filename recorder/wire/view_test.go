package wire_test

import (
	"maps"
	"reflect"

	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// frame is a copy of a wire.Frame that outlives it and that cmp can show.
type frame struct {
	Class     wire.Class
	Bytes     int64
	Batch     bool
	Truncated bool
	Unparsed  int
	Dropped   int
	Messages  []message
}

type message struct {
	Kind      wire.MessageKind
	ID        string // AppendKey
	Bytes     int64
	Ambiguous int
	Method    string
	Has       string            // which of params, result and error there are: "p", "r", "e"
	Kinds     [3]rawjson.Kind   // of params, result and error
	Values    map[string]string // "Params.Name" and so on
}

func view(f *wire.Frame) frame {
	got := frame{
		Class: f.Class, Bytes: f.Bytes, Batch: f.Batch, Truncated: f.Truncated,
		Unparsed: f.Unparsed, Dropped: f.Dropped,
	}
	for i := range f.Messages {
		got.Messages = append(got.Messages, viewMessage(&f.Messages[i]))
	}
	return got
}

func viewMessage(m *wire.Message) message {
	got := message{
		Kind: m.Kind, ID: string(m.ID.AppendKey(nil)), Bytes: m.Bytes, Ambiguous: m.AmbiguousKeys,
		Method: string(m.Method), Kinds: [3]rawjson.Kind{m.Params.Kind, m.Result.Kind, m.Error.Kind},
	}
	for _, has := range []struct {
		is   bool
		text string
	}{{m.HasParams, "p"}, {m.HasResult, "r"}, {m.HasError, "e"}} {
		if has.is {
			got.Has += has.text
		}
	}
	values := map[string]string{}
	maps.Copy(values, viewValues("Params.", m.Params))
	maps.Copy(values, viewValues("Result.", m.Result))
	maps.Copy(values, viewValues("Error.", m.Error))
	if len(values) > 0 {
		got.Values = values
	}
	return got
}

// viewValues lists the members of wire.Params, wire.Result or wire.Error.
func viewValues(prefix string, object any) map[string]string {
	values := map[string]string{}
	v := reflect.ValueOf(object)
	for i := range v.NumField() {
		if value, ok := v.Field(i).Interface().(rawjson.Value); ok && !value.IsZero() {
			values[prefix+v.Type().Field(i).Name] = string(value.Raw())
		}
	}
	return values
}

// scan feeds a stream in the chunks given by cuts, each a length; the rest of
// the stream is one chunk. Every chunk is destroyed after it was fed.
func scan(o *wire.Options, stream []byte, cuts ...int) []frame {
	var got []frame
	emit := func(f *wire.Frame) { got = append(got, view(f)) }
	s := wire.NewScanner(o)
	feed := func(part []byte) {
		chunk := append([]byte(nil), part...)
		s.Feed(chunk, emit)
		for i := range chunk {
			chunk[i] = '~'
		}
	}
	for _, n := range cuts {
		n = min(n, len(stream))
		feed(stream[:n])
		stream = stream[n:]
	}
	feed(stream)
	s.Finish(emit)
	return got
}
