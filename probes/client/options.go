package client

import (
	"time"

	"github.com/mcpeval/mcpeval/journal"
	"github.com/mcpeval/mcpeval/journal/rawjson"
)

// AuthorizationVariable is the environment variable that callers fill
// Target.Authorization from.
const AuthorizationVariable = "MCPEVAL_HTTP_AUTHORIZATION"

// Target is the server to talk to: a command or a URL.
type Target struct {
	Command []string
	Dir     string   // of the command; empty means this process's own
	Env     []string // of the command; nil means this process's own

	URL         string
	AllowRemote bool // let URL be on another machine, over https
	// Authorization is sent as the header of that name when it is not empty. It
	// is shown nowhere.
	Authorization string
}

// Defaults of Options, and the network timeouts of HTTP.
const (
	DefaultStartupTimeout = 60 * time.Second
	DefaultTimeout        = 30 * time.Second
	DefaultGrace          = 5 * time.Second
	StopGrace             = 2 * time.Second // from TERM to KILL once Options.Stop is closed
	NetworkTimeout        = 5 * time.Second
	MaxHTTPBody           = 8 << 20  // bytes of one HTTP response
	MaxLine               = 16 << 20 // bytes of one line of stdio
	MaxServerRequests     = 8        // of the server's own during one call
)

// Options configure Dial. A nil *Options means all defaults.
type Options struct {
	// Protocol is Auto or a revision. Empty means Auto. A run that connects
	// several times passes the revision of its first connection.
	Protocol string

	// NoHandshake leaves out server/discover and initialize, for callers that
	// send their own: see Conn.Initialize.
	NoHandshake bool

	// StartupTimeout bounds the time from the start of a command to its first
	// answer, once for each process that is started. Default 60 s.
	StartupTimeout time.Duration

	// Timeout bounds one call. When it is set it also bounds the wait for the
	// first byte of an HTTP answer and the silence of an event stream, which
	// otherwise are NetworkTimeout. Default 30 s.
	Timeout time.Duration

	// Grace is the time between the steps of a shutdown: end of stdin, TERM,
	// KILL. Default 5 s.
	Grace time.Duration

	// Stop, once closed, ends the server's process without patience, whatever goes
	// on: end of stdin and TERM at once, KILL after StopGrace. Nil is never.
	Stop <-chan struct{}

	Budget  *Budget // default: one of its own
	Clock   Clock   // default SystemClock
	Version string  // of mcpeval, for clientInfo; default "0"

	// Sampling, Elicitation and Roots answer the server's requests; what they
	// return is the result, and nil declines. The capability is declared exactly
	// when the function is set. They are called from the goroutine that reads, and
	// must not call the Conn. params alias memory that stays unchanged.
	Sampling    func(params rawjson.Value) (result []byte)
	Elicitation func(params rawjson.Value) (result []byte)
	Roots       func(params rawjson.Value) (result []byte)

	// OnNotification sees each notification of the server's. Same rules.
	OnNotification func(method string, params rawjson.Value)

	// Tap sees every frame that is sent, before it is written, and every frame
	// that was read, without line ending. Calls come one at a time, and a request
	// always before its response. frame MUST NOT be changed.
	Tap func(dir journal.Direction, frame []byte, at time.Time)
}

func (o *Options) withDefaults() Options {
	var d Options
	if o != nil {
		d = *o
	}
	if d.Protocol == "" {
		d.Protocol = Auto
	}
	if d.StartupTimeout <= 0 {
		d.StartupTimeout = DefaultStartupTimeout
	}
	if d.Grace <= 0 {
		d.Grace = DefaultGrace
	}
	if d.Clock == nil {
		d.Clock = SystemClock{}
	}
	if d.Budget == nil {
		d.Budget = NewBudget(d.Clock)
	}
	if d.Version == "" {
		d.Version = "0"
	}
	return d
}
