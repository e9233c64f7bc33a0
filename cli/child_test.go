package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// child is the program child of the scripts, a server that is told by its
// arguments what to do:
//
//	child args ...        prints its arguments, a line each
//	child env NAME...     prints these variables of its environment
//	child environ         prints its whole environment, in its order
//	child stderr N        writes N KiB to stderr, then echoes stdin
//	child exit CODE       ends with that code
//	child cat             echoes stdin
//	child serve           answers every request with as much text as it came with
//	child hang            says "got it" to the first line and never ends by itself
func child() {
	args := os.Args[1:]
	switch args[0] {
	case "args":
		fmt.Println(strings.Join(args[1:], "\n"))
	case "env":
		for _, name := range args[1:] {
			fmt.Printf("%s=%s\n", name, os.Getenv(name))
		}
	case "environ":
		fmt.Println(strings.Join(os.Environ(), "\n"))
	case "stderr":
		n, err := strconv.Atoi(args[1])
		if err != nil {
			os.Exit(2)
		}
		line := strings.Repeat("s", 1023) + "\n"
		for range n {
			os.Stderr.WriteString(line)
		}
		io.Copy(os.Stdout, os.Stdin)
	case "exit":
		code, err := strconv.Atoi(args[1])
		if err != nil {
			os.Exit(2)
		}
		os.Exit(code)
	case "cat":
		io.Copy(os.Stdout, os.Stdin)
	case "serve":
		serveEcho()
	case "hang":
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		fmt.Println("got it")
		select {}
	default:
		os.Exit(2)
	}
}

// serveEcho is as little of a server as a benchmark needs: it finds the id and
// the member pad of each line by their text.
func serveEcho() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		_, id, _ := bytes.Cut(line, []byte(`"id":`))
		id, _, _ = bytes.Cut(id, []byte(","))
		_, pad, _ := bytes.Cut(line, []byte(`"pad":"`))
		pad, _, _ = bytes.Cut(pad, []byte(`"`))
		fmt.Fprintf(os.Stdout, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`+"\n", id, pad)
	}
}
