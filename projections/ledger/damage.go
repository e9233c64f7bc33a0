package ledger

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	bolt "go.etcd.io/bbolt"
)

// bbolt's file format, as far as the list of free pages goes: where a page says
// what it is, and where a meta page names the list.
const (
	pageHeader   = 16
	pageFlagsAt  = 8
	pageCountAt  = 10
	freeListAt   = pageHeader + 32
	freeListFlag = 0x10
	manyFree     = 0xffff // the count is the first number of the list
)

// check refuses a file with a list of free pages that bbolt cannot load. Opening
// it for writing would panic, which leaves the file mapped until this process
// ends: no rebuild could replace it on Windows. What is wrong with other pages
// shows in transactions, which end in order.
func check(path string) error {
	db, err := openBolt(path, true) // does not load the list
	if err != nil {
		return err
	}
	defer db.Close()
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	defer f.Close()
	return db.View(func(tx *bolt.Tx) error {
		pageSize := int64(db.Info().PageSize)
		meta := int64(tx.ID()) % 2 * pageSize
		page, err := numberAt(f, meta+freeListAt)
		if err != nil || page < 2 || page >= tx.Size()/pageSize {
			return ErrUnreadable
		}
		return checkFreeList(f, page*pageSize)
	})
}

func checkFreeList(f *os.File, at int64) error {
	var head [pageHeader]byte
	if _, err := f.ReadAt(head[:], at); err != nil || binary.LittleEndian.Uint16(head[pageFlagsAt:]) != freeListFlag {
		return ErrUnreadable
	}
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	at += pageHeader
	count := int64(binary.LittleEndian.Uint16(head[pageCountAt:]))
	if count == manyFree {
		if count, err = numberAt(f, at); err != nil {
			return ErrUnreadable
		}
		at += 8
	}
	if count < 0 || count > (size-at)/8 {
		return ErrUnreadable
	}
	return nil
}

func numberAt(f *os.File, at int64) (int64, error) {
	var b [8]byte
	_, err := f.ReadAt(b[:], at)
	return int64(binary.LittleEndian.Uint64(b[:])), err
}
