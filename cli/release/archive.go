package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"time"
)

// file is a file of an archive.
type file struct {
	name string // with slashes
	mode int64
	text []byte
}

func ordered(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
}

func sortedNames(m map[string][]byte) []string { return slices.Sorted(maps.Keys(m)) }

// tarball packs files below the folder top.
func tarball(top string, files []file, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, f := range ordered(files) {
		h := &tar.Header{Name: top + "/" + f.name, Mode: f.mode, Size: int64(len(f.text)), ModTime: when, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(t.Close(), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// earliest is the first time that a zip archive can hold.
func earliest() time.Time { return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) }

// zipped packs files below the folder top.
func zipped(top string, files []file, when time.Time) ([]byte, error) {
	if when.Before(earliest()) {
		when = earliest()
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range ordered(files) {
		h := &zip.FileHeader{Name: top + "/" + f.name, Method: zip.Deflate, Modified: when.UTC()}
		h.SetMode(fs.FileMode(f.mode))
		w, err := z.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
