package recorder

import (
	"github.com/mcpeval/mcpeval/journal/rawjson"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

// tokens knows which progress tokens may be used. Like ids, they live in one
// space per channel and requesting side. Those of tasks live longer than their
// request; as their end is not told apart here, they stay known until newer
// tasks push them out.
type tokens struct {
	live  map[idKey]int
	tasks []idKey // a ring once it is full
	next  int
}

func newTokens() tokens { return tokens{live: make(map[idKey]int)} }

// open makes the token that q asks to be told with known, if there is one.
func (t *tokens) open(q *request, token rawjson.Value) {
	if token.IsZero() {
		return
	}
	q.token = idKey{q.key.channel, q.key.by, wire.IDOf(token)}
	if !q.token.id.IsZero() {
		t.live[q.token]++
	}
}

// close ends a request's token, or keeps it for the task the request became.
func (t *tokens) close(q *request, task bool) {
	k := q.token
	switch {
	case k.id.IsZero():
	case !task:
		t.drop(k)
	case len(t.tasks) < maxTasks:
		t.tasks = append(t.tasks, k)
	default:
		t.drop(t.tasks[t.next])
		t.tasks[t.next] = k
		t.next = (t.next + 1) % maxTasks
	}
}

func (t *tokens) drop(k idKey) {
	if t.live[k]--; t.live[k] <= 0 {
		delete(t.live, k)
	}
}

// known reports whether the side that r goes to waits for progress on token.
func (t *tokens) known(r Read, token rawjson.Value) bool {
	return t.live[idKey{r.Channel, r.Direction.Opposite().Origin(), wire.IDOf(token)}] > 0
}
