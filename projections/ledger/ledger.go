package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	bolt "go.etcd.io/bbolt"
)

// ErrUnreadable is returned when the file is missing, damaged or foreign: a
// full rebuild makes it anew.
var ErrUnreadable = errors.New("ledger cannot be read")

// format is the version of keys and values. Raise it when they change: a
// ledger of another format is rebuilt.
const format = 1

var (
	bucketEvents  = []byte("events")
	bucketWitness = []byte("witness")
	bucketMeta    = []byte("meta")

	keyFormat = []byte("format")
	keyID     = []byte("ledger_id")
	keyRun    = []byte("last_run")
	keySince  = []byte("since")
)

// openTimeout bounds the wait for bbolt's own file lock, which only a process
// outside the index lock could hold.
const openTimeout = time.Second

// Ledger is an open ledger. It is not safe for concurrent use.
type Ledger struct {
	db   *bolt.DB
	path string

	// Set by Open and Create.
	id      uuid.UUID
	lastRun int64
	since   time.Time
}

// Open opens an existing ledger.
func Open(path string) (*Ledger, error) { return open(path, false) }

// OpenReadOnly opens an existing ledger for reading.
func OpenReadOnly(path string) (*Ledger, error) { return open(path, true) }

func open(path string, readOnly bool) (l *Ledger, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if info.Size() < 2*int64(os.Getpagesize()) { // bbolt would make a new file, or fault on its second page
		return nil, ErrUnreadable
	}
	l = &Ledger{path: path}
	err = guard(func() error {
		if !readOnly {
			if err := check(path); err != nil {
				return err
			}
		}
		var err error
		if l.db, err = openBolt(path, readOnly); err != nil {
			return err
		}
		return l.db.View(l.readMeta)
	})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func openBolt(path string, readOnly bool) (*bolt.DB, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: openTimeout, ReadOnly: readOnly})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return db, nil
}

func (l *Ledger) readMeta(tx *bolt.Tx) error {
	b := tx.Bucket(bucketMeta)
	if b == nil || tx.Bucket(bucketEvents) == nil || tx.Bucket(bucketWitness) == nil || number(b.Get(keyFormat)) != format {
		return ErrUnreadable
	}
	id, err := uuid.FromBytes(b.Get(keyID))
	if err != nil {
		return ErrUnreadable
	}
	l.id, l.lastRun, l.since = id, number(b.Get(keyRun)), time.UnixMilli(number(b.Get(keySince))).UTC()
	return nil
}

// Create makes a new ledger with its first run reserved. It is not durable
// before Seal. A file that is in the way, left by a crash, is removed.
func Create(path string, id uuid.UUID, run int64, since time.Time) (l *Ledger, err error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove old ledger: %w", err)
	}
	l = &Ledger{path: path, id: id, lastRun: run, since: since}
	err = guard(func() error {
		db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: openTimeout, NoSync: true})
		if err != nil {
			return fmt.Errorf("create ledger: %w", err)
		}
		l.db = db
		return db.Update(func(tx *bolt.Tx) error {
			for _, name := range [][]byte{bucketEvents, bucketWitness, bucketMeta} {
				if _, err := tx.CreateBucket(name); err != nil {
					return fmt.Errorf("create ledger: %w", err)
				}
			}
			b := tx.Bucket(bucketMeta)
			return errors.Join(
				b.Put(keyFormat, numberBytes(format)),
				b.Put(keyID, id[:]),
				b.Put(keyRun, numberBytes(run)),
				b.Put(keySince, numberBytes(since.UnixMilli())))
		})
	})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// ID tells this ledger from every other: index and ledger belong together when
// both have the same.
func (l *Ledger) ID() uuid.UUID { return l.id }

// LastRun is the last run that was reserved.
func (l *Ledger) LastRun() int64 { return l.lastRun }

// Since is when the witness began.
func (l *Ledger) Since() time.Time { return l.since }

// Reserve makes run the last used one.
func (l *Ledger) Reserve(run int64) error {
	err := l.update(func(tx *bolt.Tx) error { return tx.Bucket(bucketMeta).Put(keyRun, numberBytes(run)) })
	if err == nil {
		l.lastRun = run
	}
	return err
}

// Seal makes a created ledger durable.
func (l *Ledger) Seal() error {
	if err := l.db.Sync(); err != nil {
		return fmt.Errorf("sync ledger: %w", err)
	}
	return nil
}

// Close closes the file.
func (l *Ledger) Close() error {
	if l.db == nil {
		return nil
	}
	db := l.db
	l.db = nil
	return guard(db.Close)
}

func (l *Ledger) update(f func(*bolt.Tx) error) error {
	return guard(func() error {
		if err := l.db.Update(f); err != nil {
			return fmt.Errorf("write ledger: %w", err)
		}
		return nil
	})
}

func (l *Ledger) view(f func(*bolt.Tx) error) error {
	return guard(func() error { return l.db.View(f) })
}

// guard turns what bbolt does on a damaged file, a panic or a fault in the
// mapped memory, into ErrUnreadable.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			err = ErrUnreadable
		}
	}()
	return f()
}

func number(b []byte) int64 {
	if len(b) != 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

func numberBytes(n int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(n)) }
