package index

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Digest is the SHA-256, in hex, over the rows of all workers' tables in
// visible order: what two indexes of the same events have in common, however
// the events arrived.
func Digest(conn *sqlite.Conn, workers []Worker) (string, error) {
	h := sha256.New()
	d := digester{h: h}
	for _, w := range withRows(workers) {
		for _, t := range w.Tables() {
			if t.Ordered == "" {
				continue
			}
			d.text(t.Name)
			if err := d.rows(conn, t.Ordered); err != nil {
				return "", unreadable(fmt.Errorf("digest %s: %w", t.Name, err))
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

type digester struct {
	h   hash.Hash
	buf []byte
}

// rows writes each row with its number of columns, and each value with its
// type and length, so that no two contents look alike.
func (d *digester) rows(conn *sqlite.Conn, query string) error {
	return sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		d.number('r', uint64(s.ColumnCount()))
		for i := range s.ColumnCount() {
			switch s.ColumnType(i) {
			case sqlite.TypeNull:
				d.number('n', 0)
			case sqlite.TypeInteger:
				d.number('i', uint64(s.ColumnInt64(i)))
			case sqlite.TypeFloat:
				d.number('f', math.Float64bits(s.ColumnFloat(i)))
			case sqlite.TypeText:
				d.text(s.ColumnText(i))
			case sqlite.TypeBlob:
				d.buf = append(d.buf[:0], make([]byte, s.ColumnLen(i))...)
				s.ColumnBytes(i, d.buf)
				d.text(string(d.buf))
			}
		}
		return nil
	}})
}

func (d *digester) number(kind byte, n uint64) {
	var b [9]byte
	b[0] = kind
	binary.BigEndian.PutUint64(b[1:], n)
	_, _ = d.h.Write(b[:])
}

func (d *digester) text(s string) {
	d.number('t', uint64(len(s)))
	_, _ = d.h.Write([]byte(s))
}
