package battery_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpeval/mcpeval/probes/battery"
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/probes/reason"
	"github.com/mcpeval/mcpeval/probes/report"
)

// clock is the time that tests move by hand.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*timer
}

type timer struct {
	at   time.Time
	f    func()
	done bool
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{at: c.now.Add(d), f: f}
	c.timers = append(c.timers, t)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		was := t.done
		t.done = true
		return !was
	}
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []*timer
	c.timers = slices.DeleteFunc(c.timers, func(t *timer) bool {
		if !t.done && !t.at.After(c.now) {
			t.done = true
			due = append(due, t)
		}
		return t.done
	})
	c.mu.Unlock()
	for _, t := range due {
		t.f()
	}
}

func TestConstants(t *testing.T) {
	if client.BudgetRequests != 4096 || client.BudgetTime != 5*time.Minute {
		t.Errorf("the budget is %d requests in %v", client.BudgetRequests, client.BudgetTime)
	}
}

// TestBudgetOfRequests sends all the requests there are.
func TestBudgetOfRequests(t *testing.T) {
	t.Parallel()
	var cases []string
	for range 45 {
		cases = append(cases, degrade)
	}
	for _, over := range []string{"http", "stdio"} {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			f := &fake{}
			target := f.overHTTP(t)
			if over == "stdio" {
				target = f.overStdio(t)
			}
			m := parse(t, manifestOf(cases...))
			m.TimeoutMS = 60_000
			c := config(target, m)
			c.Protocol = client.Revision2025c // one request a handshake
			c.Budget = client.NewBudget(nil)
			r := run(t, c)
			// 2 to begin with; each case has a handshake, its calls and a sign of life.
			const finished = (client.BudgetRequests - 2) / (1 + 100 + 1)
			want := make(map[string]reason.Label)
			for i, one := range r.Document.Cases {
				if i >= finished {
					want[one.ID.String()] = reason.EvaluationBudgetExceeded
				}
			}
			if diff := cmp.Diff(want, reasons(r)); diff != "" {
				t.Error(diff)
			}
			if requests, _ := f.count(); over == "http" && requests != client.BudgetRequests {
				t.Errorf("%d requests were sent", requests)
			}
			if c.Budget.Used() != client.BudgetRequests || r.Outcome.Exit != report.ExitIncomplete {
				t.Errorf("%d requests used, exit %d", c.Budget.Used(), r.Outcome.Exit)
			}
		})
	}
}

// TestBudgetOfTime ends the five minutes between two cases, and in one.
func TestBudgetOfTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		idle time.Duration // passes after the first case
		call time.Duration // passes in the second one, whose call is never answered
	}{
		{"between cases", 5 * time.Minute, 0},
		{"in a case", 5*time.Minute - 500*time.Millisecond, 600 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			clock := newClock()
			var once sync.Once
			f := &fake{answers: map[string]string{"tools/call hangs": ""}, hook: func(method string, call int) {
				if method == "tools/call" && call == 2 {
					once.Do(func() { clock.advance(tt.call) })
				}
			}}
			var first sync.Once
			hung := `"probe":"schema-guessability","tool":"hangs","arguments":{}`
			f.answers["tools/list"] = `{"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"hangs","inputSchema":{"type":"object"}}]}`
			c := config(f.overHTTP(t), parse(t, manifestOf(guess, hung, guess, paginate)))
			c.Clock = clock
			c.Journal = &tapes{idle: func() { first.Do(func() { clock.advance(tt.idle) }) }}
			r := run(t, c)
			want := map[string]reason.Label{
				"c2": reason.EvaluationBudgetExceeded, "c3": reason.EvaluationBudgetExceeded, "c4": reason.EvaluationBudgetExceeded,
			}
			if diff := cmp.Diff(want, reasons(r)); diff != "" {
				t.Error(diff)
			}
			for _, one := range r.Document.Cases[1:] {
				if one.Attempts != 0 || len(one.Measurements) != 0 || one.FirstFailure != nil {
					t.Errorf("%s says how far it came", one.ID)
				}
			}
		})
	}
}

// TestBudgetAtStart shows that a budget which ends during the start is an error.
func TestBudgetAtStart(t *testing.T) {
	t.Parallel()
	clock := newClock()
	f := &fake{hook: func(method string, _ int) {
		if method == "initialize" {
			clock.advance(5 * time.Minute)
		}
	}, answers: map[string]string{"initialize": ""}}
	c := config(f.overHTTP(t), parse(t, manifestOf(guess)))
	c.Clock, c.Protocol = clock, client.Revision2025c
	c.Manifest.TimeoutMS = 600_000
	r, err := battery.Run(t.Context(), c)
	if client.KindOf(err) != client.BudgetExceeded {
		t.Errorf("result %v, error %v", r, err)
	}
}
