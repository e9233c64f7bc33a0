package projections_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mcpeval/mcpeval/journal/home"
)

// grow writes further lines of some files, and sometimes half of the next one.
// It reports whether anything is left.
func grow(t testing.TB, h *home.Home, r *rand.Rand, files []file, done []int) bool {
	left := false
	for i, f := range files {
		n := done[i]
		if r.IntN(2) == 0 {
			n = min(len(f.lines), n+r.IntN(len(f.lines)/2+2))
		}
		done[i] = n
		if n == 0 {
			left = left || len(f.lines) > 0
			continue
		}
		text := bytes.Join(f.lines[:n], nil)
		if n < len(f.lines) {
			left = true
			if r.IntN(3) == 0 {
				text = append(text, f.lines[n][:r.IntN(len(f.lines[n]))]...)
			}
		}
		put(t, h, f.path, text)
	}
	return left
}

// Any slicing of any journal, in any order of files, gives the content of one
// full rebuild.
func TestIncrementalEqualsFull(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		r := rand.New(rand.NewPCG(seed, 1))
		files := randomJournal(r, 1+r.IntN(5), 30)
		r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		h := newHome(t)
		done := make([]int, len(files))
		for cycles := 0; grow(t, h, r, files, done) || cycles == 0; cycles++ {
			refresh(t, h)
			if cycles > 60 { // let chance not decide about the end
				for i, f := range files {
					done[i] = len(f.lines)
				}
			}
		}
		refresh(t, h)
		if got, want := digest(t, h), rebuilt(t, h); got != want {
			rt.Fatalf("seed %d: digest %.12s, a full rebuild gives %.12s", seed, got, want)
		}
		full := refreshFull(t, h)
		if got, want := digest(t, h), rebuilt(t, h); got != want || !full.Full {
			rt.Fatalf("seed %d: a rebuild in place gives %.12s, want %.12s", seed, got, want)
		}
	})
}

func TestGrowWritesEverything(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	files := randomJournal(r, 3, 10)
	h := newHome(t)
	done := make([]int, len(files))
	for grow(t, h, r, files, done) {
	}
	for i, f := range files {
		if done[i] != len(f.lines) {
			t.Errorf("%s: %d lines of %d", f.path, done[i], len(f.lines))
		}
	}
	if !slices.ContainsFunc(files, func(f file) bool { return len(f.lines) > 5 }) {
		t.Error("the random journals are too small to show anything")
	}
}
