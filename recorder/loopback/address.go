package loopback

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// ErrListen is returned for anything but an explicit loopback address and port.
var ErrListen = errors.New("listen address: give a loopback IP and a port, such as 127.0.0.1:8090 or [::1]:0")

// ListenAddress checks an address to listen on: 127.0.0.0/8 or [::1], and a
// port, of which 0 lets the system choose. Names are refused, localhost too:
// what they mean is up to a resolver.
func ListenAddress(s string) (netip.AddrPort, error) {
	a, err := netip.ParseAddrPort(s)
	if err != nil || !isLoopback(a.Addr()) {
		return netip.AddrPort{}, ErrListen
	}
	return a, nil
}

// isLoopback is stricter than Addr.IsLoopback: a zone, or IPv4 in the disguise
// of IPv6, is no loopback address here.
func isLoopback(a netip.Addr) bool {
	return a.IsLoopback() && a.Zone() == "" && !a.Is4In6()
}

// loopbackHost reports whether host, without a port, names this machine. IPv6
// addresses come in brackets.
func loopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	bracketed := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]")
	if bracketed {
		host = host[1 : len(host)-1]
	}
	a, err := netip.ParseAddr(host)
	return err == nil && isLoopback(a) && a.Is6() == bracketed
}

// loopbackHostPort is loopbackHost for what may end in a port.
func loopbackHostPort(s string) bool {
	if i := strings.LastIndexByte(s, ':'); i > strings.LastIndexByte(s, ']') {
		if _, err := strconv.ParseUint(s[i+1:], 10, 16); err != nil {
			return false
		}
		s = s[:i]
	}
	return loopbackHost(s)
}

// loopbackOrigin reports whether s is the serialized origin of a page that this
// machine serves.
func loopbackOrigin(s string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if len(s) > len(scheme) && strings.EqualFold(s[:len(scheme)], scheme) {
			return loopbackHostPort(s[len(scheme):])
		}
	}
	return false
}
