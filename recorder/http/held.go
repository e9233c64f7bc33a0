package httpshim

// held are the exchanges whose request waits for its session, in the order in
// which they began.
type held struct{ head, tail *exchange }

func (h *held) oldest() *exchange { return h.head }

func (h *held) add(x *exchange) {
	x.thread.prev = h.tail
	if h.tail == nil {
		h.head = x
	} else {
		h.tail.thread.next = x
	}
	h.tail = x
}

func (h *held) remove(x *exchange) {
	t := &x.thread
	if t.prev == nil {
		h.head = t.next
	} else {
		t.prev.thread.next = t.next
	}
	if t.next == nil {
		h.tail = t.prev
	} else {
		t.next.thread.prev = t.prev
	}
	t.prev, t.next = nil, nil
}
