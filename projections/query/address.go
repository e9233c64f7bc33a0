package query

import (
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Address is a call that an annotation can be about. EventID is empty for a
// record without identity.
type Address struct {
	EventID string
	Session string
	Seq     int64
	Server  string
	Tool    string
	Method  string
	Type    string // call, pending, notification, unparsed
	Kind    string // real, synthetic
}

// Request reports whether it is a request: a notification or an unparsed frame
// is no call.
func (a *Address) Request() bool { return a.Type == "call" || a.Type == "pending" }

const addressColumns = `SELECT coalesce(c.event_id, ''), c.session, c.seq, c.server, coalesce(c.tool, ''), c.method, c.type, c.kind `

// CallByEvent is the row of calls that an event made; nil when it made none.
func CallByEvent(conn *sqlite.Conn, eventID string) (*Address, error) {
	list, err := addresses(conn, `FROM calls c WHERE c.event_id = ?`, eventID)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// CallsAt are the records without identity with a session (as session:<sha256>)
// and a sequence number: more than one is ambiguous.
func CallsAt(conn *sqlite.Conn, session string, seq int64) ([]Address, error) {
	return addresses(conn, `FROM groups g JOIN calls c ON c.grp = g.id AND c.seq = ?2 AND c.event_id IS NULL
		WHERE g.capture_id IS NULL AND g.session = ?1`, session, seq)
}

func addresses(conn *sqlite.Conn, from string, args ...any) ([]Address, error) {
	var list []Address
	err := sqlitex.Execute(conn, addressColumns+from, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
		list = append(list, Address{
			EventID: s.ColumnText(0), Session: s.ColumnText(1), Seq: s.ColumnInt64(2), Server: s.ColumnText(3),
			Tool: s.ColumnText(4), Method: s.ColumnText(5), Type: s.ColumnText(6), Kind: s.ColumnText(7),
		})
		return nil
	}})
	return list, err
}
