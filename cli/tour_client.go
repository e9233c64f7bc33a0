package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/mcpeval/mcpeval/recorder/process"
)

// tourCall is one tools/call of the tour.
type tourCall struct {
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// tourCalls are what the tour's agent asks: the third and the sixth call fail,
// both of one tool, and it asks those again.
func tourCalls() []tourCall {
	return []tourCall{
		{"list_cities", map[string]any{}},
		{"get_weather", map[string]any{"city": "oslo"}},
		{"get_weather", map[string]any{"city": "tokyo"}},
		{"get_weather", map[string]any{"city": "tokyo"}},
		{"search_notes", map[string]any{"query": "train"}},
		{"get_weather", map[string]any{"city": "oslo"}},
		{"get_weather", map[string]any{"city": "oslo"}},
	}
}

// tourPatience bounds a session, so that a fault never makes the tour hang.
const tourPatience = 15 * time.Second

// session starts the demo server through the shim and plays the client.
func (t *tour) session(ctx context.Context, name string) error {
	t.say("$ MCPEVAL_SESSION=%s mcpeval shim --server demo -- mcpeval demo-server --broken flaky", name)
	serverIn, toServer, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make pipe: %w", err)
	}
	fromServer, serverOut, err := os.Pipe()
	if err != nil {
		return errors.Join(fmt.Errorf("make pipe: %w", err), serverIn.Close(), toServer.Close())
	}
	child, err := process.Start(process.Command{
		Args: []string{t.program, "shim", "--server", "demo", "--", t.program, "demo-server", "--broken", "flaky"},
		Env:  t.environ(name), Stdin: serverIn, Stdout: serverOut, Stderr: os.Stderr, Guard: true,
	})
	err = errors.Join(err, serverIn.Close(), serverOut.Close())
	if err != nil {
		return errors.Join(fmt.Errorf("run shim: %w", err), toServer.Close(), fromServer.Close())
	}
	defer child.Release()
	ctx, cancel := context.WithTimeout(ctx, tourPatience)
	stop := context.AfterFunc(ctx, func() { _ = child.Kill() })
	err = t.talk(toServer, bufio.NewReader(fromServer))
	err = errors.Join(err, toServer.Close()) // the end of input: the server ends
	exit, waitErr := child.Wait()
	stop()
	cancel()
	err = errors.Join(err, waitErr, fromServer.Close())
	if err == nil && (exit.Code != 0 || exit.Signal != nil) {
		err = errors.New("the shim did not end in order")
	}
	if err != nil {
		return fmt.Errorf("play a session: %w", err)
	}
	return nil
}

// talk is a client's session: handshake, tools/list, calls.
func (t *tour) talk(to *os.File, from *bufio.Reader) error {
	id := 0
	ask := func(method string, params any) (failed bool, err error) {
		id++
		return roundTrip(to, from, id, method, params)
	}
	if _, err := ask("initialize", map[string]any{
		"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "mcpeval-tour", "version": version},
	}); err != nil {
		return err
	}
	if err := writeLine(to, map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return err
	}
	if _, err := ask("tools/list", map[string]any{}); err != nil {
		return err
	}
	for _, call := range tourCalls() {
		failed, err := ask("tools/call", call)
		if err != nil {
			return err
		}
		outcome := "ok"
		if failed {
			outcome = "error, it may be tried again"
		}
		t.say("  the client calls %s: %s", call.Name, outcome)
	}
	return nil
}

// roundTrip sends one request and reads its answer.
func roundTrip(to *os.File, from *bufio.Reader, id int, method string, params any) (failed bool, err error) {
	request := map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}
	if err := writeLine(to, request); err != nil {
		return false, fmt.Errorf("send request: %w", err)
	}
	line, err := from.ReadBytes('\n')
	if err != nil {
		return false, errors.New("the server ended before it answered")
	}
	var answer struct {
		ID     int
		Result *struct{ IsError bool }
		Error  *struct{ Code int }
	}
	if json.Unmarshal(line, &answer) != nil || answer.ID != id {
		return false, errors.New("the server answered something else than was asked")
	}
	return answer.Error != nil || answer.Result != nil && answer.Result.IsError, nil
}
