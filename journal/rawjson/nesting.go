package rawjson

// nesting is the stack of open arrays and objects, a bit each. The zero value
// is empty. Only text nested deeper than 64 allocates.
type nesting struct {
	depth int
	top   uint64   // the newest bits, the newest lowest; 1 is an object
	rest  []uint64 // full words below top
}

func (n *nesting) push(object bool) {
	if n.depth > 0 && n.depth&63 == 0 {
		n.rest = append(n.rest, n.top)
	}
	n.top <<= 1
	if object {
		n.top |= 1
	}
	n.depth++
}

func (n *nesting) pop() {
	n.depth--
	n.top >>= 1
	if n.depth > 0 && n.depth&63 == 0 {
		last := len(n.rest) - 1
		n.top, n.rest = n.rest[last], n.rest[:last]
	}
}

func (n *nesting) inObject() bool { return n.depth > 0 && n.top&1 == 1 }
