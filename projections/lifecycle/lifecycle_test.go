package lifecycle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/projections/lifecycle"
)

// history is "g" for a green and "r" for a red verification, "G" and "R" for
// those under another definition, "f" for a captured failure; a second apart. A
// "=" before one gives it the time of the one before.
func fold(t testing.TB, history string) lifecycle.State {
	t.Helper()
	var list []lifecycle.Verification
	var failures []lifecycle.Failure
	n := 0
	for i, c := range history {
		if c == '=' {
			continue
		}
		if i == 0 || history[i-1] != '=' {
			n++
		}
		ts, event := fmt.Sprintf("%04d", n), fmt.Sprintf("%c%d", c, n)
		switch c {
		case 'f':
			failures = append(failures, lifecycle.Failure{TS: ts, Event: event})
		case 'g', 'r':
			list = append(list, lifecycle.Verification{TS: ts, Event: event, Passed: c == 'g', Definition: "one"})
		case 'G', 'R':
			list = append(list, lifecycle.Verification{TS: ts, Event: event, Passed: c == 'G', Definition: "two"})
		}
	}
	s, err := lifecycle.Fold(list, func(after, upTo string) (*lifecycle.Failure, error) {
		for _, f := range failures {
			if f.TS > after && (upTo == "" || f.TS <= upTo) {
				return &f, nil
			}
		}
		return nil, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFold(t *testing.T) {
	for _, tt := range []struct {
		history, want string // state, passes, and what reopened it
	}{
		{"", "open 0"},
		{"fff", "open 0"},
		{"g", "verifying 1"},
		{"gg", "verifying 2"},
		{"ggg", "closed 3"},
		{"gggg", "closed 4"},
		{"r", "fix-claimed 0"},
		{"rr", "fix-claimed 0"},
		{"rg", "verifying 1"},
		{"gr", "open 0"},
		{"grr", "fix-claimed 0"},
		{"grgg", "verifying 2"},
		{"ggrg", "verifying 1"},
		{"ggrgg", "verifying 2"},
		{"ggrggg", "closed 3"},
		{"gggr", "open 0"},
		{"gggrr", "fix-claimed 0"},
		{"gggrggg", "closed 3"},
		{"ggG", "verifying 1"},
		{"ggGG", "verifying 2"},
		{"ggGGG", "closed 3"},
		{"gGgGg", "verifying 1"},
		{"gggG", "closed 1"},
		{"gggR", "open 0"},
		{"ggRgg", "verifying 2"},
		{"gggf", "open 0 f4"},
		{"gggff", "open 0 f4"},
		{"ggfg", "closed 3"},
		{"gg=fg", "closed 3"},
		{"ggg=f", "closed 3"},
		{"fggg", "closed 3"},
		{"gggfg", "verifying 1 f4"},
		{"gggfr", "fix-claimed 0 f4"},
		{"gggfgg", "verifying 2 f4"},
		{"gggfggg", "closed 3"},
		{"gggfgggf", "open 0 f8"},
		{"ggggf", "open 0 f5"},
		{"gggf=g", "verifying 1 f4"},
		{"gggg=f", "verifying 1 f4"},
	} {
		s := fold(t, tt.history)
		got := strings.TrimSpace(fmt.Sprintf("%s %d %s", s.Name, s.Passes, s.RegressedBy))
		if got != tt.want || s.Regressed != (s.RegressedBy != "") {
			t.Errorf("%q: %s, want %s", tt.history, got, tt.want)
		}
	}
}

func TestClosedBy(t *testing.T) {
	s := fold(t, "ggrgggg")
	if s.ClosedTS != "0006" || s.ClosedEvent != "g6" {
		t.Errorf("%+v", s)
	}
}
