package recorder_test

import (
	"bytes"
	"encoding/json" // reads the recordings, and is the oracle of what they hold
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder"
)

// TestReplayRecordings plays sessions recorded between public clients and
// servers, where MCPEVAL_TRANSCRIPTS names a folder of them, and counts against
// a plain reading of the same lines.
func TestReplayRecordings(t *testing.T) {
	folder := os.Getenv("MCPEVAL_TRANSCRIPTS")
	if folder == "" {
		t.Skip("MCPEVAL_TRANSCRIPTS names no folder of recordings")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal("no recordings there", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(data, []byte(`"conn":`)) {
				t.Skip("recorded over HTTP")
			}
			p := newPlayer(t)
			var requests, notes, handshakes, unparsed int
			asked := make(map[string]string) // method by direction and id
			for line := range bytes.Lines(data) {
				var rec struct {
					Dir, Line string
					TMS       float64 `json:"t_ms"`
				}
				if err := json.Unmarshal(line, &rec); err != nil {
					t.Fatal(err)
				}
				var d journal.Direction
				switch rec.Dir {
				case "c2s":
					d = journal.Outbound
				case "s2c":
					d = journal.Inbound
				default:
					continue
				}
				p.now = epoch.Add(time.Duration(rec.TMS * float64(time.Millisecond)))
				p.frame(d, rec.Line)
				var m struct {
					Method string
					ID     json.RawMessage
					Result *struct{ ProtocolVersion string }
				}
				switch {
				case strings.TrimSpace(rec.Line) == "":
				case json.Unmarshal([]byte(rec.Line), &m) != nil:
					unparsed++
				case m.Method != "" && len(m.ID) > 0 && string(m.ID) != "null":
					requests++
					asked[d.String()+string(m.ID)] = m.Method
				case m.Method != "":
					notes++
				case m.Result != nil && asked[d.Opposite().String()+string(m.ID)] == "initialize":
					handshakes++
				}
			}
			p.c.End(p.now, recorder.Exit{})
			if got := p.sink.types; got["call"] != requests || got["notification"] != notes || got["unparsed"] != unparsed {
				t.Errorf("recorded %v, want %d calls, %d notifications, %d unparsed", got, requests, notes, unparsed)
			}
			if got := p.sink.types["handshake"]; got < handshakes {
				t.Errorf("%d handshakes, want %d", got, handshakes)
			}
			for _, members := range []string{`"orphans":0`, `"duplicates":0`, `"direction":0`} {
				if !strings.Contains(p.sink.last(), members) {
					t.Logf("note: %s", p.sink.last())
					break
				}
			}
		})
	}
}
