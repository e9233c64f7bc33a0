// Command gen makes corpus.json and its table of the reports that collect.sh
// left, and compares two collections.
//
//	go run ./probes/corpus/gen -reports OUT -day 2026-12-01   writes corpus.json
//	go run ./probes/corpus/gen -docs FILE                     writes the table
//	go run ./probes/corpus/gen -check OUT1 OUT2               exit 1 when more than latency moved
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpeval/mcpeval/probes/corpus"
	"github.com/mcpeval/mcpeval/probes/report"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run() error {
	reports := flag.String("reports", "", "make corpus.json of the reports in `DIR`")
	list := flag.String("list", "probes/corpus/servers.tsv", "the servers in `FILE`")
	out := flag.String("out", "probes/corpus/corpus.json", "write the corpus to `FILE`")
	day := flag.String("day", "", "the `DAY` of the collection")
	docs := flag.String("docs", "", "write the table to `FILE`")
	check := flag.Bool("check", false, "compare the reports of two folders")
	flag.Parse()
	switch {
	case *check:
		if flag.NArg() != 2 {
			return errors.New("-check takes two folders")
		}
		return compare(*list, flag.Arg(0), flag.Arg(1))
	case *reports != "":
		return collect(*list, *reports, *out, *day)
	case *docs != "":
		c, err := corpus.Public()
		if err != nil {
			return err
		}
		return os.WriteFile(*docs, []byte(c.Markdown()), 0o644)
	}
	return errors.New("nothing to do: -reports, -docs or -check")
}

// servers are the rows of the list, unmeasured.
func servers(list string) ([]corpus.Server, error) {
	data, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	var all []corpus.Server
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 7 {
			return nil, fmt.Errorf("%s: a line has %d fields, not 7", list, len(f))
		}
		s := corpus.Server{ID: f[0], Registry: f[1], Package: f[2], Version: f[3], Needs: f[5]}
		if s.Needs == "-" {
			s.Needs = ""
		}
		all = append(all, s)
	}
	return all, nil
}

func document(dir, id string) (*report.Document, error) {
	data, err := os.ReadFile(filepath.Join(dir, id+".json"))
	if err != nil {
		return nil, err
	}
	d, err := report.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	return d, nil
}

func collect(list, dir, out, day string) error {
	all, err := servers(list)
	if err != nil {
		return err
	}
	c := corpus.Corpus{Collected: day}
	for _, s := range all {
		d, err := document(dir, s.ID)
		if err != nil {
			return err
		}
		if d.Readiness == nil {
			s.Error = string(d.ReadinessError)
			c.Servers = append(c.Servers, s)
			continue
		}
		c.Standard = d.Readiness.Standard.String()
		points := func(p report.Score) *corpus.Points { return new(corpus.Points(p)) }
		a := d.Readiness.Areas
		s.Areas = corpus.Areas{Protocol: points(a.Protocol), Catalog: points(a.Catalog), Context: points(a.Context)}
		if s.Needs == "" {
			s.Areas.Reliability, s.Areas.ErrorHonesty, s.Areas.Coverage = points(a.Reliability), points(a.ErrorHonesty), points(a.Coverage)
			s.Total = points(d.Readiness.Total)
		}
		c.Servers = append(c.Servers, s)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
}

// compare fails when anything but the points of the latency bands differs between
// two reports of a server. Of a server whose tools need what is not there, the
// areas that are published are compared.
func compare(list, one, two string) error {
	all, err := servers(list)
	if err != nil {
		return err
	}
	moved := 0
	for _, s := range all {
		a, err := document(one, s.ID)
		if err != nil {
			return err
		}
		b, err := document(two, s.ID)
		if err != nil {
			return err
		}
		same, err := alike(&s, a, b)
		if err != nil {
			return fmt.Errorf("%s: %w", s.ID, err)
		}
		if !same {
			moved++
			fmt.Println(s.ID + ": more than the latency bands moved")
		}
	}
	if moved > 0 {
		return fmt.Errorf("%d of %d servers moved", moved, len(all))
	}
	fmt.Printf("%d servers: nothing but latency bands moved\n", len(all))
	return nil
}

func alike(s *corpus.Server, a, b *report.Document) (bool, error) {
	if a.Readiness == nil || b.Readiness == nil {
		return a.Readiness == nil && b.Readiness == nil && a.ReadinessError == b.ReadinessError, nil
	}
	if s.Needs != "" {
		x, y := a.Readiness.Areas, b.Readiness.Areas
		return x.Protocol == y.Protocol && x.Catalog == y.Catalog && x.Context == y.Context, nil
	}
	x, err := a.Digest()
	if err != nil {
		return false, err
	}
	y, err := b.Digest()
	return x == y, err
}
