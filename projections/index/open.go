package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

var (
	// ErrNone is returned when there is no index yet.
	ErrNone = errors.New("there is no index yet")
	// ErrUnreadable is returned when the index is damaged: it is made anew.
	ErrUnreadable = errors.New("index cannot be read")
	// ErrSpecial is returned when a folder, a pipe or the like stands where the
	// index belongs.
	ErrSpecial = errors.New("index.db is no file: move it away")
	// ErrOutdated is returned when another version of this program made the
	// index: a full rebuild refills it.
	ErrOutdated = errors.New("index was made by another version")
)

// Busy timeouts. A reader never waits for the indexer's transaction, only for
// the instants in which a checkpoint or a recovery holds the file.
const (
	readerTimeout = 100 * time.Millisecond
	writerTimeout = time.Second
)

// OpenReader opens the index read-only, for one command or request. Its
// statements end when ctx does. The caller closes it.
//
// MUST NOT be replaced by os.Open of the same file anywhere in a process that
// holds a connection: closing any descriptor of a file drops the process's POSIX
// locks on it, SQLite's included.
func OpenReader(ctx context.Context, path string) (*sqlite.Conn, error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, os.ErrNotExist):
		return nil, ErrNone
	case err == nil && !info.Mode().IsRegular():
		return nil, ErrSpecial
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		return nil, unreadable(err)
	}
	conn.SetBusyTimeout(readerTimeout)
	conn.SetInterrupt(ctx.Done())
	return conn, nil
}

// Read runs f over one snapshot of the index. An index that turns out damaged
// is opened once more, and f runs again: it may have been replaced a moment ago.
// It returns ErrNone, ErrOutdated or ErrUnreadable when there is nothing to read.
func Read(ctx context.Context, path string, f func(*sqlite.Conn) error) error {
	err := readOnce(ctx, path, f)
	if errors.Is(err, ErrUnreadable) {
		err = readOnce(ctx, path, f)
	}
	return err
}

func readOnce(ctx context.Context, path string, f func(*sqlite.Conn) error) (err error) {
	conn, err := OpenReader(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := sqlitex.ExecuteTransient(conn, "BEGIN", nil); err != nil {
		return unreadable(err)
	}
	if _, err := Check(conn, Workers()); err != nil {
		return err
	}
	return unreadable(f(conn))
}

// unreadable marks the errors of a damaged or foreign file.
func unreadable(err error) error {
	if err == nil || errors.Is(err, ErrUnreadable) {
		return err
	}
	switch code := sqlite.ErrCode(err); {
	case code.ToPrimary() == sqlite.ResultCorrupt, code == sqlite.ResultNotADB, code == sqlite.ResultIOErrShortRead:
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return err
}

// Remove deletes the index: the file itself first, so that no one can open it
// with a log that is already gone.
func Remove(path string) error {
	for _, p := range []string{path, path + "-wal", path + "-shm", path + "-journal"} {
		if err := os.Remove(p); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove index: %w", err)
		}
	}
	return nil
}

// connect opens the file for writing, and beside it the read-only connection
// that outlives the writer's.
func connect(path string) (conn, guard *sqlite.Conn, err error) {
	switch info, err := os.Stat(path); {
	case err == nil && !info.Mode().IsRegular():
		return nil, nil, ErrSpecial
	case errors.Is(err, os.ErrNotExist):
		if err := Remove(path); err != nil { // an old log that lost its database
			return nil, nil, err
		}
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("create index: %w", err)
		}
		if err := f.Close(); err != nil {
			return nil, nil, fmt.Errorf("create index: %w", err)
		}
	}
	conn, err = sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, nil, unreadable(err)
	}
	conn.SetBusyTimeout(writerTimeout)
	for _, pragma := range []string{
		"PRAGMA journal_mode = WAL",
		"PRAGMA synchronous = NORMAL",
		"PRAGMA wal_autocheckpoint = 0",
		"PRAGMA cache_size = -32768",
	} {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			return nil, nil, errors.Join(unreadable(err), conn.Close())
		}
	}
	guard, err = sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err == nil {
		guard.SetBusyTimeout(readerTimeout)
		// A connection joins the log only when it first reads.
		err = sqlitex.ExecuteTransient(guard, "SELECT count(*) FROM sqlite_schema", nil)
	}
	if err != nil {
		errs := []error{unreadable(err), conn.Close()}
		if guard != nil {
			errs = append(errs, guard.Close())
		}
		return nil, nil, errors.Join(errs...)
	}
	return conn, guard, nil
}
