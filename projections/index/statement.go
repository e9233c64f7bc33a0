package index

import (
	"math"

	"zombiezen.com/go/sqlite"
)

// statement is a prepared statement that keeps its bindings from one execution
// to the next and binds only what changed: neighbouring events share capture,
// session, server and most of the rest, and each text that is bound costs an
// allocation and a copy inside SQLite.
type statement struct {
	stmt *sqlite.Stmt
	last []cell
	next int // parameter that is bound next, from 1
}

// cell is what a parameter is bound to.
type cell struct {
	kind cellKind
	n    int64
	s    string
}

type cellKind uint8

const (
	cellNone cellKind = iota // not bound yet
	cellNull
	cellInt
	cellFloat
	cellText
	cellBlob
)

// prepare makes a statement; it lives as long as the connection.
func prepare(conn *sqlite.Conn, query string) (*statement, error) {
	stmt, err := conn.Prepare(query)
	if err != nil {
		return nil, err
	}
	return &statement{stmt: stmt, last: make([]cell, stmt.BindParamCount()), next: 1}, nil
}

func (s *statement) set(c cell) bool {
	p := &s.last[s.next-1]
	s.next++
	if *p == c {
		return false
	}
	*p = c
	return true
}

// int binds the next parameter.
func (s *statement) int(n int64) {
	if s.set(cell{kind: cellInt, n: n}) {
		s.stmt.BindInt64(s.next-1, n)
	}
}

// float binds the next parameter.
func (s *statement) float(f float64) {
	if s.set(cell{kind: cellFloat, n: int64(math.Float64bits(f))}) {
		s.stmt.BindFloat(s.next-1, f)
	}
}

// optInt binds NULL for a negative number, which means absent.
func (s *statement) optInt(n int64) {
	if n < 0 {
		s.null()
		return
	}
	s.int(n)
}

func (s *statement) bool(b bool) {
	n := int64(0)
	if b {
		n = 1
	}
	s.int(n)
}

// text binds NULL for an empty string, which means absent.
func (s *statement) text(v string) {
	if v == "" {
		s.null()
		return
	}
	if s.set(cell{kind: cellText, s: v}) {
		s.stmt.BindText(s.next-1, v)
	}
}

// value binds a string that is a key: an empty one stays an empty string.
func (s *statement) value(v string) {
	if s.set(cell{kind: cellText, s: v}) {
		s.stmt.BindText(s.next-1, v)
	}
}

func (s *statement) null() {
	if s.set(cell{kind: cellNull}) {
		s.stmt.BindNull(s.next - 1)
	}
}

// blob binds bytes, which differ from one execution to the next.
func (s *statement) blob(b []byte) {
	s.last[s.next-1] = cell{kind: cellBlob}
	s.next++
	s.stmt.BindBytes(s.next-1, b)
}

// step runs the statement to its next row and makes it ready for binding.
// After a row, the caller reads s.stmt and calls done.
func (s *statement) step() (bool, error) {
	s.next = 1
	return s.stmt.Step()
}

// done resets the statement.
func (s *statement) done() error { return s.stmt.Reset() }

// exec runs a statement that returns no row.
func (s *statement) exec() error {
	if _, err := s.step(); err != nil {
		return err
	}
	return s.done()
}
