package recorder

import (
	"time"

	"github.com/mcpeval/mcpeval/journal"
)

// Gap records that frames could not be taken. It MUST be called at the place
// in the order of frames where they are missing: a request that is open then
// and not seen answered later ends as unknown, because its response may have
// been among them.
func (c *Correlator) Gap(at time.Time, outbound, inbound journal.Traffic) {
	for q := c.requests.open.head; q != nil; q = q.next {
		q.lossy = true
	}
	c.emit(at, &journal.Gap{Outbound: outbound, Inbound: inbound})
}
