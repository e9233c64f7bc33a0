package httpshim

import (
	"net/http"
	"sync"
	"time"
)

// census counts the open exchanges.
type census struct {
	mu   sync.Mutex // guards what follows
	all  int
	busy int // other than standalone streams, which have no end of their own

	news chan struct{} // capacity 1; rung when fewer are open
}

func (c *census) enter(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all++
	if method != http.MethodGet {
		c.busy++
	}
}

func (c *census) leave(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if method != http.MethodGet {
		c.busy--
	}
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// wait returns when the numbers of open exchanges, all and busy ones, are as
// wanted, or when enough is ready. It has one caller at a time.
func (c *census) wait(wanted func(all, busy int) bool, enough <-chan time.Time) {
	for {
		c.mu.Lock()
		all, busy := c.all, c.busy
		c.mu.Unlock()
		if wanted(all, busy) {
			return
		}
		select {
		case <-c.news:
		case <-enough:
			return
		}
	}
}
