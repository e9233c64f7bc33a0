//go:build unix && !unsupported

package stdio_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/recorder/process"
	"github.com/mcpeval/mcpeval/recorder/stdio"
	"github.com/mcpeval/mcpeval/recorder/wire"
)

func newConsumer(kind, trace, gate string) stdio.Consumer {
	switch kind {
	case "scan":
		return &scanConsumer{scanners: [2]*wire.Scanner{wire.NewScanner(nil), wire.NewScanner(nil)}}
	case "trace":
		return newTraceConsumer(trace, gate)
	case "stuck":
		return stuckConsumer{}
	case "panic":
		return panicConsumer{}
	}
	return nullConsumer{}
}

type nullConsumer struct{}

func (nullConsumer) Chunk(journal.Direction, []byte, time.Time, time.Time) {}
func (nullConsumer) Gap(journal.Direction, int64, int64)                   {}
func (nullConsumer) Event(stdio.EventKind, time.Time)                      {}
func (nullConsumer) Idle(time.Time)                                        {}
func (nullConsumer) Done(process.Exit, time.Time)                          {}

// stuckConsumer never comes back from its first chunk.
type stuckConsumer struct{ nullConsumer }

func (stuckConsumer) Chunk(journal.Direction, []byte, time.Time, time.Time) { select {} }

type panicConsumer struct{ nullConsumer }

func (panicConsumer) Chunk(journal.Direction, []byte, time.Time, time.Time) { panic("consumer") }

// scanConsumer does what recording costs most of: it finds every message. It says
// on stderr if anything was lost.
type scanConsumer struct {
	nullConsumer
	scanners [2]*wire.Scanner
	messages int
	lost     int64
}

func (c *scanConsumer) Chunk(dir journal.Direction, data []byte, _, _ time.Time) {
	c.scanners[dir-journal.Outbound].Feed(data, func(f *wire.Frame) { c.messages += len(f.Messages) })
}

func (c *scanConsumer) Gap(_ journal.Direction, _, n int64) { c.lost += n }

func (c *scanConsumer) Done(process.Exit, time.Time) {
	if c.lost > 0 {
		fmt.Fprintln(os.Stderr, "gap of", c.lost, "bytes")
	}
}

// traceConsumer writes one line for each call but Chunk and Idle, and totals at
// the end.
type traceConsumer struct {
	file  *os.File
	gate  string // fifo that the first chunk waits for
	sums  [2]hash.Hash
	bytes [2]int64
	asked int64 // outbound lines so far
	early int64 // inbound lines that came before their request
	lines int64 // inbound lines so far
	last  [2]time.Time
	order string // complaints about times
}

func newTraceConsumer(path, gate string) *traceConsumer {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	return &traceConsumer{file: file, gate: gate, sums: [2]hash.Hash{sha256.New(), sha256.New()}}
}

func (c *traceConsumer) Chunk(dir journal.Direction, data []byte, readAt, handedOn time.Time) {
	if c.gate != "" {
		_, _ = os.ReadFile(c.gate)
		c.gate = ""
	}
	i := dir - journal.Outbound
	if handedOn.Before(readAt) || readAt.Before(c.last[i]) {
		c.order = " times-wrong"
	}
	c.last[i] = handedOn
	c.sums[i].Write(data)
	c.bytes[i] += int64(len(data))
	n := int64(bytes.Count(data, []byte{'\n'}))
	if dir == journal.Outbound {
		c.asked += n
	} else if c.lines += n; c.lines > c.asked {
		c.early++
	}
}

func (c *traceConsumer) Gap(dir journal.Direction, frames, n int64) {
	fmt.Fprintf(c.file, "gap %s %d %d\n", dir, frames, n)
}

var eventNames = map[stdio.EventKind]string{
	stdio.ClientEOF: "client-eof", stdio.ServerEOF: "server-eof", stdio.ServerDeaf: "server-deaf",
	stdio.ClientGone: "client-gone", stdio.Signalled: "signalled", stdio.ChildExited: "child-exited",
}

func (c *traceConsumer) Event(kind stdio.EventKind, _ time.Time) {
	fmt.Fprintln(c.file, "event", eventNames[kind])
}

func (c *traceConsumer) Idle(time.Time) {}

func (c *traceConsumer) Done(exit process.Exit, _ time.Time) {
	for i, dir := range []journal.Direction{journal.Outbound, journal.Inbound} {
		lines := []int64{c.asked, c.lines}[i]
		fmt.Fprintf(c.file, "total %s %d %d %s\n", dir, lines, c.bytes[i], hex.EncodeToString(c.sums[i].Sum(nil)))
	}
	fmt.Fprintf(c.file, "early %d%s\n", c.early, c.order)
	if exit.Killed {
		fmt.Fprintln(c.file, "killed")
	}
	fmt.Fprintf(c.file, "done %d %v\n", exit.Code, exit.Signal)
}
