package httpshim

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// split cuts a stream into lines with their ends, the slow way.
func split(stream []byte) (all [][]byte) {
	for len(stream) > 0 {
		n := bytes.IndexAny(stream, "\r\n")
		switch {
		case n < 0:
			return append(all, stream)
		case stream[n] == '\r' && n+1 < len(stream) && stream[n+1] == '\n':
			n += 2
		default:
			n++
		}
		all = append(all, stream[:n])
		stream = stream[n:]
	}
	return all
}

// bounded is what eventBound has to do, the slow way.
func bounded(stream []byte, max int) (pass, events int) {
	size := 0
	for _, line := range split(stream) {
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			if size > 0 {
				events++
			}
			size = 0
		} else {
			if size+len(line) > max {
				return pass + max - size, events
			}
			size += len(line)
		}
		pass += len(line)
	}
	return pass, events
}

func checkBound(t interface{ Fatalf(string, ...any) }, stream []byte, max, piece int) {
	wantPass, wantEvents := bounded(stream, max)
	b := eventBound{max: int64(max)}
	pass, events := 0, 0
	for p := range slices.Chunk(stream, piece) {
		n, e := b.admit(p)
		pass, events = pass+n, events+e
		if n < len(p) {
			break
		}
	}
	if pass != wantPass || events != wantEvents {
		t.Fatalf("%q, at most %d, in pieces of %d: %d bytes and %d events, want %d and %d", stream, max, piece, pass, events, wantPass, wantEvents)
	}
}

func TestEventBoundAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream := rapid.SliceOfN(rapid.SampledFrom([]byte("a\r\n:")), 0, 40).Draw(t, "stream")
		checkBound(t, stream, rapid.IntRange(1, 8).Draw(t, "max"), rapid.IntRange(1, 5).Draw(t, "piece"))
	})
}

func FuzzEventBound(f *testing.F) {
	f.Add([]byte("data: x\r\n\r\ndata: y\n\n"), uint8(7), uint8(3))
	f.Add([]byte("\r\r\n\n\r\r"), uint8(1), uint8(1))
	f.Fuzz(func(t *testing.T, stream []byte, max, piece uint8) {
		checkBound(t, stream, int(max)+1, int(piece)+1)
	})
}

func BenchmarkEventBound(b *testing.B) {
	piece := []byte("event: message\ndata: " + string(bytes.Repeat([]byte("x"), 4096)) + "\n\n")
	e := eventBound{max: maxBody}
	b.SetBytes(int64(len(piece)))
	for b.Loop() {
		if n, _ := e.admit(piece); n != len(piece) {
			b.Fatal(n)
		}
	}
}
