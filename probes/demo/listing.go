package demo

import (
	"encoding/json"
	"strconv"
	"strings"
)

type annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  bool  `json:"idempotentHint"`
	OpenWorld   bool  `json:"openWorldHint"`
}

// listing is a tool as tools/list shows it. The schemas are *schema, unless an
// aspect puts something else there.
type listing struct {
	Name         string       `json:"name,omitempty"`
	Title        string       `json:"title,omitempty"`
	Description  string       `json:"description,omitempty"`
	InputSchema  any          `json:"inputSchema,omitempty"`
	OutputSchema any          `json:"outputSchema,omitempty"`
	Annotations  *annotations `json:"annotations,omitempty"`
}

// catalog lists the tools with the fields that the revision knows.
func (s *Server) catalog(revision string) []*listing {
	var list []*listing
	for _, t := range s.tools() {
		l := &listing{Name: t.name, Description: t.description, InputSchema: t.input}
		if revision >= revision2025a {
			reads, writes := !t.writes, t.writes
			l.Annotations = &annotations{ReadOnly: &reads, Destructive: &writes, Idempotent: true}
		}
		if revision >= revision2025b {
			l.Title = t.title
			if t.output != nil {
				l.OutputSchema = t.output
			}
		}
		list = append(list, l)
	}
	if s.aspect.tools != nil {
		list = s.aspect.tools(list)
	}
	return list
}

// page is one page of tools/list. next is a string, nil on the last page, or
// what an aspect puts there.
type page struct {
	tools any
	next  any
}

// listTools answers tools/list.
func (x *exchange) listTools() reply {
	list := x.server.catalog(x.revision)
	cursor, given := "", x.request.params["cursor"] != nil
	if given && json.Unmarshal(x.request.params["cursor"], &cursor) != nil {
		return refusal(codeInvalidParams, "cursor must be a string")
	}
	paging := x.server.aspect.paging
	if paging == nil {
		paging = x.server.cut
	}
	if !given {
		cursor = firstPage
	}
	p, failure := paging(x, list, cursor)
	if failure != nil {
		return reply{failure: failure}
	}
	result := object{"tools": p.tools}
	if p.next != nil {
		result["nextCursor"] = p.next
	}
	return x.cacheable(result)
}

// firstPage stands for the page that is asked for without a cursor; no cursor
// of ours has a blank.
const firstPage = "first page"

func unknownCursor() *failed {
	return &failed{Code: codeInvalidParams, Message: "unknown cursor; take nextCursor of the page before"}
}

// cut makes pages of the configured size. A cursor is "from-" and the number of
// entries before it.
func (s *Server) cut(_ *exchange, list []*listing, cursor string) (page, *failed) {
	size := s.pageSize
	if size <= 0 {
		size = max(len(list), 1)
	}
	from := 0
	if cursor != firstPage {
		digits, ok := strings.CutPrefix(cursor, "from-")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n <= 0 || n >= len(list) || n%size != 0 || strconv.Itoa(n) != digits {
			return page{}, unknownCursor()
		}
		from = n
	}
	to := min(from+size, len(list))
	p := page{tools: list[from:to]}
	if to < len(list) {
		p.next = "from-" + strconv.Itoa(to)
	}
	return p, nil
}
