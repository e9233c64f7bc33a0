package cli

import (
	"fmt"
	"time"
)

// progress shows how far long work has come, on a terminal's stderr only. A nil
// progress shows nothing.
type progress struct {
	std   *IO
	what  string
	shown time.Time
}

func newProgress(std *IO, what string) *progress {
	if !terminal(std.Err) || std.Getenv("TERM") == "dumb" {
		return nil
	}
	return &progress{std: std, what: what, shown: std.Now()}
}

// update says that done of total bytes have been read. It may be called often;
// it draws ten times a second at most, and nothing before the first tenth.
func (p *progress) update(done, total int64) {
	if p == nil || total <= 0 || p.std.Now().Sub(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = p.std.Now()
	fmt.Fprintf(p.std.Err, "\r\x1b[K%s %d%% of %s", p.what, done*100/total, size(total))
}

// clear removes the line.
func (p *progress) clear() {
	if p != nil {
		fmt.Fprint(p.std.Err, "\r\x1b[K")
	}
}

// size is a number of bytes for people.
func size(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	f, unit := float64(n), 0
	for f >= 1024 && unit < len(units)-1 {
		f /= 1024
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[unit])
}
