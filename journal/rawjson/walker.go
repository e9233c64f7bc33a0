package rawjson

// TokenKind is the kind of a Token.
type TokenKind uint8

// The kinds of tokens. The zero kind ends the walk.
const (
	End TokenKind = iota
	BeginObject
	MemberKey // its value's tokens follow
	EndObject
	BeginArray
	EndArray
	Scalar // null, true, false, a number or a string
)

// Token is one step of a walk.
type Token struct {
	Kind  TokenKind
	Key   Key   // of a MemberKey
	Value Value // of a Scalar
}

// Walker goes through a whole value, token by token, in one pass. It relies on
// the value being valid; over other bytes it ends early or gives tokens without
// sense, but it neither panics nor runs for ever.
type Walker struct {
	b       []byte
	i       int
	open    nesting
	wantKey bool
	last    TokenKind
	started bool
}

// Walk starts a walk through v.
func (v Value) Walk() *Walker { return &Walker{b: v.raw} }

// Reset makes w walk through v, keeping no more than its memory.
func (w *Walker) Reset(v Value) {
	*w = Walker{b: v.raw, open: nesting{rest: w.open.rest[:0]}}
}

// Depth is how many arrays and objects are open.
func (w *Walker) Depth() int { return w.open.depth }

// Next is the next token. Behind the value's last token it is End, for good.
func (w *Walker) Next() Token {
	t := w.next()
	w.last = t.Kind
	return t
}

func (w *Walker) next() Token {
	if w.open.depth == 0 && w.started {
		return Token{}
	}
	w.started = true
	b := w.b
	for w.i < len(b) && isSeparator(b[w.i]) {
		w.i++
	}
	if w.i == len(b) {
		return w.stop()
	}
	start := w.i
	switch c := b[start]; c {
	case '{', '[':
		if w.open.depth == MaxDepth || w.wantKey {
			return w.stop()
		}
		w.i++
		w.open.push(c == '{')
		w.wantKey = c == '{'
		if c == '{' {
			return Token{Kind: BeginObject}
		}
		return Token{Kind: BeginArray}
	case '}', ']':
		if w.open.depth == 0 || w.open.inObject() != (c == '}') {
			return w.stop()
		}
		w.i++
		w.open.pop()
		w.wantKey = w.open.inObject()
		if c == '}' {
			return Token{Kind: EndObject}
		}
		return Token{Kind: EndArray}
	}
	w.i = skipValue(b, start)
	if w.wantKey {
		if b[start] != '"' {
			return w.stop()
		}
		w.wantKey = false
		return Token{Kind: MemberKey, Key: Key{b[start:w.i:w.i]}}
	}
	w.wantKey = w.open.inObject()
	return Token{Kind: Scalar, Value: Value{b[start:w.i:w.i]}}
}

// Skip passes over the rest of what the last token began: after a MemberKey
// the member's value, after BeginObject and BeginArray everything up to and
// including the matching end. After any other token it does nothing.
func (w *Walker) Skip() {
	switch w.last {
	case MemberKey:
		for w.i < len(w.b) && isSeparator(w.b[w.i]) {
			w.i++
		}
		w.i = skipValue(w.b, w.i)
		w.wantKey = true
	case BeginObject, BeginArray:
		// The opening bracket lies directly before i.
		w.i = skipContainer(w.b, w.i-1)
		w.open.pop()
		w.wantKey = w.open.inObject()
	default:
		return
	}
	w.last = End
}

// stop ends a walk over bytes that are no valid JSON.
func (w *Walker) stop() Token {
	w.i = len(w.b)
	w.open = nesting{}
	w.started = true
	return Token{}
}

func isSeparator(c byte) bool {
	switch c {
	case ' ', '\n', '\t', '\r', ',', ':':
		return true
	}
	return false
}
