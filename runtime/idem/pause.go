package idem

import (
	"math/rand/v2"
	"time"
)

// pause is the time between attempts at something that another is busy with. It doubles up to a bound, and half of it is chance, so
// that many who wait for one thing do not come all at once.
type pause struct{ next, most time.Duration }

// take waits, and says whether all of the pause has passed before one of the channels closed. A nil channel never does.
func (p *pause) take(done, gone <-chan struct{}) bool {
	half := p.next / 2
	timer := time.NewTimer(half + rand.N(half+1))
	defer timer.Stop()
	p.next = min(2*p.next, p.most)
	select {
	case <-timer.C:
		return true
	case <-done:
		return false
	case <-gone:
		return false
	}
}
