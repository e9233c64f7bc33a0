package wire

import "github.com/mcpeval/mcpeval/journal/rawjson"

const (
	smallValue   = 1 << 10 // bytes of a value that may use the reserve
	keepArena    = 1 << 20 // capacity of the arena that outlives a frame
	keepMessages = 64      // capacity for messages that outlives a frame
)

// capture is the part of a Scanner that notes the members of interest. The
// tokens' side calls begin, endKey and end for what stands at depth watch or
// above it, and for nothing deeper.
type capture struct {
	maxKeep int

	watch   int    // deepest level whose members matter now
	base    int    // depth at which messages stand: 1 in a batch
	section object // the object at base+2, if it is one with slots
	slot    slot   // of the member begun
	cur     *draft // the message begun, else nil

	keyStart, keyLen int // the key begun: in this chunk, and what is in keyBuf
	keyBuf           [maxKeyBytes + 1]byte

	active  bool // the value of slot is being captured
	lost    bool // it has become too large
	from    int  // where it begins in this chunk
	held    int  // its bytes in earlier chunks
	heldAt  int  // where in the arena those are
	arena   []byte
	kept    int // bytes of captured values
	decoded []byte

	batch     bool
	truncated bool
	unparsed  int
	dropped   int
	drafts    []draft
	spilled   int   // drafts before this one lie whole in the arena
	extra     draft // stands in for the messages after MaxBatch
}

func (c *capture) startFrame() {
	c.watch, c.base = 0, 0
	c.section, c.slot, c.cur = noObject, noSlot, nil
	c.active = false
	c.arena, c.kept, c.decoded = c.arena[:0], 0, c.decoded[:0]
	c.batch, c.truncated = false, false
	c.unparsed, c.dropped, c.spilled = 0, 0, 0
	c.drafts = c.drafts[:0]
	if cap(c.arena) > keepArena {
		c.arena = nil
	}
	if cap(c.decoded) > keepArena {
		c.decoded = nil
	}
	if cap(c.drafts) > keepMessages {
		c.drafts = nil
	}
}

// endKey looks up the key that ends before end.
func (s *Scanner) endKey(b []byte, end int) {
	s.slot = noSlot
	raw := b[s.keyStart:end]
	if s.keyLen > 0 {
		if s.keyLen+len(raw) > maxKeyBytes {
			return
		}
		raw = append(s.keyBuf[:s.keyLen], raw...)
	}
	in := s.section
	if in == noObject {
		in = inMessage
	}
	slot, exact := in.find(raw)
	if slot == noSlot {
		return
	}
	if !exact || s.cur.seen.has(slot) {
		s.cur.ambiguous++
	}
	if exact {
		s.cur.seen |= 1 << slot
		s.slot = slot
	}
}

// begin notes that a value begins at i with byte first; depth is that of what
// it stands in.
func (s *Scanner) begin(i int, first byte, depth int) {
	kind := kindOf(first)
	switch depth - s.base {
	case 0:
		if depth == 0 && kind == rawjson.Array {
			s.batch = true
			s.base, s.watch = 1, 1
		} else if kind == rawjson.Object {
			s.beginMessage(i)
		} else {
			s.unparsed++
		}
	case 1:
		s.beginMember(i, kind)
	case 2:
		if s.slot != noSlot {
			s.cur.present &^= 1 << s.slot
			s.startCapture(i)
		}
	}
}

func (s *Scanner) beginMessage(i int) {
	s.watch = s.base + 1
	s.slot = noSlot
	if len(s.drafts) == MaxBatch {
		s.cur = &s.extra
	} else {
		n := len(s.drafts)
		if n == cap(s.drafts) {
			s.drafts = append(s.drafts, draft{})
		}
		s.drafts = s.drafts[:n+1]
		s.cur = &s.drafts[n]
	}
	s.cur.head = head{start: s.before + int64(i-s.frameStart)}
}

// beginMember begins the value of a member of a message.
func (s *Scanner) beginMember(i int, kind rawjson.Kind) {
	d := s.cur
	var section object
	var members slotSet
	switch s.slot {
	case slotJSONRPC:
		d.isV2 = false
		if kind == rawjson.String {
			s.startCapture(i)
		}
	case slotID:
		d.id, d.idKind = ID{}, kind
		if kind == rawjson.String || kind == rawjson.Number {
			s.startCapture(i)
		}
	case slotMethod:
		d.methodKind = kind
		d.present &^= 1 << slotMethod
		if kind == rawjson.String {
			s.startCapture(i)
		}
	case slotParams:
		d.params = kind
		section, members = inParams, between(paramName, paramURI)
	case slotResult:
		d.result = kind
		section, members = inResult, between(resultIsError, resultMeta)
	case slotError:
		d.err = kind
		section, members = inError, between(errorCode, errorData)
	}
	if section == noObject {
		return
	}
	d.seen &^= members
	d.present &^= members
	if kind == rawjson.Object {
		s.section = section
		s.watch = s.base + 2
		s.slot = noSlot
	}
}

// end notes that a value ends before i; depth is that of what it stands in.
func (s *Scanner) end(b []byte, i, depth int) {
	if s.active {
		s.endCapture(b, i)
	}
	s.slot = noSlot
	switch depth - s.base {
	case 1:
		s.section = noObject
		s.watch = s.base + 1
	case 0:
		if s.cur != nil {
			s.endMessage(i)
		}
	}
}

func (s *Scanner) endMessage(i int) {
	d := s.cur
	s.cur = nil
	s.watch = s.base
	d.bytes = s.before + int64(i-s.frameStart) - d.start
	switch {
	case d.kind() == 0:
		s.unparsed++
		if d != &s.extra {
			s.drafts = s.drafts[:len(s.drafts)-1]
		}
	case d == &s.extra:
		s.dropped++
		s.truncated = true
	}
}

func (s *Scanner) startCapture(i int) {
	s.active, s.lost = true, false
	s.from, s.held = i, 0
}

// fits reports whether a value of n bytes may still be kept. A value that does
// not fit would not with more bytes either, so that it can be given up before
// its end is known.
func (s *Scanner) fits(n int) bool {
	limit := s.maxKeep
	if n > smallValue {
		limit -= s.maxKeep / 8
	} else if s.slot == slotJSONRPC || s.slot == slotID {
		return true // only looked at; no message is misjudged for want of room
	}
	return n <= limit-s.kept
}

// endCapture ends the captured value before i of b.
func (s *Scanner) endCapture(b []byte, i int) {
	s.active = false
	if s.held > 0 && !s.lost {
		s.arena = append(s.arena, b[:i]...)
	}
	n := s.held + i - s.from
	if s.lost || !s.fits(n) {
		s.truncated = true
		if s.held > 0 && !s.lost {
			s.arena = s.arena[:s.heldAt]
		}
		return
	}
	at, from := span{s.from, i}, b
	if s.held > 0 {
		at, from = span{s.heldAt, len(s.arena)}, s.arena
	}
	d := s.cur
	switch s.slot {
	case slotJSONRPC:
		d.isV2 = rawjson.TrustedKey(from[at.start:at.end]).Is("2.0")
	case slotID:
		d.id = IDOf(rawjson.Trusted(from[at.start:at.end]))
	default:
		s.kept += n
		d.spans[s.slot] = at
		d.present |= 1 << s.slot
		d.inArena &^= 1 << s.slot
		if s.held > 0 {
			d.inArena |= 1 << s.slot
		}
		return
	}
	if s.held > 0 {
		s.arena = s.arena[:s.heldAt]
	}
}

// spill saves from b, the chunk that ends, what the frame still needs.
func (s *Scanner) spill(b []byte) {
	for i := s.spilled; i < len(s.drafts); i++ {
		d := &s.drafts[i]
		for x := slot(1); x < slots; x++ {
			if d.present.has(x) && !d.inArena.has(x) {
				at := d.spans[x]
				d.spans[x] = span{len(s.arena), len(s.arena) + at.end - at.start}
				s.arena = append(s.arena, b[at.start:at.end]...)
				d.inArena |= 1 << x
			}
		}
	}
	s.spilled = len(s.drafts)
	if s.cur != nil && s.spilled > 0 {
		s.spilled--
	}

	switch {
	case s.active && !s.lost:
		n := s.held + len(b) - s.from
		if !s.fits(n) {
			s.lost = true
			if s.held > 0 {
				s.arena = s.arena[:s.heldAt]
			}
			break
		}
		if s.held == 0 {
			s.heldAt = len(s.arena)
		}
		s.arena = append(s.arena, b[s.from:]...)
		s.held = n
		s.from = 0
	case s.isKey && s.state >= inToken && s.cur != nil && s.depth <= s.watch:
		part := b[s.keyStart:]
		if s.keyLen+len(part) > maxKeyBytes {
			s.keyLen = len(s.keyBuf)
			break
		}
		s.keyLen += copy(s.keyBuf[s.keyLen:], part)
	}
	s.keyStart = 0
}

func kindOf(first byte) rawjson.Kind {
	return rawjson.Trusted([]byte{first}).Kind()
}
