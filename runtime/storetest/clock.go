package storetest

import (
	"sync/atomic"
	"time"
)

// clock is a store's clock that stands still until a case turns it. It has whole milliseconds, which every store can keep.
type clock struct{ millis atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.millis.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time { return time.UnixMilli(c.millis.Load()).UTC() }

func (c *clock) advance(d time.Duration) { c.millis.Add(d.Milliseconds()) }
