package contract

import (
	"net/textproto"
	"slices"
	"time"

	"github.com/idemgen/idemgen/openapi"
	"github.com/idemgen/idemgen/openapi/diag"
)

// The executions and takeovers of an operation, as the annotation writes them.
const (
	Transactional = "transactional"
	Leased        = "leased"

	TakeoverRecover = "recover"
	TakeoverRetake  = "retake"
	TakeoverHold    = "hold"
)

// What a leased operation that says nothing means (ANNOTATION section 3).
const (
	defaultLease    = 30 * time.Second
	defaultAttempts = 5
)

const (
	// minLease is what an attempt that lives can keep: it extends its lease at a third of it, and a pause of its process, a slow network or
	// a failover of the database must not look like its end.
	minLease = 5 * time.Second
	// maxLease bounds for how long the end of an attempt goes unnoticed. However long the work takes, the lease need not be as long.
	maxLease = time.Hour
	// maxWait is how long a duplicate may be kept waiting: after that the client, or a proxy on the way, has gone.
	maxWait = time.Minute
)

// readExecution reads how the operation runs, and what a duplicate of a running request gets.
func (o *operation) readExecution(c *Contract) {
	a := &o.src.Annotation
	c.Execution = orDefault(a.Execution, Transactional)
	if c.Wait = a.Wait.Value; c.Wait > maxWait {
		o.found.Add(diag.Diagnostic{Pos: a.Wait.Pos, Code: diag.TimeMisfit, Hint: "wait: " + durationText(maxWait),
			Message: "a duplicate would wait " + durationText(c.Wait) + ", longer than clients and proxies do; the most is " + durationText(maxWait)})
	}
	if c.Execution == Leased {
		o.readLease(c)
	}
}

func (o *operation) readLease(c *Contract) {
	a := &o.src.Annotation
	c.Lease, c.Takeover, c.Attempts = orDefault(a.Lease, defaultLease), orDefault(a.Takeover, TakeoverRecover), orDefault(a.Attempts, defaultAttempts)
	switch {
	case c.Lease < minLease:
		o.leaseMisfit(c.Lease, "would run out while its attempt lives; the least is ", minLease)
	case c.Lease > maxLease:
		o.leaseMisfit(c.Lease, "would hide for as long that its attempt has ended; the most is ", maxLease)
	}
	if c.Attempts == 1 && c.Takeover != TakeoverHold {
		o.found.Add(diag.Diagnostic{Pos: a.Attempts.Pos, Code: diag.NothingTakenOver, Hint: "attempts: 2",
			Message: "takeover: " + c.Takeover + " never happens: the first attempt is the last one"})
	}
}

func (o *operation) leaseMisfit(lease time.Duration, why string, bound time.Duration) {
	o.found.Add(diag.Diagnostic{Pos: o.src.Annotation.Lease.Pos, Code: diag.TimeMisfit, Hint: "lease: " + durationText(bound),
		Message: "a lease of " + durationText(lease) + " " + why + durationText(bound)})
}

// checkLease holds what a leased operation needs against the rest of its contract.
func (o *operation) checkLease(c *Contract) {
	if c.Execution != Leased {
		return
	}
	if !c.Key.Required && len(o.src.Annotation.Unique.Value) == 0 {
		d := diag.Diagnostic{Pos: o.src.Annotation.Key.Value.Required.Pos, Code: diag.LeasedUnprotected, Hint: "required: true",
			Message: o.title() + " is leased and neither demands a key nor has a business key: nobody could find its attempts again"}
		if o.src.Annotation.Mode.Value == openapi.ModeOptional {
			d.Pos, d.Hint = o.src.Annotation.Mode.Pos, o.annotated()+": required"
		}
		o.found.Add(d)
	}
	if c.Takeover == TakeoverRecover {
		for _, p := range c.HeaderParams {
			c.CommandHeaders = append(c.CommandHeaders, textproto.CanonicalMIMEHeaderKey(p.Name))
		}
		slices.Sort(c.CommandHeaders)
	}
}
