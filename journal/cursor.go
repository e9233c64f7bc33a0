package journal

import (
	"bytes"
	"encoding/hex"
	"time"

	"github.com/google/uuid"
)

// cursor walks a line in the one form it may have. The first thing that is not
// as expected makes it bad; from then on every read returns zero.
type cursor struct {
	b     []byte
	i     int
	field string // being read, for the error
	at    int    // where it went bad
	bad   bool
}

func (c *cursor) fail() {
	if !c.bad {
		c.bad, c.at = true, c.i
	}
	c.i = len(c.b)
}

func (c *cursor) need(ok bool) {
	if !ok {
		c.fail()
	}
}

func (c *cursor) lit(s string) {
	if !c.bad && len(c.b)-c.i >= len(s) && string(c.b[c.i:c.i+len(s)]) == s {
		c.i += len(s)
		return
	}
	c.fail()
}

// name reads "name": and sets the field for errors.
func (c *cursor) name(s string) {
	if c.bad {
		return
	}
	c.field = s
	c.lit(`"`)
	c.lit(s)
	c.lit(`":`)
}

// member reads ,"name":
func (c *cursor) member(s string) {
	c.lit(",")
	c.name(s)
}

// opt reads ,"name": if it comes next.
func (c *cursor) opt(s string) bool {
	rest := c.b[c.i:]
	n := len(s)
	if c.bad || len(rest) < n+4 || rest[0] != ',' || rest[1] != '"' || string(rest[2:2+n]) != s || rest[2+n] != '"' || rest[3+n] != ':' {
		return false
	}
	c.i += n + 4
	c.field = s
	return true
}

// text reads a string without escapes and returns its content, which aliases
// the line.
func (c *cursor) text() []byte {
	if c.bad || c.i >= len(c.b) || c.b[c.i] != '"' {
		c.fail()
		return nil
	}
	n := bytes.IndexByte(c.b[c.i+1:], '"')
	if n < 0 {
		c.fail()
		return nil
	}
	s := c.b[c.i+1 : c.i+1+n]
	c.i += n + 2
	return s
}

// int reads a non-negative integer in its shortest form.
func (c *cursor) int() int64 {
	start := c.i
	var n int64
	for c.i < len(c.b) && c.b[c.i] >= '0' && c.b[c.i] <= '9' {
		d := int64(c.b[c.i] - '0')
		if n > (1<<63-1-d)/10 {
			c.fail()
			return 0
		}
		n = n*10 + d
		c.i++
	}
	if c.bad || c.i == start || c.b[start] == '0' && c.i > start+1 {
		c.fail()
		return 0
	}
	return n
}

func (c *cursor) memberInt(s string) int64 {
	c.member(s)
	return c.int()
}

// optInt is -1 when the member is absent.
func (c *cursor) optInt(s string) int64 {
	if !c.opt(s) {
		return -1
	}
	return c.int()
}

// nonZero is 0 when the member is absent, and refuses a written 0.
func (c *cursor) nonZero(s string) int64 {
	if !c.opt(s) {
		return 0
	}
	n := c.int()
	c.need(n > 0)
	return n
}

// yes reads an optional true.
func (c *cursor) yes(s string) bool {
	if !c.opt(s) {
		return false
	}
	c.lit("true")
	return true
}

func (c *cursor) bool() bool {
	if c.i < len(c.b) && c.b[c.i] == 't' {
		c.lit("true")
		return true
	}
	c.lit("false")
	return false
}

// enum reads ,"field":"name" and returns the name's index, never 0 unless bad.
func (c *cursor) enum(field string, names []string) int {
	c.member(field)
	b := c.text()
	i := indexName(names, b)
	c.need(i > 0)
	return i
}

func (c *cursor) hex(dst []byte) {
	s := c.text()
	if len(s) != 2*len(dst) || !lowerHex(s) {
		c.fail()
		return
	}
	if _, err := hex.Decode(dst, s); err != nil {
		c.fail()
	}
}

func lowerHex(s []byte) bool {
	for _, b := range s {
		if (b < '0' || b > '9') && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}

// uuid reads 36 characters of a UUID of the given version.
func (c *cursor) uuid(version uuid.Version) (id uuid.UUID) {
	if c.bad || len(c.b)-c.i < 36 {
		c.fail()
		return id
	}
	id, ok := parseUUID(c.b[c.i : c.i+36])
	if !ok || id.Version() != version || id.Variant() != uuid.RFC4122 {
		c.fail()
		return uuid.UUID{}
	}
	c.i += 36
	return id
}

// parseUUID accepts the lower-case form with hyphens only.
func parseUUID(s []byte) (id uuid.UUID, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return id, false
	}
	var flat [32]byte
	copy(flat[0:], s[0:8])
	copy(flat[8:], s[9:13])
	copy(flat[12:], s[14:18])
	copy(flat[16:], s[19:23])
	copy(flat[20:], s[24:36])
	if !lowerHex(flat[:]) {
		return id, false
	}
	_, err := hex.Decode(id[:], flat[:])
	return id, err == nil
}

func (c *cursor) optUUID(s string) (id uuid.UUID) {
	if !c.opt(s) {
		return id
	}
	c.lit(`"`)
	id = c.uuid(7)
	c.lit(`"`)
	return id
}

// time reads "2006-01-02T15:04:05.000Z".
func (c *cursor) time() time.Time {
	s := c.text()
	if len(s) != 24 || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != '.' || s[23] != 'Z' {
		c.fail()
		return time.Time{}
	}
	y, mo, d := number(s[0:4]), number(s[5:7]), number(s[8:10])
	h, mi, sec, ms := number(s[11:13]), number(s[14:16]), number(s[17:19]), number(s[20:23])
	if y < 0 || mo < 1 || mo > 12 || d < 1 || h < 0 || h > 23 || mi < 0 || mi > 59 || sec < 0 || sec > 59 || ms < 0 {
		c.fail()
		return time.Time{}
	}
	t := time.Date(y, time.Month(mo), d, h, mi, sec, ms*1e6, time.UTC)
	if t.Day() != d { // such as February 30
		c.fail()
		return time.Time{}
	}
	return t
}

// number is the value of decimal digits, or -1.
func number(s []byte) int {
	n := 0
	for _, b := range s {
		if b < '0' || b > '9' {
			return -1
		}
		n = n*10 + int(b-'0')
	}
	return n
}
