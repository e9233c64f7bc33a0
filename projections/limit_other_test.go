//go:build !unix

package projections_test

import (
	"errors"

	"github.com/mcpeval/mcpeval/journal/home"
)

func limitedChild(*home.Home, int64, bool) ([]byte, error) { return nil, errors.New("no limits here") }
