package journal

import (
	"errors"
	"os"
)

// ErrShrunk is returned when a file that is being tailed has become shorter
// than what was already read: logs are append-only, so it is another file now.
var ErrShrunk = errors.New("file became shorter")

// LiveReader tails a growing file: Next is false at its present end and may be
// called again when the file has grown. It shares Reader's contract otherwise.
// It is not safe for concurrent use.
type LiveReader struct {
	Reader
	file *os.File
}

// OpenLive opens the file name and starts at the given place, whose Path is
// what errors name.
func OpenLive(name string, at Place) (*LiveReader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(at.Offset, 0); err != nil {
		_ = f.Close()
		return nil, err
	}
	l := &LiveReader{Reader: *NewReader(f, at), file: f}
	return l, nil
}

// Next advances to the next complete line, if there is one already.
func (l *LiveReader) Next() bool {
	if l.Reader.Next() {
		return true
	}
	if l.err == nil {
		info, err := l.file.Stat()
		switch {
		case err != nil:
			l.err = err
		case info.Size() < l.next.Offset+l.Torn():
			l.err = Corrupt(l.next, ErrShrunk)
		}
	}
	return false
}

// Close closes the file.
func (l *LiveReader) Close() error { return l.file.Close() }
