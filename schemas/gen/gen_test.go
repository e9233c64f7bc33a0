package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestUpToDate: generating leaves no diff, however often it is done.
func TestUpToDate(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	for range 2 {
		files, err := documents()
		if err != nil {
			t.Fatal(err)
		}
		if len(files) != 6 {
			t.Errorf("%d files", len(files))
		}
		for name, want := range files {
			got, err := os.ReadFile(filepath.Join("schemas", name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s is out of date; make generate", name)
			}
		}
	}
}
