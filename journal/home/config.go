package home

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"

	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// Config is what config.json sets.
type Config struct {
	PromotionThreshold    float64 // finite and not negative
	HasPromotionThreshold bool
}

// ConfigError says what does not hold in a config.json.
type ConfigError struct {
	Path string
	Err  error // names a position, not what stands there
}

func (e *ConfigError) Error() string { return "read config " + e.Path + ": " + e.Err.Error() }

// Unwrap gives Err.
func (e *ConfigError) Unwrap() error { return e.Err }

// maxConfig is the largest config.json that is read, in bytes.
const maxConfig = 64 << 10

// Config reads config.json. A file that is not there sets nothing. Unknown,
// repeated and ill-typed fields are refused: a setting with a slip in it must not
// pass for one that holds.
func (h *Home) Config() (Config, error) {
	if err := notSpecial(h.ConfigPath()); err != nil {
		return Config{}, fmt.Errorf("read config: %w", err)
	}
	f, err := os.Open(h.ConfigPath())
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("read config: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err != nil {
		return Config{}, fmt.Errorf("read config: %w", err)
	}
	c, err := parseConfig(b)
	if err != nil {
		return Config{}, &ConfigError{Path: h.ConfigPath(), Err: err}
	}
	return c, nil
}

func parseConfig(b []byte) (c Config, err error) {
	if len(b) > maxConfig {
		return Config{}, errors.New("longer than 64 KiB")
	}
	v, err := rawjson.Parse(b)
	if err != nil {
		return Config{}, err
	}
	if v.Kind() != rawjson.Object {
		return Config{}, errors.New("want one object")
	}
	field := 0
	for key, value := range v.Members() {
		field++
		switch {
		case !key.Is("promotion_threshold"):
			return Config{}, fmt.Errorf("field %d is unknown; the one there is: promotion_threshold", field)
		case c.HasPromotionThreshold:
			return Config{}, fmt.Errorf("field %d repeats promotion_threshold", field)
		case value.Kind() != rawjson.Number:
			return Config{}, fmt.Errorf("field %d, promotion_threshold, must be a number", field)
		}
		n, err := strconv.ParseFloat(string(value.Raw()), 64)
		if err != nil || math.IsInf(n, 0) || n < 0 {
			return Config{}, fmt.Errorf("field %d, promotion_threshold, must be 0 or more and finite", field)
		}
		c.PromotionThreshold, c.HasPromotionThreshold = n, true
	}
	return c, nil
}
