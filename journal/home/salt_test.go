package home_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/journal/sanitize"
)

func TestSaltIsCreatedOnce(t *testing.T) {
	h := open(t)
	salt, err := h.Salt()
	if err != nil || salt == (sanitize.Salt{}) {
		t.Fatalf("salt %v, %v", salt == sanitize.Salt{}, err)
	}
	again, err := h.Salt()
	if err != nil || again != salt {
		t.Errorf("the second call gives another salt, %v", err)
	}
	stored, err := os.ReadFile(h.SaltPath())
	if err != nil || !bytes.Equal(stored, salt[:]) {
		t.Errorf("the file does not hold the salt, %v", err)
	}
	if info, err := os.Stat(h.SaltPath()); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v, %v; want a regular file of 0600", info.Mode(), err)
	}
	if other, err := open(t).Salt(); err != nil || other == salt {
		t.Errorf("two homes share a salt, %v", err)
	}
	onlySalt(t, h)
}

// onlySalt fails when anything but the salt is left in the home.
func onlySalt(t *testing.T, h *home.Home) {
	t.Helper()
	entries, err := os.ReadDir(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); name != ".salt" && name != "store" {
			t.Errorf("left behind: %s", name)
		}
	}
}

func TestDamagedSaltIsKept(t *testing.T) {
	for name, content := range map[string][]byte{
		"empty": {}, "short": bytes.Repeat([]byte{1}, 31), "long": bytes.Repeat([]byte{1}, 33), "zeros": make([]byte, 32),
		"text": []byte(hex.EncodeToString(bytes.Repeat([]byte{1}, 32))),
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			h.SetPause(func() {})
			if err := os.WriteFile(h.SaltPath(), content, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := h.Salt()
			var damaged *home.SaltError
			if !errors.As(err, &damaged) || damaged.Size != int64(len(content)) || damaged.Path != h.SaltPath() {
				t.Fatalf("error %v", err)
			}
			if !strings.Contains(err.Error(), h.SaltPath()) || !strings.Contains(err.Error(), "move it away") {
				t.Errorf("%q does not say where and what to do", err)
			}
			if now, err := os.ReadFile(h.SaltPath()); err != nil || !bytes.Equal(now, content) {
				t.Errorf("the file was changed, %v", err)
			}
			onlySalt(t, h)
		})
	}
}

func TestSaltErrors(t *testing.T) {
	h := open(t)
	if err := os.Mkdir(h.SaltPath(), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Salt(); err == nil || !strings.HasPrefix(err.Error(), "read salt: ") {
		t.Errorf("a folder for a salt: %v", err)
	}
	gone := open(t)
	if err := os.RemoveAll(gone.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Salt(); err == nil || !strings.HasPrefix(err.Error(), "create salt: ") {
		t.Errorf("no home: %v", err)
	}
}

// A process killed between linking its file and removing it leaves a second name
// of the salt behind.
func TestSaltSweepsWhatACrashLeft(t *testing.T) {
	h := open(t)
	salt, err := h.Salt()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(h.SaltPath(), filepath.Join(h.Dir, ".salt-123.tmp")); err != nil {
		t.Skip("no hard links here")
	}
	if again, err := h.Salt(); err != nil || again != salt {
		t.Errorf("another salt, %v", err)
	}
	onlySalt(t, h)
}

func TestSaltWithoutHardLinks(t *testing.T) {
	h := open(t)
	if err := h.CreateSaltInPlace(); err != nil {
		t.Fatal(err)
	}
	salt, err := h.Salt()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.CreateSaltInPlace(); err != nil {
		t.Fatal(err)
	}
	if again, err := h.Salt(); err != nil || again != salt {
		t.Errorf("created twice, %v", err)
	}

	// A reader that comes while the winner is writing waits for the rest.
	slow := open(t)
	if err := os.WriteFile(slow.SaltPath(), salt[:5], 0o600); err != nil {
		t.Fatal(err)
	}
	looks := 0
	slow.SetPause(func() {
		if looks++; looks == 3 {
			if err := os.WriteFile(slow.SaltPath(), salt[:], 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	if got, err := slow.Salt(); err != nil || got != salt || looks != 3 {
		t.Errorf("salt %v after %d looks, %v", got == salt, looks, err)
	}
}

// TestManyProcessesOneSalt starts 50 processes that all want to be the first.
func TestManyProcessesOneSalt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	const processes = 50
	outputs := make([]string, processes)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			cmd := helper("salt", dir)
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("process %d: %v", i, err)
			}
			outputs[i] = string(out)
		})
	}
	wg.Wait()
	for i, out := range outputs {
		if len(out) != 64 || out != outputs[0] {
			t.Fatalf("process %d has another salt than process 0", i)
		}
	}
	h, err := home.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	onlySalt(t, h)
}
