package wire_test

import (
	"bufio"
	"bytes"
	"encoding/json" // reads transcripts
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/recorder/wire"
)

// trickyLines are lines in which many kinds of token can be cut.
func trickyLines() []string {
	lines := []string{
		"\ufeff" + `{ "jsonrpc" : "2.0" , "m\u0065thod" : "tools\/c\u0061ll" , "id" : "\ud83d\ude00é" , "params" : { "name" : "wetter_für_東京_😀" , "Name":1, "arguments" : {"a":[-0.5e+10, 1E-7,0,true,false,null,{}]}, "_meta":{}}}` + "\r",
		`{"result":{"isError":true,"content":[{"type":"text","text":"\\\"\u00e9"}],"structuredContent":null},"id":-1.50e2,"jsonrpc":"\u0032.0"}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"error":{"code":-32601,"message":"x","code":1},"error":{"code":7}}`,
		`[ {"jsonrpc":"2.0","id":1,"method":"a\tb"} , 7 , {"id":3} , {"jsonrpc":"2.0","id":4,"result":{"tools":[1]}} ]`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":123456789012345678901234567890}}`,
		`{"` + strings.Repeat("k", 200) + `":1,"jsonrpc":"2.0","` + strings.Repeat(`\u0069`, 1) + `d":1,"result":{"` + strings.Repeat(`\u006e`, 17) + `":1}}`,
		`  `, "", "\r", "-1.5E+3 ", `"x"`, "[]", "no JSON", "\xef\xbbx",
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xf0\x9f\x98\"}", `{"jsonrpc":"2.0","id":"\u12`, "tru", "1.",
		// The first and last characters of each length, and what lies just outside.
		"\"\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff\"", "\"\xc1\xbf\"", "\"\xe0\x9f\xbf\"", "\"\xed\xa0\x80\"",
		"\"\xf0\x8f\xbf\xbf\"", "\"\xf4\x90\x80\x80\"", "\"\xf5\x80\x80\x80\"", "\"\x80\"", "\"\xe2\x82\xc0\"",
	}
	for _, c := range classes {
		if len(c.line) < 200 {
			lines = append(lines, c.line)
		}
	}
	return lines
}

// TestEverySplit cuts each line at every place, and into single bytes.
func TestEverySplit(t *testing.T) {
	for _, o := range []*wire.Options{nil, {MaxKeep: 20}} {
		for _, line := range trickyLines() {
			for _, stream := range []string{line + "\n" + ok1, line} {
				want := scan(o, []byte(stream))
				for i := range len(stream) {
					if diff := cmp.Diff(want, scan(o, []byte(stream), i)); diff != "" {
						t.Fatalf("%q cut at %d (-whole +cut):\n%s", stream, i, diff)
					}
				}
				single := make([]int, len(stream))
				for i := range single {
					single[i] = 1
				}
				if diff := cmp.Diff(want, scan(o, []byte(stream), single...)); diff != "" {
					t.Fatalf("%q in single bytes (-whole +cut):\n%s", stream, diff)
				}
			}
		}
	}
}

// TestSplitsDoNotShow cuts random streams of lines at random places.
func TestSplitsDoNotShow(t *testing.T) {
	lines := trickyLines()
	keys := []string{"jsonrpc", "id", "method", "params", "result", "error", "name", "Name", "isError", "content", "code", "x", `n\u0061me`}
	scalars := []string{`"2.0"`, `"a"`, "1", "-1.0e2", "null", "true", `"é\n😀"`, `"\ud800"`, "{}", "[]"}
	value := rapid.SampledFrom(scalars)
	members := rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		n := rapid.IntRange(0, 6).Draw(t, "n")
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`"` + rapid.SampledFrom(keys).Draw(t, "key") + `":`)
			b.WriteString(value.Draw(t, "value"))
		}
		return "{" + b.String() + "}"
	})
	message := rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		b.WriteString(`{"jsonrpc":"2.0"`)
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			b.WriteString(`,"` + rapid.SampledFrom(keys).Draw(t, "key") + `":`)
			b.WriteString(rapid.OneOf(value, members).Draw(t, "value"))
		}
		return b.String() + "}"
	})
	batch := rapid.Map(rapid.SliceOfN(rapid.OneOf(message, members, value), 0, 4), func(m []string) string {
		return "[" + strings.Join(m, " ,") + "]"
	})
	line := rapid.OneOf(rapid.SampledFrom(lines), message, batch, rapid.StringMatching(`[\[\]{}:,"\\a1.e \-]{0,12}`))
	rapid.Check(t, func(t *rapid.T) {
		stream := []byte(strings.Join(rapid.SliceOfN(line, 1, 5).Draw(t, "lines"), "\n"))
		o := &wire.Options{MaxKeep: rapid.SampledFrom([]int{0, 1, 10, 40, 100}).Draw(t, "MaxKeep")}
		cuts := rapid.SliceOfN(rapid.IntRange(0, 40), 0, 30).Draw(t, "cuts")
		want := scan(o, stream)
		if diff := cmp.Diff(want, scan(o, stream, cuts...)); diff != "" {
			t.Fatalf("whole and cut differ (-whole +cut):\n%s", diff)
		}
	})
}

// TestTranscripts reads recorded traffic of public servers, where it is at hand.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("../../../shared/transcripts/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("no transcripts beside the repository")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var stream bytes.Buffer
		lines := bufio.NewReader(bytes.NewReader(data))
		for {
			record, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			var entry struct {
				Line *string `json:"line"`
			}
			if json.Unmarshal(record, &entry) == nil && entry.Line != nil {
				stream.WriteString(*entry.Line + "\n")
			}
		}
		want := scan(nil, stream.Bytes())
		checkOracle(t, stream.Bytes())
		for _, size := range []int{1, 7, 4096} {
			cuts := make([]int, stream.Len()/size)
			for i := range cuts {
				cuts[i] = size
			}
			if diff := cmp.Diff(want, scan(nil, stream.Bytes(), cuts...)); diff != "" {
				t.Errorf("%s in chunks of %d (-whole +cut):\n%s", filepath.Base(file), size, diff)
			}
		}
	}
}
