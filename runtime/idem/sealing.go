package idem

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// seals seals parts of records, each bound to its record: what was sealed cannot be moved to another one. Without a sealer parts
// stay as they are. Parts that were stored before there was a sealer stay readable, because each says what it is.
type seals struct{ sealer Sealer }

// place is the record that a part belongs to. A record that stands under two scopes is one place.
type place struct {
	scope, before, keyspace, key string
	recordID                     UUID
}

// Parts of a record.
const (
	partHeader  = "header"
	partBody    = "body"
	partCommand = "command"
	partPhase   = "phase " // and its name
)

const (
	// sealMark is the first byte of what was sealed. No JSON text and no stored command begins with it.
	sealMark = 0xff
	// sealFormat follows the mark. Another layout gets another number.
	sealFormat = 1
)

var (
	// errUnopened: nobody can say what the part was. Its record is never run again for that.
	errUnopened = errors.New("idem: a sealed part of the record cannot be opened")
	// errNotSealed: nothing was stored, and what could not be sealed this time may be the next time.
	errNotSealed = errors.New("idem: the outcome cannot be sealed")
	errMarked    = errors.New("idem: a part that is not sealed begins like one that is")
)

// seal gives what the record keeps of a part which says by itself what it is: a phase's result, a stored command.
func (s seals) seal(ctx context.Context, at place, part string, plain []byte) ([]byte, error) {
	if s.sealer != nil {
		return s.enclose(ctx, at, part, plain)
	}
	if isSealed(plain) {
		return nil, fmt.Errorf("seal %s: %w", part, errMarked)
	}
	return plain, nil
}

// open undoes seal. Errors wrap errUnopened.
func (s seals) open(ctx context.Context, at place, part string, stored []byte) ([]byte, error) {
	if !isSealed(stored) {
		return stored, nil
	}
	return s.disclose(ctx, at, part, stored)
}

func isSealed(stored []byte) bool { return len(stored) > 0 && stored[0] == sealMark }

// enclose seals a part: the mark, the format, the scopes that it is bound to, and what the sealer made. The scopes stand there, since
// a program that knows only the second one has to open it as well.
func (s seals) enclose(ctx context.Context, at place, part string, plain []byte) ([]byte, error) {
	scopes := at.scopes()
	sealed, err := s.sealer.Seal(ctx, plain, at.additional(scopes, part))
	if err != nil {
		return nil, fmt.Errorf("seal %s: %w", part, err)
	}
	b := []byte{sealMark, sealFormat, byte(len(scopes))}
	for _, scope := range scopes {
		b = appendSized(b, scope)
	}
	return append(b, sealed...), nil
}

// disclose undoes enclose.
func (s seals) disclose(ctx context.Context, at place, part string, stored []byte) ([]byte, error) {
	if s.sealer == nil {
		return nil, fmt.Errorf("%w: %s: the engine has no sealer", errUnopened, part)
	}
	scopes, sealed, ok := readScopes(stored)
	if !ok {
		return nil, fmt.Errorf("%w: %s: it is damaged or of a newer format", errUnopened, part)
	}
	if !slices.ContainsFunc(at.scopes(), func(scope string) bool { return slices.Contains(scopes, scope) }) {
		return nil, fmt.Errorf("%w: %s: it belongs to another scope", errUnopened, part)
	}
	plain, err := s.sealer.Open(ctx, sealed, at.additional(scopes, part))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errUnopened, part, err)
	}
	return plain, nil
}

// readScopes takes what enclose put before the sealer's bytes.
func readScopes(stored []byte) (scopes []string, sealed []byte, ok bool) {
	if len(stored) < 3 || stored[0] != sealMark || stored[1] != sealFormat {
		return nil, nil, false
	}
	r := sizedReader{rest: stored[3:]}
	for range stored[2] {
		scopes = append(scopes, r.text())
	}
	return scopes, r.rest, !r.bad
}

func (at place) scopes() []string {
	if at.before == "" {
		return []string{at.scope}
	}
	return []string{at.scope, at.before}
}

// additional is what a part is bound to. Every text has its length before it, so that no two places look alike.
func (at place) additional(scopes []string, part string) []byte {
	b := appendSized(nil, "idemgen sealed part")
	b = appendSized(b, part)
	b = append(b, byte(len(scopes)))
	for _, scope := range scopes {
		b = appendSized(b, scope)
	}
	b = appendSized(b, at.keyspace)
	b = appendSized(b, at.key)
	return append(b, at.recordID[:]...)
}
