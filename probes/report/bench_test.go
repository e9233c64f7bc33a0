package report_test

import (
	"fmt"
	"testing"

	"github.com/mcpeval/mcpeval/probes/report"
)

// large is a document of 1000 cases.
func large() *report.Document {
	var cases []report.Case
	for i := range 250 {
		for j, c := range whole().Cases[:4] {
			c.ID = caseID(fmt.Sprintf("case-%d-%d", i, j))
			cases = append(cases, c)
		}
	}
	return document(cases...)
}

func BenchmarkEncode(b *testing.B) {
	d := large()
	for b.Loop() {
		if _, err := d.Encode(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	data := encoded(b, large())
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := report.Read(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkText(b *testing.B) {
	d := large()
	for b.Loop() {
		if _, err := d.Text(nil); err != nil {
			b.Fatal(err)
		}
	}
}
