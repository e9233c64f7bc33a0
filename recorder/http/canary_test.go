package httpshim_test

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// canaries makes words that nobody would store by chance: one that looks like a
// credential, one like a word, one like a key.
type canaries struct {
	mu    sync.Mutex
	n     int
	words []string
}

func (c *canaries) next() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	w := []string{"ghp_Qx7Rk2Zp9Lm4Vt8Yw3Bn6Hd1Jf5Cs0A%03d", "quarterly_merger_%03d", "customerKey%03d"}[c.n%3]
	w = fmt.Sprintf(w, c.n)
	c.words = append(c.words, w)
	return w
}

// Nothing of headers, cookies, URLs, session ids and bodies, good or malformed,
// leaves the process: not in the store, not in a line for the user, not in an
// error.
func TestCanaries(t *testing.T) {
	c := new(canaries)
	g := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h := w.Header()
		h.Set("Set-Cookie", c.next()+"="+c.next())
		h.Set("Www-Authenticate", `Bearer realm="`+c.next()+`"`)
		h.Set("X-"+c.next(), c.next())
		h.Set("Mcp-Session-Id", c.next())
		switch r.Header.Get("X-Case") {
		case "json":
			h.Set("Content-Type", "application/json; note="+c.next())
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":"%s","result":{"content":[{"type":"text","text":"%s"}],"isError":true,"%s":1}}`, r.Header.Get("X-Id"), c.next(), c.next())
		case "error":
			h.Set("Content-Type", "application/json")
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":"%s","message":"%s","data":{"%s":"%s"}}}`, "ghp_Qx7Rk2Zp9Lm4Vt8Yw3Bn6Hd1Jf5Cs0A999", c.next(), c.next(), c.next())
		case "stream":
			h.Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, ": %s\nid: %s\nevent: %s\ndata: %s\n\n", c.next(), c.next(), c.next(), c.next())
			fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":\"%s\"}}\n\n", c.next())
			fmt.Fprintf(w, "data: %s\n\ndata: %s", c.next(), body)
		case "text":
			h.Set("Content-Type", "text/plain")
			w.WriteHeader(401)
			io.WriteString(w, c.next())
		case "endpoint":
			h.Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: endpoint\ndata: /%s?%s\n\n", c.next(), c.next())
		case "broken":
			panic(http.ErrAbortHandler)
		case "nonsense":
			h.Set("Content-Type", "application/json")
			io.WriteString(w, `{"`+c.next())
		}
	}))
	bodies := []func() string{
		func() string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"t","arguments":{"a":"%s","b":["%s",{"c":"%s"}]}}}`, c.next(), c.next(), c.next(), c.next())
		},
		func() string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"x/ghp_Qx7Rk2Zp9Lm4Vt8Yw3Bn6Hd1Jf5Cs0A998%s","%s":2}`, c.next(), c.next())
		},
		func() string { return `{"` + c.next() + `": ` + c.next() },
		func() string { return c.next() },
	}
	for _, name := range []string{"json", "error", "stream", "text", "endpoint", "broken", "nonsense"} {
		for i, body := range bodies {
			url := fmt.Sprintf("%s?%s=%s", g.url, c.next(), c.next())
			if i == 1 {
				url = fmt.Sprintf("http://%s/%s?%s", g.host(), c.next(), c.next())
			}
			method := "POST"
			if name == "endpoint" {
				method = "GET"
			}
			r, err := http.NewRequest(method, url, strings.NewReader(body()))
			if err != nil {
				t.Fatal(err)
			}
			for name, value := range map[string]string{
				"Content-Type": "application/json; a=" + c.next(), "Authorization": "Bearer " + c.next(), "Cookie": c.next() + "=" + c.next(),
				"X-" + c.next(): c.next(), "Mcp-Name": c.next(), "Mcp-Method": c.next(), "Mcp-Protocol-Version": c.next(),
				"Last-Event-Id": c.next(), "Mcp-Session-Id": c.next(), "X-Case": name, "X-Id": c.next(), "User-Agent": c.next(),
			} {
				r.Header.Set(name, value)
			}
			if i == 2 {
				r.Header.Del("Mcp-Session-Id")
			}
			resp, err := g.client.Do(r)
			if err == nil {
				_, _ = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}
	}
	// Refusals of ours quote nothing either.
	for _, headers := range [][]string{
		{"Origin", "https://" + c.next() + ".example"}, {"Content-Type", "text/" + c.next()},
	} {
		body := text(t, g.post(`{"jsonrpc":"2.0","id":1,"method":"`+c.next()+`"}`, headers...))
		for _, w := range c.words {
			if strings.Contains(body, w) {
				t.Errorf("%s is in an answer", w)
			}
		}
	}
	if err := g.stop(); err != nil {
		t.Error(err)
	}
	checked := 0
	err := filepath.WalkDir(g.store, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		text := []byte(path)
		if d.Type().IsRegular() {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
			checked++
		}
		for _, w := range append(c.words, "ghp_Qx7Rk2Zp9Lm4Vt8Yw3Bn6Hd1Jf5Cs0A999", "ghp_Qx7Rk2Zp9Lm4Vt8Yw3Bn6Hd1Jf5Cs0A998") {
			if bytes.Contains(text, []byte(w)) {
				t.Errorf("%s is stored", w)
			}
		}
		return nil
	})
	if err != nil || checked == 0 {
		t.Errorf("%d files checked, %v", checked, err)
	}
	for _, line := range g.reported {
		for _, w := range c.words {
			if strings.Contains(line, w) {
				t.Errorf("%s is told to the user", w)
			}
		}
	}
}
