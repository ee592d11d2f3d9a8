package idem

import (
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"
)

// plan is an operation made ready: what would otherwise be found out again for every request.
type plan struct {
	op                 *Operation
	template           template
	contracts          [][8]byte // ids of op.Versions
	keys               *KeyRing  // nil: plain digests
	keyIndex           int       // position of a key that stands in the path
	dimensions         bool      // the scope asks the resolver
	contractDimensions int
	views              map[string]View // the contract's
	named              *named          // nil: every place of the body may be named
}

// newPlan checks an operation. Its errors say what to do about a description that was written by hand; the generator writes
// none that fails.
func newPlan(op *Operation, contract *Contract, keys *KeyRing) (*plan, error) {
	dimensions := len(contract.Dimensions)
	p := &plan{op: op, contractDimensions: dimensions, keys: keys, views: contract.Views}
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }

	if !op.webhook() {
		var err error
		if p.template, err = parseTemplate(op.Path); err != nil {
			fail("field Path %q: %w", op.Path, err)
		}
		if op.Method == "" || op.Method != strings.ToUpper(op.Method) {
			fail("field Method %q: give the HTTP method in upper case", op.Method)
		}
	}
	if op.Keyspace == "" {
		fail("field Keyspace is empty: give the operation's name unless operations share their keys")
	}
	if op.Retention <= 0 && op.Retention != Forever {
		fail("field Retention is %v: give a positive duration or idem.Forever", op.Retention)
	}
	switch op.Execution {
	case Transactional:
	case Leased:
		errs = append(errs, checkLease(op))
	default:
		fail("field Execution is %d: give idem.Transactional or idem.Leased", op.Execution)
	}
	if op.Wait < 0 {
		fail("field Wait is %v: give how long a duplicate waits, or 0", op.Wait)
	}
	if op.Unique != nil && (op.Unique.Digest == nil || len(op.Unique.Fields) == 0) {
		fail("field Unique has no Fields or no Digest: give both, or no business key")
	}
	if op.Before != nil {
		if slices.EqualFunc(op.Scope, op.Before, ScopePart.equal) {
			fail("field Before is the scope itself: leave it out until the scope changes")
		}
		errs = append(errs, p.checkScope("Before", op.Before, dimensions))
	}
	errs = append(errs, p.checkKeySource(), p.checkScope("Scope", op.Scope, dimensions), p.checkVersions(), checkPolicy(op))
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("operation %q: %w", op.Name, err)
	}
	if len(op.Versions) > 0 {
		p.named = namedBy(&op.Versions[0])
	}
	return p, nil
}

// checkLease checks what belongs to leased execution alone.
func checkLease(op *Operation) error {
	switch {
	case op.Lease <= 0:
		return fmt.Errorf("field Lease is %v: give how long an attempt may stay silent", op.Lease)
	case op.Takeover < Recover || op.Takeover > Hold:
		return fmt.Errorf("field Takeover is %d: give idem.Recover, idem.Retake or idem.Hold", op.Takeover)
	case op.Attempts < 1:
		return fmt.Errorf("field Attempts is %d: give at least 1", op.Attempts)
	case !op.Key.Required && op.Unique == nil:
		return errors.New("field Key.Required is false: a leased operation needs a key, or a business key in Unique")
	}
	for _, name := range op.CommandHeaders {
		if err := checkHeaderName("CommandHeaders", name); err != nil {
			return err
		}
	}
	return nil
}

// webhook reports whether op is received at a path that the document does not know.
func (op *Operation) webhook() bool { return op.Method == "" && op.Path == "" }

func (p *plan) checkKeySource() error {
	k := &p.op.Key
	if k.MinLength < 1 || k.MaxLength < k.MinLength {
		return fmt.Errorf("field Key: lengths %d to %d: give 1 to 255 or what the contract says", k.MinLength, k.MaxLength)
	}
	switch k.In {
	case KeyInHeader:
		return checkHeaderName("Key.Name", k.Name)
	case KeyInQuery:
		if k.Name == "" {
			return errors.New("field Key.Name is empty: name the query parameter")
		}
	case KeyInBody:
		if len(k.Path) == 0 {
			return errors.New("field Key.Path is empty: name the member of the body")
		}
	case KeyInPath:
		if p.keyIndex = slices.Index(p.template.names, k.Name); p.keyIndex < 0 {
			return fmt.Errorf("field Key.Name %q is no parameter of the path", k.Name)
		}
	default:
		return fmt.Errorf("field Key.In is %d: give idem.KeyInHeader, KeyInQuery, KeyInBody or KeyInPath", k.In)
	}
	return nil
}

func (p *plan) checkScope(field string, parts []ScopePart, dimensions int) error {
	if len(parts) == 0 {
		return fmt.Errorf("field %s is empty: say whom a key belongs to", field)
	}
	for i := range parts {
		s := &parts[i]
		switch {
		case s.Dimension >= dimensions:
			return fmt.Errorf("field %s[%d].Dimension is %d: the contract has %d", field, i, s.Dimension, dimensions)
		case s.Dimension >= 0:
			p.dimensions = true
		case s.From.In == 0:
			if s.Literal == "" || !utf8.ValidString(s.Literal) {
				return fmt.Errorf("field %s[%d] has neither Dimension, From nor Literal", field, i)
			}
		default:
			if err := p.checkPart(&s.From); err != nil {
				return fmt.Errorf("field %s[%d].From: %w", field, i, err)
			}
		}
	}
	return nil
}

// equal reports whether two parts of a scope always have one value.
func (s ScopePart) equal(other ScopePart) bool {
	if s.Dimension >= 0 || other.Dimension >= 0 {
		return s.Dimension == other.Dimension
	}
	return s.Literal == other.Literal && s.From.In == other.From.In && s.From.Name == other.From.Name &&
		s.From.Index == other.From.Index && s.From.As == other.From.As && slices.Equal(s.From.Path, other.From.Path)
}

func (p *plan) checkPart(part *RequestPart) error {
	switch part.In {
	case KeyInHeader:
		return checkHeaderName("Name", part.Name)
	case KeyInQuery:
		if part.Name == "" {
			return errors.New("field Name is empty: name the query parameter")
		}
	case KeyInBody:
		if len(part.Path) == 0 {
			return errors.New("field Path is empty: name the member of the body")
		}
	case KeyInPath:
		if part.Index < 0 || part.Index >= len(p.template.names) {
			return fmt.Errorf("field Index is %d: the path has %d parameters", part.Index, len(p.template.names))
		}
	default:
		return fmt.Errorf("field In is %d: give idem.KeyInHeader, KeyInQuery, KeyInBody or KeyInPath", part.In)
	}
	return nil
}

func (p *plan) checkVersions() error {
	last := 0
	for i, v := range p.op.Versions {
		id, err := contractBytes(v.ID)
		switch {
		case err != nil:
			return fmt.Errorf("field Versions[%d].ID %q: %w", i, v.ID, err)
		case slices.Contains(p.contracts, id):
			return fmt.Errorf("field Versions[%d].ID %q stands there twice", i, v.ID)
		case v.Fingerprint == nil:
			return fmt.Errorf("field Versions[%d].Fingerprint is nil", i)
		case len(v.Sensitive) > 0 && p.keys == nil:
			return fmt.Errorf("the fields of Versions[%d] have sensitive ones: give Options.Keys, so that nobody can find their values by trying", i)
		case slices.ContainsFunc(v.Sensitive, func(f int) bool { return f < 0 || f >= len(v.Fields) }):
			return fmt.Errorf("field Versions[%d].Sensitive has a number that is no field", i)
		case v.View != "" && p.views[v.View] == nil:
			return fmt.Errorf("field Versions[%d].View is %q, and that view is nil: give NewEngine a function that makes of a body what counts of it", i, v.View)
		case (v.View == "") != (v.ViewBody == nil):
			return fmt.Errorf("the fields Versions[%d].View and ViewBody need each other", i)
		case i > 0 && v.Number >= last:
			return fmt.Errorf("field Versions[%d].Number is %d after %d: the newest version comes first", i, v.Number, last)
		}
		last = v.Number
		p.contracts = append(p.contracts, id)
	}
	return nil
}

// checkPolicy checks what decides about answers.
func checkPolicy(op *Operation) error {
	for _, status := range op.KeepExcept {
		if status < 400 || status > 599 {
			return fmt.Errorf("field KeepExcept has %d: only 400 to 599 can be excepted", status)
		}
	}
	if err := checkHeaderName("ReplayMarker", op.ReplayMarker); err != nil {
		return err
	}
	for _, name := range op.ReplayHeaders {
		if err := checkHeaderName("ReplayHeaders", name); err != nil {
			return err
		}
		if neverReplayed(name) {
			return fmt.Errorf("field ReplayHeaders has %s, which belongs to one connection or one caller and is never replayed", name)
		}
	}
	s := op.Statuses
	for _, status := range []int{s.Missing, s.Malformed, s.Mismatch, s.InFlight, s.Unknown, s.Unavailable} {
		if status != 0 && (status < 400 || status > 599) {
			return fmt.Errorf("field Statuses has %d: a problem's status is 400 to 599, or 0 for the usual one", status)
		}
	}
	return nil
}

// checkHeaderName demands a token in the spelling of http.Header's keys.
func checkHeaderName(field, name string) error {
	if name == "" {
		return fmt.Errorf("%s is empty: name the header", field)
	}
	if canonical := textproto.CanonicalMIMEHeaderKey(name); canonical != name || strings.ContainsAny(name, " \t:,;\"") {
		return fmt.Errorf("%s %q: give a header name in the spelling %q", field, name, http.CanonicalHeaderKey(name))
	}
	return nil
}
