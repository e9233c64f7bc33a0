//go:build !plan9 && !js && !wasip1

package home_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal/home"
)

func lock(t *testing.T, h *home.Home, verb string) *home.Lock {
	t.Helper()
	l, err := h.Lock(t.Context(), verb, 0)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLockExcludes(t *testing.T) {
	h := open(t)
	l := lock(t, h, "index")
	before, err := os.Stat(h.LockPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{0, -1, 50 * time.Millisecond} {
		_, err := h.Lock(t.Context(), "verify", wait)
		var locked *home.LockedError
		if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Verb != "index" {
			t.Fatalf("wait %v: %v", wait, err)
		}
		if want := fmt.Sprintf("in use by mcpeval index (process %d)", os.Getpid()); !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := l.Unlock(); err != nil {
		t.Errorf("unlocked again: %v", err)
	}
	if err := lock(t, h, "verify").Unlock(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(h.LockPath()); err != nil || !os.SameFile(before, after) {
		t.Errorf("the lock file was replaced or removed, %v", err)
	}
}

func TestLockWaits(t *testing.T) {
	h := open(t)
	l := lock(t, h, "index")
	got := make(chan error)
	go func() {
		second, err := h.Lock(t.Context(), "import", long)
		if err == nil {
			err = second.Unlock()
		}
		got <- err
	}()
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Errorf("the waiter: %v", err)
	}
}

func TestLockObeysContext(t *testing.T) {
	h := open(t)
	l := lock(t, h, "index")
	defer l.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan error)
	go func() {
		_, err := h.Lock(ctx, "import", long)
		got <- err
	}()
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLockedErrorWithoutHolder(t *testing.T) {
	for name, content := range map[string]string{
		"nothing": "", "noise": "hello", "negative": "-3 index\n", "control": "12 in\x1b[2Jdex\n", "too large": "99999999999999999999999 x", "pid only": "12\n",
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			l := lock(t, h, "index")
			defer l.Unlock()
			if err := os.WriteFile(h.LockPath(), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := h.Lock(t.Context(), "index", 0)
			var locked *home.LockedError
			if !errors.As(err, &locked) || locked.Verb != "" || locked.PID != 0 && name != "pid only" {
				t.Fatalf("error %v", err)
			}
			if strings.Contains(err.Error(), "\x1b") || !strings.Contains(err.Error(), "in use by") {
				t.Errorf("message %q", err)
			}
		})
	}
}

func TestLockFails(t *testing.T) {
	h := open(t)
	if err := os.RemoveAll(h.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Lock(t.Context(), "index", long); err == nil || !strings.HasPrefix(err.Error(), "open lock: ") {
		t.Errorf("no home: %v", err)
	}
}

// What is no file is refused at once: opening a pipe would wait for ever.
func TestSpecialFiles(t *testing.T) {
	h := open(t)
	for _, path := range []string{h.LockPath(), h.SaltPath(), h.ConfigPath()} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	_, lockErr := h.Lock(t.Context(), "index", long)
	_, saltErr := h.Salt()
	_, configErr := h.Config()
	for path, err := range map[string]error{h.LockPath(): lockErr, h.SaltPath(): saltErr, h.ConfigPath(): configErr} {
		var special *home.SpecialError
		if !errors.As(err, &special) || special.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestLockOneAtATime(t *testing.T) {
	h := open(t)
	var holders, taken atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				l, err := h.Lock(t.Context(), "index", long)
				if err != nil {
					t.Error(err)
					return
				}
				if holders.Add(1) != 1 {
					t.Error("two hold the lock")
				}
				taken.Add(1)
				holders.Add(-1)
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if taken.Load() != 40 {
		t.Errorf("taken %d times, want 40", taken.Load())
	}
}

func TestLockEndsWithItsProcess(t *testing.T) {
	h := open(t)
	cmd := helper("lock", h.Dir, "verify")
	stdin, err := cmd.StdinPipe() // held open: the process waits for its end
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "locked\n" {
		t.Fatalf("the holder said %q, %v", line, err)
	}
	_, err = h.Lock(t.Context(), "index", 0)
	var locked *home.LockedError
	if !errors.As(err, &locked) || locked.PID != cmd.Process.Pid || locked.Verb != "verify" {
		t.Errorf("while it is held: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	l, err := h.Lock(t.Context(), "index", long)
	if err != nil {
		t.Fatalf("after the holder was killed: %v", err)
	}
	if err := l.Unlock(); err != nil {
		t.Error(err)
	}
}
