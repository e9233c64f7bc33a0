package mcp

import (
	"github.com/mcpeval/mcpeval/probes/client"
	"github.com/mcpeval/mcpeval/recorder/loopback"
)

// defaultLabel is the label of a server that was given none. What its command is
// called is not for reports.
const defaultLabel = "server"

// target is the server of an evaluation, as arguments name it.
type target struct {
	Command     []string `json:"command"`
	URL         *string  `json:"url"`
	ServerLabel string   `json:"server_label"`
}

func (t *target) label() string {
	if t.ServerLabel == "" {
		return defaultLabel
	}
	return t.ServerLabel
}

// client is the server to start or connect to. Neither another machine nor the
// operator's credentials can be had here.
func (t *target) client() (client.Target, error) {
	switch {
	case (t.Command == nil) == (t.URL == nil):
		return client.Target{}, &argumentError{"give either command or url"}
	case t.URL == nil && t.Command[0] == "":
		return client.Target{}, &argumentError{"command begins with an empty text"}
	case t.URL == nil:
		return client.Target{Command: t.Command}, nil
	}
	if _, err := loopback.Upstream(*t.URL, false); err != nil {
		if err == loopback.ErrRemote || err == loopback.ErrPlainRemote {
			return client.Target{}, errRemote
		}
		return client.Target{}, err
	}
	return client.Target{URL: *t.URL}, nil
}
