package httpshim

import (
	"bytes"
	"compress/gzip"
	"slices"
	"testing"
)

func gzipOf(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, p := range parts {
		if _, err := z.Write([]byte(p)); err != nil {
			t.Fatal(err)
		}
		if err := z.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What a server has flushed comes out at once, however it is cut.
func TestInflateAsItComes(t *testing.T) {
	first := gzipOf(t, "one ")
	both := gzipOf(t, "one ", "two")
	flushed := len(first) - len(gzipOf(t)) // a part of both, its end left out
	for piece := 1; piece < 20; piece++ {
		f := newInflater()
		var text []byte
		emit := func(p []byte) { text = append(text, p...) }
		at := 0
		for p := range slices.Chunk(both, piece) {
			if !f.feed(p, emit) {
				t.Fatal("damaged")
			}
			at += len(p)
			if at >= flushed+10 && !bytes.HasPrefix(text, []byte("one ")) {
				t.Fatalf("after %d bytes, in pieces of %d, there is only %q", at, piece, text)
			}
		}
		if !f.finish(emit) || string(text) != "one two" {
			t.Errorf("in pieces of %d: %q", piece, text)
		}
	}
}

func TestInflateClosedEarly(t *testing.T) {
	for _, feed := range [][]byte{nil, {0x1f}, gzipOf(t, "one ", "two")[:20]} {
		f := newInflater()
		f.feed(feed, func([]byte) {})
		f.close() // goleak sees what is left
	}
	newInflater().close()
}

// Nothing that is fed makes an inflater panic or hang, and both ways to inflate
// agree.
func FuzzInflate(f *testing.F) {
	f.Add(gzipOf(f, "one ", "two"), uint8(1))
	f.Add([]byte("\x1f\x8b\x08"), uint8(3))
	f.Add(append(gzipOf(f, "a"), gzipOf(f, "b")...), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, piece uint8) {
		z := newInflater()
		var text []byte
		emit := func(p []byte) {
			if len(text) <= maxBody {
				text = append(text, p...)
			}
		}
		sound := true
		for p := range slices.Chunk(data, int(piece)+1) {
			sound = z.feed(p, emit) && sound
		}
		sound = z.finish(emit) && sound
		if want, ok := inflateWhole(data); ok && (!sound || !bytes.Equal(text, want)) {
			t.Errorf("%q, %t, want %q", text, sound, want)
		}
	})
}
