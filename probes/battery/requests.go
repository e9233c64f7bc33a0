package battery

import (
	"sync"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// requests are what a server asks during the calls of a case. They are counted
// on the goroutine that reads.
type requests struct {
	most   int // that the case allows
	valid  func(params rawjson.Value) bool
	answer func(params rawjson.Value) []byte

	mu      sync.Mutex // guards what follows
	asked   int
	invalid bool
}

// spare is how many more requests than a case allows are answered before a call
// is ended, so that what the server also asks for does not end it.
const spare = 8

// take answers a request, and declines those beyond the bound.
func (r *requests) take(params rawjson.Value) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	r.invalid = r.invalid || !r.valid(params)
	if r.asked > r.most {
		return nil
	}
	return r.answer(params)
}

func (r *requests) seen() (asked int, invalid bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked, r.invalid
}
