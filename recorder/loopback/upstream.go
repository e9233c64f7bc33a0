package loopback

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// Errors of Upstream.
var (
	ErrURL         = errors.New("give an http or https URL with a host")
	ErrCredentials = errors.New("a URL with credentials is refused: they would end up in process lists and logs")
	ErrQuery       = errors.New("a URL with a query is refused: queries often hold keys")
	ErrFragment    = errors.New("a URL with a fragment is refused")
	ErrPlainRemote = errors.New("plain http to another machine is refused: use https")
	ErrRemote      = errors.New("this is another machine: allow that with --allow-remote-http")
)

// Upstream checks the URL of a server to talk to. On this machine it may be
// http or https; elsewhere it must be https, and allowRemote set.
func Upstream(raw string, allowRemote bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || !validPort(u.Port()) || u.Scheme != "http" && u.Scheme != "https" {
		return nil, ErrURL
	}
	switch {
	case u.User != nil:
		return nil, ErrCredentials
	case u.RawQuery != "" || u.ForceQuery:
		return nil, ErrQuery
	case strings.Contains(raw, "#"):
		return nil, ErrFragment
	case IsLocal(u):
		return u, nil
	case u.Scheme == "http":
		return nil, ErrPlainRemote
	case !allowRemote:
		return nil, ErrRemote
	}
	return u, nil
}

// IsLocal reports whether u is on this machine. A name other than localhost is
// not, whatever it resolves to.
func IsLocal(u *url.URL) bool {
	host := u.Hostname()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return loopbackHost(host)
}

func validPort(s string) bool {
	if s == "" {
		return true
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0
}
