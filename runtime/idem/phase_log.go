package idem

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// phaseLog is what an attempt knows of its record's phases. Its fields are guarded by Lease.mu.
type phaseLog[Tx any] struct {
	recorded map[string][]byte // results of earlier attempts by name
	used     map[string]bool   // names that this attempt has come to
	happened int               // phases that this attempt committed, or may have
	running  bool
	last     *openPhase[Tx]

	// commit is held while a phase commits, and while the attempt is settled.
	commit sync.Mutex
}

// openPhase is the last phase, whose transaction waits for the outcome.
type openPhase[Tx any] struct {
	held   HeldPhase[Tx]
	record PhaseRecord
}

var (
	errPhaseOrder = errors.New("another phase is running: phases follow one another")
	errAfterLast  = errors.New("the last phase was before it: return the outcome")
	errPhaseName  = errors.New("a name has 1 to 255 bytes of UTF-8 without NUL")
)

// maxPhaseName keeps the primary key of a phase within what an index holds.
const maxPhaseName = 255

// startPhase takes the turn for a phase, or gives what an earlier attempt recorded under its name.
func (l *Lease[Tx]) startPhase(name string) (recorded []byte, found bool, err error) {
	if name == "" || len(name) > maxPhaseName || !utf8.ValidString(name) || strings.Contains(name, "\x00") {
		return nil, false, errPhaseName
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.settled:
		return nil, false, ErrSettled
	case l.spoiled != nil:
		return nil, false, l.spoiled
	case l.ctx.Err() != nil:
		return nil, false, context.Cause(l.ctx)
	case l.phases.running:
		return nil, false, errPhaseOrder
	case l.phases.last != nil:
		return nil, false, errAfterLast
	case l.phases.used[name]:
		return nil, false, ErrPhaseTwice
	}
	if recorded, found = l.phases.recorded[name]; found {
		l.phases.used[name] = true
		return recorded, true, nil
	}
	l.phases.running = true
	return nil, false, nil
}

func (l *Lease[Tx]) endPhase() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.phases.running = false
}

// committing counts the phase as one that may have happened, from before its commit on.
func (l *Lease[Tx]) committing(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.settled {
		return ErrSettled
	}
	l.phases.used[name] = true
	l.phases.happened++
	return nil
}

// uncommitted takes back what committing counted: the phase has certainly not happened.
func (l *Lease[Tx]) uncommitted(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.phases.used, name)
	l.phases.happened--
}

// spoil makes the attempt's outcome unknown.
func (l *Lease[Tx]) spoil(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spoiled == nil && !l.settled {
		l.spoiled = cause
	}
}

// standing is how an attempt stands when it is settled.
type standing uint8

const (
	attemptHeld standing = iota
	alreadySettled
	attemptLost
	attemptSpoiled
)

// settle gives the last phase, and how the attempt stands, to whoever settles it first. No phase commits from then on.
func (l *Lease[Tx]) settle() (*openPhase[Tx], standing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.settled {
		return nil, alreadySettled
	}
	l.settled = true
	last := l.phases.last
	l.phases.last = nil
	switch {
	case l.lost:
		return last, attemptLost
	case l.spoiled != nil:
		return last, attemptSpoiled
	}
	return last, attemptHeld
}

// untouched reports whether no attempt of the record has recorded a phase.
func (l *Lease[Tx]) untouched() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.phases.recorded) == 0 && l.phases.happened == 0
}

// openPhases reads what earlier attempts recorded.
func (l *Lease[Tx]) openPhases(ctx context.Context, phases []PhaseRecord) ([]PhaseRecord, error) {
	opened := make([]PhaseRecord, len(phases))
	for i, p := range phases {
		text, err := l.attempt.engine.seals.open(ctx, l.place, partPhase+p.Name, p.Result)
		if err != nil {
			return nil, fmt.Errorf("phase %q: %w", p.Name, err)
		}
		opened[i] = PhaseRecord{Name: p.Name, Result: text}
	}
	return opened, nil
}
