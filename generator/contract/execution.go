package contract

import (
	"time"

	"github.com/idemgen/idemgen/openapi/diag"
)

// maxWait is how long a duplicate may be kept waiting: after that the client, or a proxy on the way, has gone.
const maxWait = time.Minute

// readExecution reads how the operation runs, and what a duplicate of a running request gets.
func (o *operation) readExecution(c *Contract) {
	a := &o.src.Annotation
	c.Execution = "transactional"
	c.Wait = a.Wait.Value
	if c.Wait > maxWait {
		o.found.Add(diag.Diagnostic{Pos: a.Wait.Pos, Code: diag.TimeMisfit, Hint: "wait: " + durationText(maxWait),
			Message: "a duplicate would wait " + durationText(c.Wait) + ", longer than clients and proxies do; the most is " + durationText(maxWait)})
	}
}
