package app

import (
	"context"
	"errors"

	"zombiezen.com/go/sqlite"

	"github.com/mcpeval/mcpeval/journal/home"
	"github.com/mcpeval/mcpeval/probes/document"
	"github.com/mcpeval/mcpeval/projections/index"
	"github.com/mcpeval/mcpeval/projections/query"
)

// TrendsOptions narrow Trends; the zero value does not.
type TrendsOptions struct {
	Server string // the label
	Last   int    // runs of each server; 0 is all
}

// Trends are the measured readinesses of each server, oldest first. Without an
// index there are none, which is no error.
func Trends(ctx context.Context, h *home.Home, o TrendsOptions) ([]query.Trend, error) {
	if err := checkLabel(o.Server); err != nil {
		return nil, err
	}
	if o.Last < 0 {
		return nil, &InputError{Err: errors.New("the number of runs must not be negative")}
	}
	list := []query.Trend{}
	err := readIndex(ctx, h, func(conn *sqlite.Conn) (err error) {
		list, err = query.Trends(conn, o.Server, o.Last)
		return err
	})
	if errors.Is(err, index.ErrNone) {
		return []query.Trend{}, nil
	}
	return list, err
}

// EncodeTrends gives the document that trends --format json prints and
// get_readiness_trends answers, byte for byte.
func EncodeTrends(list []query.Trend) ([]byte, error) {
	if list == nil {
		list = []query.Trend{}
	}
	return document.Encode(struct {
		Trends []query.Trend `json:"trends"`
	}{list})
}
