package wire

import "bytes"

// DefaultMaxEvent is the default bound of one event's data in bytes.
const DefaultMaxEvent = 8 << 20

// maxField bounds the fields other than data, in bytes.
const maxField = 64 << 10

// Event is one server-sent event. It is valid until the function it was emitted
// to returns.
type Event struct {
	// Name is the event field; empty means "message".
	Name []byte
	// Data is the data fields joined by newlines: nil when there was none or
	// when it was dropped, empty for an event that only primes an id.
	Data []byte
	// ID is the id field, nil when there was none. One with a NUL in it is
	// ignored, as the standard says.
	ID []byte
	// Retry is the retry field in milliseconds, or -1.
	Retry int64
	// Truncated means that the data or the id was too long and was dropped, or
	// that the name was and is cut.
	Truncated bool
}

// IsMessage reports whether the event may carry JSON-RPC: it is named message,
// or not at all, and has data.
func (e *Event) IsMessage() bool {
	return len(e.Data) > 0 && (len(e.Name) == 0 || string(e.Name) == "message")
}

// EventOptions configure Events. A nil *EventOptions means all defaults.
type EventOptions struct {
	// MaxData bounds the data of one event in bytes. Default, also when not
	// positive: DefaultMaxEvent.
	MaxData int
}

// Events reads a stream of server-sent events (text/event-stream) from chunks
// that may be cut anywhere. Lines end in LF, CR LF or CR, mixed at will; a byte
// order mark at the start of the stream means nothing. Every event with at least
// one field is emitted, those without data too, since they may carry an id or a
// retry delay; comments alone are none. An event that the end of the stream cuts
// is discarded, as the standard says.
type Events struct {
	maxData int

	bom     int    // bytes of the byte order mark seen; len(bom) behind the start
	afterCR bool   // a LF that comes next belongs to the last line end
	line    []byte // the part of the line that came in earlier chunks
	pending int64

	event   Event
	name    []byte
	id      []byte
	data    []byte
	fields  int
	hasData bool
	hasID   bool
	lost    bool // the data is too long
}

// NewEvents makes a parser at the start of a stream.
func NewEvents(o *EventOptions) *Events {
	e := &Events{maxData: DefaultMaxEvent}
	if o != nil && o.MaxData > 0 {
		e.maxData = o.MaxData
	}
	e.startEvent()
	return e
}

// Pending is how many bytes of an event that is not complete have come. At the
// end of a stream it tells whether an event was cut.
func (e *Events) Pending() int64 { return e.pending }

// Feed reads the next bytes of the stream and calls emit for each event that
// they complete. It keeps no part of chunk.
func (e *Events) Feed(chunk []byte, emit func(*Event)) {
	for e.bom < len(bom) && len(chunk) > 0 {
		if chunk[0] != bom[e.bom] {
			e.keep([]byte(bom[:e.bom]))
			e.bom = len(bom)
			break
		}
		chunk = chunk[1:]
		e.bom++
	}

	lf, cr := -1, -1 // the next of each at or behind i, or len(chunk)
	for i := 0; i < len(chunk); {
		if e.afterCR {
			e.afterCR = false
			if chunk[i] == '\n' {
				i++
				continue
			}
		}
		lf = next(chunk, '\n', lf, i)
		cr = next(chunk, '\r', cr, i)
		end := min(lf, cr)
		if end == len(chunk) {
			e.keep(chunk[i:])
			return
		}
		e.pending += int64(end - i + 1)
		line := chunk[i:end]
		if len(e.line) > 0 {
			e.keepLine(line)
			line = e.line
		}
		e.endLine(line, emit)
		e.line = e.line[:0]
		e.afterCR = chunk[end] == '\r'
		i = end + 1
	}
}

// next is the offset of the first c at or behind i. last is an earlier answer.
func next(b []byte, c byte, last, i int) int {
	if last >= i {
		return last
	}
	n := bytes.IndexByte(b[i:], c)
	if n < 0 {
		return len(b)
	}
	return i + n
}

func (e *Events) keep(part []byte) {
	e.pending += int64(len(part))
	e.keepLine(part)
}

// keepLine keeps as much of a line as decides its fate: one byte more than the
// longest line that fits is enough.
func (e *Events) keepLine(part []byte) {
	room := max(e.maxData, maxField) + len("event: ") + 1 - len(e.line)
	e.line = append(e.line, part[:min(len(part), max(room, 0))]...)
}

func (e *Events) endLine(line []byte, emit func(*Event)) {
	if len(line) == 0 {
		if e.fields > 0 {
			emit(e.finish())
		}
		e.startEvent()
		return
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		e.appendData(value)
	case "event":
		// A name that is too long is cut, so that it does not become "message".
		if len(value) > maxField {
			value = value[:maxField]
			e.event.Truncated = true
		}
		e.name = append(e.name[:0], value...)
	case "id":
		switch {
		case len(value) > maxField:
			e.hasID = false
			e.event.Truncated = true
		case bytes.IndexByte(value, 0) >= 0:
			return
		default:
			e.hasID = true
			e.id = append(e.id[:0], value...)
		}
	case "retry":
		if ms, ok := milliseconds(value); ok {
			e.event.Retry = ms
		}
	default:
		return // a comment has an empty name
	}
	e.fields++
}

func (e *Events) appendData(value []byte) {
	if e.lost {
		return
	}
	separator := 0
	if e.hasData {
		separator = 1
	}
	if len(e.data)+separator+len(value) > e.maxData {
		e.lost = true
		e.event.Truncated = true
		e.data = e.data[:0]
		return
	}
	if e.hasData {
		e.data = append(e.data, '\n')
	}
	e.hasData = true
	e.data = append(e.data, value...)
}

func milliseconds(digits []byte) (ms int64, ok bool) {
	const most = 15 // digits, far from overflow
	if len(digits) == 0 || len(digits) > most {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		ms = ms*10 + int64(c-'0')
	}
	return ms, true
}

func (e *Events) finish() *Event {
	e.event.Name = e.name
	if e.hasID {
		e.event.ID = e.id
	}
	if e.hasData && !e.lost {
		e.event.Data = e.data
	}
	return &e.event
}

// startEvent makes ready for the next event, and gives back the memory of an
// unusually large one.
func (e *Events) startEvent() {
	e.event = Event{Retry: -1}
	e.pending = 0
	e.fields = 0
	e.hasData, e.hasID, e.lost = false, false, false
	if cap(e.data) > keepArena {
		e.data = nil
	}
	if cap(e.line) > keepArena {
		e.line = nil
	}
	// Never nil, so that an empty field differs from none.
	e.name, e.id, e.data = orEmpty(e.name), orEmpty(e.id), orEmpty(e.data)
}

func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b[:0]
}
