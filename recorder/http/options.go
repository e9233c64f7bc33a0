package httpshim

import (
	"errors"
	"net/netip"
	"net/url"
	"time"

	"github.com/mcpeval/mcpeval/recorder"
)

// ErrRecording is returned by Run when the recording did not finish in time.
// Everything was forwarded all the same.
var ErrRecording = errors.New("recording did not finish in time: the captures have no end")

// Options say what Run forwards. Listen, Upstream, Capture and Report are
// needed.
type Options struct {
	// Listen is an address that loopback.ListenAddress has accepted. Port 0 lets
	// the system choose.
	Listen netip.AddrPort

	// Upstream is a URL that loopback.Upstream has accepted.
	Upstream *url.URL

	// Capture is what every recorder instance begins with: one for each
	// Mcp-Session-Id, and one for what has none. When its Session is empty, each
	// mints its own. Its Now and Report are replaced by those here.
	Capture recorder.CaptureOptions

	// Report takes the lines that are owed to the user, without a newline. They
	// never hold traffic.
	Report func(line string)

	// Ready is told the URL that clients are to use, once it can be used. It may
	// be nil.
	Ready func(url string)

	// Now is the clock. Default: time.Now.
	Now func() time.Time

	// Idle is how long a capture lives without a message. Default: 30 minutes.
	Idle time.Duration

	// Dial is how long connecting to upstream may take. Default: 5 s.
	Dial time.Duration

	// Drain is how long open exchanges may go on after the end was asked for.
	// Default: 5 s.
	Drain time.Duration

	// Finish is how long recording may take after the last exchange. Default: 5 s.
	Finish time.Duration

	// Queue bounds the bytes that wait to be recorded. Default: 32 MiB. Smaller
	// means gaps sooner.
	Queue int64
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Idle == 0 {
		o.Idle = 30 * time.Minute
	}
	if o.Dial == 0 {
		o.Dial = 5 * time.Second
	}
	if o.Drain == 0 {
		o.Drain = 5 * time.Second
	}
	if o.Finish == 0 {
		o.Finish = 5 * time.Second
	}
	if o.Queue == 0 {
		o.Queue = 32 << 20
	}
	return o
}

// Bounds.
const (
	maxBody     = 8 << 20 // of a request, a JSON answer, and one event of a stream
	maxCaptures = 256     // open at once
	maxBacklog  = 65_536  // exchanges and pieces of them that wait to be recorded
	holdRequest = 10 * time.Second
)
