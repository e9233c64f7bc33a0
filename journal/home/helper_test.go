package home_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcpeval/mcpeval/journal/home"
)

// long is a wait that no test reaches the end of.
const long = time.Minute

// helper is this test program started as a helper process.
func helper(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOME_TEST_HELPER="+strings.Join(args, "\x1f"))
	return cmd
}

func TestMain(m *testing.M) {
	args := os.Getenv("HOME_TEST_HELPER")
	if args == "" {
		os.Exit(m.Run())
	}
	if err := runHelper(strings.Split(args, "\x1f")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runHelper(args []string) error {
	h, err := home.Open(args[1])
	if err != nil {
		return err
	}
	if args[0] == "lock" {
		return holdLock(h, args[2])
	}
	salt, err := h.Salt()
	if err != nil {
		return err
	}
	fmt.Print(hex.EncodeToString(salt[:]))
	return nil
}

// holdLock takes the lock, says so and waits to be killed.
func holdLock(h *home.Home, verb string) error {
	if _, err := h.Lock(context.Background(), verb, long); err != nil {
		return err
	}
	fmt.Println("locked")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
