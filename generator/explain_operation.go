package generator

import (
	"github.com/idemgen/idemgen/generator/contract"
	"github.com/idemgen/idemgen/runtime/canon"
	"github.com/idemgen/idemgen/runtime/idem"
)

// runtimeOperation describes c to the runtime as the generated package does, with fingerprints that are interpreted. Bodies that count
// through a view come with what it makes of them.
func runtimeOperation(c *contract.Contract) *idem.Operation {
	op := &idem.Operation{
		Name: c.Name, Method: c.Method, Path: c.Path, Keyspace: c.Keyspace, Retention: c.Retention, Execution: executions[c.Execution],
		Key: idem.KeySource{
			In: requestParts[c.Key.In], Name: c.Key.Name, Path: c.Key.Path, Required: c.Key.Required,
			MinLength: c.Key.MinLength, MaxLength: c.Key.MaxLength, Format: keyFormats[c.Key.Format], Numbers: c.Key.Numbers,
		},
		Scope: scopeParts(c.Scope), Before: scopeParts(c.Before),
		Wait: c.Wait, KeepExcept: c.KeepExcept, ReplayHeaders: c.ReplayHeaders, ReplayMarker: c.ReplayMarker, Statuses: idem.Statuses(c.Statuses), Docs: c.Docs,
		Lease: c.Lease, Takeover: takeovers[c.Takeover], Attempts: c.Attempts, CommandHeaders: c.CommandHeaders,
	}
	if c.Unique != nil {
		op.Unique = &idem.BusinessKey{Fields: c.Unique.Paths, Digest: interpreted(&c.Unique.Version, c.Unique.DigestName(c.Name))}
	}
	if !c.Compare {
		return op
	}
	for _, v := range c.Versions() {
		version := runtimeVersion(v)
		version.Fingerprint = interpreted(v, c.Name)
		op.Versions = append(op.Versions, *version)
	}
	return op
}

// runtimeVersion describes v without its function.
func runtimeVersion(v *contract.Version) *idem.Version {
	out := &idem.Version{Number: v.Number, ID: v.ID, Sensitive: v.Sensitive}
	for _, f := range v.Fields {
		out.Fields = append(out.Fields, f.Path)
	}
	return out
}

// interpreted gives the digests that generated code would give.
func interpreted(v *contract.Version, name string) func(*canon.Scanner, *canon.Request) (canon.Digest, error) {
	return func(s *canon.Scanner, r *canon.Request) (canon.Digest, error) {
		s.Start(r)
		v.Scan(s)
		return s.Finish(name, v.ID)
	}
}

func scopeParts(terms []contract.ScopeTerm) []idem.ScopePart {
	var parts []idem.ScopePart
	for _, t := range terms {
		part := idem.ScopePart{Dimension: t.Dimension}
		if t.Dimension < 0 {
			part.Literal = t.Literal
			part.From = idem.RequestPart{In: requestParts[t.In], Name: t.Name, Index: t.Index, Path: t.Path, As: t.As}
		}
		parts = append(parts, part)
	}
	return parts
}

// The spellings of the contract and what the runtime calls them.
var (
	executions   = map[string]idem.ExecutionMode{contract.Transactional: idem.Transactional, contract.Leased: idem.Leased}
	keyFormats   = map[string]idem.KeyFormat{"": idem.AnyKey, "uuid": idem.UUIDKey}
	requestParts = map[string]idem.KeyIn{"header": idem.KeyInHeader, "query": idem.KeyInQuery, "body": idem.KeyInBody, "path": idem.KeyInPath}
	takeovers    = map[string]idem.TakeoverPolicy{contract.TakeoverRecover: idem.Recover, contract.TakeoverRetake: idem.Retake, contract.TakeoverHold: idem.Hold}
)
