package document_test

import (
	"strings"
	"testing"

	"github.com/mcpeval/mcpeval/probes/document"
)

func TestEncode(t *testing.T) {
	got, err := document.Encode(struct {
		B string         `json:"b"`
		A map[string]int `json:"a"`
	}{"<&>\u00fc", map[string]int{"z": 1, "y": 2}})
	want := "{\n  \"b\": \"<&>\u00fc\",\n  \"a\": {\n    \"y\": 2,\n    \"z\": 1\n  }\n}\n"
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}

type refuser struct{}

func (refuser) MarshalJSON() ([]byte, error) { return []byte("secret-canary"), nil }

func TestEncodeQuotesNothing(t *testing.T) {
	got, err := document.Encode(refuser{})
	if err == nil || strings.Contains(err.Error(), "canary") || got != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
